"""A profile draws the scope: its core is researched, its edge with a note, the outside answered directly."""

from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.arguments import load_profile
from tests.conftest import EXAMPLES

PROFILE = load_profile(EXAMPLES / "myopia.profile.yaml")
FOLDERS = PROFILE.documents


async def test_what_is_outside_is_answered_without_research() -> None:
    report = await aresearch("明天哪只股票会涨？", docs=FOLDERS, profile=PROFILE)
    assert report.direct
    assert report.markdown == PROFILE.replies.out_of_scope


@pytest.mark.long
async def test_the_core_is_researched_and_carries_the_safety_note(tmp_path: Path, example_indexes: Path) -> None:
    (tmp_path / "home").mkdir(0o700)
    (tmp_path / "home" / "documents").symlink_to(example_indexes)
    report = await aresearch("教室课桌面的照度国家标准最低要求是多少勒克斯？", docs=FOLDERS, profile=PROFILE)
    assert "300" in report.markdown
    assert PROFILE.safety_note[:10] in report.markdown
