"""Fail-over: the next search takes over, and one that keeps failing rests."""

import asyncio
from collections.abc import Iterator

import pytest

from services.run.errors import SearchError, SearchRefused
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.failover import FailOver
from services.search.hit import Hit
from services.search.tavily import TavilySearch
from tests.fakes.site import Answer, Site, site
from tests.fakes.tavily_server import TavilyServer, page, tavily_server
from tests.services.search.test_duckduckgo import WIRE, results


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Engine:
    """A search that fails when told to, and counts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fails: SearchError | None = None
        self.asked = 0
        self.running = self.most = 0
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


@pytest.fixture
def tavily() -> Iterator[TavilyServer]:
    with tavily_server(page("https://t.example/", "T", "Text.")) as server:
        yield server


@pytest.fixture
def duckduckgo() -> Iterator[Site]:
    with site() as served:
        served.pages["/html/"] = Answer(results(WIRE).encode())
        yield served


def both(tavily: TavilyServer, duckduckgo: Site, clock: Clock) -> FailOver:
    return FailOver(
        [TavilySearch(tavily.key, tavily.base_url), DuckDuckGoSearch(url=duckduckgo.url("/html/"))],
        rest_seconds=60,
        clock=clock,
    )


async def test_the_first_answers_while_it_can(tavily: TavilyServer, duckduckgo: Site) -> None:
    web = both(tavily, duckduckgo, Clock())
    assert [hit.url for hit in await web.search("wire", 5)] == ["https://t.example/"]
    assert duckduckgo.asked == []


async def test_the_next_takes_over_and_a_refused_one_rests(tavily: TavilyServer, duckduckgo: Site) -> None:
    clock = Clock()
    web = both(tavily, duckduckgo, clock)
    tavily.status = 429
    for _ in range(3):
        assert [hit.url for hit in await web.search("wire", 5)] == [WIRE[0]]
    assert len(tavily.requests) == 1
    assert web.resting() == ["tavily"]
    tavily.status = 200
    clock.now = 60
    assert [hit.url for hit in await web.search("wire", 5)] == ["https://t.example/"]
    assert web.resting() == []


async def test_one_that_fails_rests_after_three_failures_and_is_tried_again(
    tavily: TavilyServer, duckduckgo: Site
) -> None:
    clock = Clock()
    web = both(tavily, duckduckgo, clock)
    tavily.status = 500
    for _ in range(5):
        assert [hit.url for hit in await web.search("wire", 5)] == [WIRE[0]]
    assert len(tavily.requests) == 3
    clock.now = 61
    await web.search("wire", 5)
    await web.search("wire", 5)
    assert len(tavily.requests) == 4


async def test_when_all_fail_each_reason_is_given(tavily: TavilyServer, duckduckgo: Site) -> None:
    web = both(tavily, duckduckgo, Clock())
    tavily.status = 432
    duckduckgo.pages["/html/"] = Answer(b"busy", 503)
    with pytest.raises(SearchError) as caught:
        await web.search("wire", 5)
    assert str(caught.value) == (
        "No web search answered. tavily: Tavily refused the search: a usage limit or a restriction of the account. "
        "Check its plan. duckduckgo: DuckDuckGo's service failed (HTTP 503). Try again later, or use another search."
    )
    with pytest.raises(SearchError) as again:
        await web.search("rope", 5)
    assert str(again.value) == str(caught.value)
    assert tavily.key not in str(caught.value)


async def test_a_success_forgets_earlier_failures() -> None:
    one = Engine("one")
    web = FailOver([one, Engine("two")], clock=Clock())
    for _ in range(4):
        one.fails = SearchError("down")
        await web.search("wire", 5)
        await web.search("wire", 5)
        one.fails = None
        await web.search("wire", 5)
    assert one.asked == 12
    assert web.resting() == []


async def test_an_empty_answer_is_an_answer() -> None:
    two = Engine("two")
    web = FailOver([Engine("one"), two])
    assert await web.search("wire", 0) == []
    assert two.asked == 0


async def test_a_lone_search_fails_with_its_own_words() -> None:
    one = Engine("one")
    one.fails = SearchRefused("One is tired. Wait.")
    web = FailOver([one], clock=Clock())
    for _ in range(2):
        with pytest.raises(SearchError, match=r"^One is tired\. Wait\.$"):
            await web.search("wire", 5)
    assert one.asked == 1


async def test_without_any_search_it_says_so() -> None:
    with pytest.raises(SearchError, match="There is none"):
        await FailOver([]).search("wire", 5)


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
    one, two = Engine("one"), Engine("two")
    one.gate, one.fails = asyncio.Event(), SearchRefused("Too many.")
    web = FailOver([one, two], at_once=1, clock=Clock())
    searches = [asyncio.create_task(web.search("wire", 5)) for _ in range(5)]
    await asyncio.sleep(0)
    one.gate.set()
    found = await asyncio.gather(*searches)
    assert {hits[0].title for hits in found} == {"two"}
    assert one.asked == 1


def test_one_serves_several_event_loops() -> None:
    one = Engine("one")
    web = FailOver([one], at_once=1)

    async def several() -> list[list[Hit]]:
        return await asyncio.gather(*(web.search("wire", 5) for _ in range(4)))

    assert len(asyncio.run(several())) == 4
    assert len(asyncio.run(several())) == 4
