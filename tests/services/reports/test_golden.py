"""The whole text of reports that have something of everything, as it was read and found good.

Where a change is meant, write the files anew and read what `git diff` shows of them: `python -m tests.services.reports.test_golden`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.reporter import Report
from tests.services.reports.full import chinese, english

FOLDER = Path(__file__).with_name("golden")
REPORTS: dict[str, Callable[[], Report]] = {
    "english": english,
    "chinese": chinese,
    "english-dropped": lambda: english(unsupported="drop"),
    "chinese-without-evidence": lambda: chinese(excerpts=[]),
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_text_is_what_was_found_good(name: str) -> None:
    assert REPORTS[name]().markdown == (FOLDER / f"{name}.md").read_text("utf-8")


def test_every_file_is_of_a_report() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(REPORTS)


if __name__ == "__main__":
    for name, make in REPORTS.items():
        (FOLDER / f"{name}.md").write_text(make().markdown, "utf-8")
