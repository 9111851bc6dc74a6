"""The doctor without its programs in the sandbox, and commands that know only what a new process knows."""

import pytest

from leadline.setup import Check, doctor
from services.models.endpoint import forget_endpoints
from services.run.settings import forget_settings
from tests.leadline.conftest import Leadline, Ran


@pytest.fixture
def without_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the checks that start programs in the sandbox, which take seconds."""

    async def nothing() -> list[Check]:
        return []

    for look in ("isolation", "libraries", "parsers"):
        monkeypatch.setattr(doctor, look, nothing)


@pytest.fixture
def anew(leadline: Leadline) -> Leadline:
    """Run `leadline` with arguments as a new process does, which knows of endpoints only what the home holds."""

    def run(*arguments: object, code: int | None = None) -> Ran:
        forget_settings()
        forget_endpoints()
        return leadline(*arguments, code=code)

    return run
