"""Fail-over: the next search takes over, and one that keeps failing rests."""

import asyncio

import pytest

from services.run.errors import SearchError, SearchRefused
from services.search.hit import Hit
from services.search.web import FailOver


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Engine:
    """A search that fails when told to, and counts."""

    def __init__(self, name: str, fails: SearchError | None = None) -> None:
        self.name, self.fails = name, fails
        self.asked = self.running = self.most = 0
        self.gate: asyncio.Event | None = None

    async def search(self, query: str, limit: int) -> list[Hit]:
        self.asked += 1
        self.running += 1
        self.most = max(self.most, self.running)
        if self.gate is not None:
            await self.gate.wait()
        self.running -= 1
        if self.fails:
            raise self.fails
        return [Hit(url=f"https://{self.name}.example/", title=self.name, kind="web", text=query)][:limit]


async def answering(web: FailOver) -> str:
    """Return the name of the search that answers."""
    return (await web.search("wire", 5))[0].found_by


@pytest.mark.parametrize(("error", "failures"), [(SearchRefused("Wait."), 1), (SearchError("It is down."), 3)])
async def test_the_next_takes_over_and_one_that_fails_rests_for_a_minute(error: SearchError, failures: int) -> None:
    one, two, clock = Engine("one"), Engine("two"), Clock()
    web = FailOver([one, two], clock=clock)
    assert await answering(web) == "one"
    assert two.asked == 0
    one.fails = error
    assert [await answering(web) for _ in range(5)] == ["two"] * 5
    assert one.asked == 1 + failures
    one.fails, clock.now = None, 61
    assert await answering(web) == "one"


async def test_a_success_forgets_earlier_failures() -> None:
    one = Engine("one")
    web = FailOver([one, Engine("two")], clock=Clock())
    for _ in range(4):
        one.fails = SearchError("down")
        assert [await answering(web) for _ in range(2)] == ["two"] * 2
        one.fails = None
        assert await answering(web) == "one"


async def test_an_empty_answer_is_an_answer() -> None:
    two = Engine("two")
    assert await FailOver([Engine("one"), two]).search("wire", 0) == []
    assert two.asked == 0


async def test_when_all_fail_each_reason_is_given_also_while_they_rest() -> None:
    one, two = Engine("one", SearchRefused("One is tired. Wait.")), Engine("two", SearchRefused("Two has no key."))
    for web, told in (
        (FailOver([one, two], clock=Clock()), "No web search answered. one: One is tired. Wait. two: Two has no key."),
        (FailOver([one], clock=Clock()), "One is tired. Wait."),
    ):
        for _ in range(2):
            with pytest.raises(SearchError) as caught:
                await web.search("wire", 5)
            assert str(caught.value) == told
    assert (one.asked, two.asked) == (2, 1)


async def test_only_so_many_searches_run_at_once() -> None:
    one = Engine("one")
    one.gate = asyncio.Event()
    web = FailOver([one], at_once=2)
    searches = [asyncio.create_task(web.search(f"wire {place}", 5)) for place in range(6)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert (one.running, one.asked) == (2, 2)
    one.gate.set()
    found = await asyncio.gather(*searches)
    assert [hits[0].text for hits in found] == [f"wire {place}" for place in range(6)]
    assert one.most == 2


async def test_those_that_wait_do_not_ask_one_that_was_refused_meanwhile() -> None:
    one, two = Engine("one", SearchRefused("Too many.")), Engine("two")
    one.gate = asyncio.Event()
    web = FailOver([one, two], at_once=1, clock=Clock())
    searches = [asyncio.create_task(answering(web)) for _ in range(5)]
    await asyncio.sleep(0)
    one.gate.set()
    assert set(await asyncio.gather(*searches)) == {"two"}
    assert one.asked == 1


def test_one_serves_several_event_loops() -> None:
    web = FailOver([Engine("one")], at_once=1)

    async def several() -> list[str]:
        return await asyncio.gather(*(answering(web) for _ in range(4)))

    assert [asyncio.run(several()) for _ in range(2)] == [["one"] * 4] * 2
