"""Getting ready while the first model call is under way."""

import importlib
import threading
from types import ModuleType

import pytest

from leadline.warmup import LATER, WarmUp


async def test_modules_are_imported_in_the_thread_that_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[tuple[str, threading.Thread]] = []

    def noted(name: str, package: str | None = None) -> ModuleType:
        imported.append((name, threading.current_thread()))
        return real(name, package)

    real = importlib.import_module
    monkeypatch.setattr("leadline.warmup.importlib.import_module", noted)
    warm_up = WarmUp()
    warm_up.on_chat_model_start()
    await warm_up.end()
    assert set(LATER) <= {name for name, _ in imported}
    assert {thread for _, thread in imported} == {threading.current_thread()}
