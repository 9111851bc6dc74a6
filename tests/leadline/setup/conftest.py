"""The doctor without its programs in the sandbox."""

import pytest

from leadline.setup import doctor
from leadline.setup.check import Check


@pytest.fixture
def without_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the checks that start programs in the sandbox, which take seconds."""

    async def nothing() -> list[Check]:
        return []

    for look in ("isolation", "libraries", "parsers"):
        monkeypatch.setattr(doctor, look, nothing)
