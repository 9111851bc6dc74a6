"""Slots of parsing processes are shared by all event loops of the process, and none is lost."""

import asyncio
import threading

import pytest

from services.sandbox.slots import Slots


def test_loops_in_several_threads_share_the_slots() -> None:
    slots, inside, most = Slots(2), 0, 0
    lock = threading.Lock()

    async def work() -> None:
        nonlocal inside, most
        async with slots.held():
            with lock:
                inside += 1
                most = max(most, inside)
            await asyncio.sleep(0.02)
            with lock:
                inside -= 1

    async def many() -> None:
        await asyncio.gather(*(work() for _ in range(5)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert (inside, most) == (0, 2)


async def test_who_gives_up_waiting_takes_no_slot() -> None:
    slots = Slots(1)
    async with slots.held():
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01), slots.held():
                    pytest.fail("there was no slot")
    async with asyncio.timeout(5), slots.held():
        pass


async def test_a_slot_that_comes_at_the_moment_of_a_cancellation_is_given_back() -> None:
    slots = Slots(1)

    async def wait() -> None:
        async with slots.held():
            pytest.fail("it was cancelled")

    async with slots.held():
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
    waiting.cancel()  # the slot was given to it, and it has not run since
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(5), slots.held():
        pass
