"""Getting ready while the first model call is under way."""

import asyncio
import importlib
import threading
from types import ModuleType

import pytest

from leadline.warmup import LATER, SOON, WarmUp


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, threading.Thread]]:
    names: list[tuple[str, threading.Thread]] = []

    def noted(name: str, package: str | None = None) -> ModuleType:
        names.append((name, threading.current_thread()))
        return real(name, package)

    real = importlib.import_module
    monkeypatch.setattr("leadline.warmup.importlib.import_module", noted)
    return names


async def test_modules_are_imported_in_the_thread_that_needs_them(imported: list[tuple[str, threading.Thread]]) -> None:
    warm_up = WarmUp()
    warm_up.on_chat_model_start()
    await warm_up.ready()
    assert set(LATER) <= {name for name, _ in imported}
    assert {thread for _, thread in imported} == {threading.current_thread()}


async def test_between_calls_nothing_is_imported_that_only_later_nodes_need(
    imported: list[tuple[str, threading.Thread]],
) -> None:
    async def answered() -> None:
        warm_up.on_llm_end()
        paused.set()

    paused = asyncio.Event()
    warm_up = WarmUp(answered)
    warm_up.on_chat_model_start()
    await paused.wait()
    for _ in range(1_000):
        await asyncio.sleep(0)
    assert [name for name, _ in imported] == list(SOON)
    warm_up.on_chat_model_start()
    await warm_up.ready()
    assert set(LATER) <= {name for name, _ in imported}


async def test_what_is_not_ready_when_all_is_over_is_left(imported: list[tuple[str, threading.Thread]]) -> None:
    warm_up = WarmUp()
    warm_up.on_chat_model_start()
    await warm_up.end()
    assert {name for name, _ in imported} <= set(SOON)
