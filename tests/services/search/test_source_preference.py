"""Preferred sources come up a little; what has neither date nor site nor kind keeps its order."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import SourceCategory
from services.run.evidence_store import EvidenceStore
from services.search import source_preference
from services.search.filters import Filters
from services.search.gather import Gathered, gather
from services.search.hit import Hit
from services.search.providers import Providers
from services.search.source_preference import PER_SITE, Preference
from tests.conftest import PROJECT

TODAY = date(2026, 11, 23)
DATED, TIMELESS = "Who leads the harbour office of Vell now?", "Who founded the harbour office of Vell?"


def hit(name: str, **fields: Any) -> Hit:
    return Hit(**{"url": f"https://{name}.example.org/", "title": name, "kind": "web", "text": name, **fields})


def order(question: str, *hits: Hit, source_kind: SourceCategory = "general") -> list[str]:
    by_title = {one.title: one for one in hits}
    ranked = [one.title for one in hits]
    return Preference.of(question, TODAY, source_kind).ordered(ranked, by_title.__getitem__)


def test_what_tells_nothing_of_itself_keeps_its_order() -> None:
    hits = [Hit(url=f"docs/{place}.md", title=str(place), kind="document", text="x") for place in range(200, 0, -1)]
    for question in (DATED, TIMELESS, "2023年全国人口", "the latest news"):
        assert order(question, *hits, source_kind="official") == [one.title for one in hits]


PLAIN = [hit(name) for name in "abcd"]
ORDERS: dict[str, tuple[str, SourceCategory, list[Hit], list[str]]] = {
    "a recent source": (
        DATED,
        "general",
        [hit("old", published="2011"), hit("plain"), hit("new", published="2026-10-01")],
        ["old", "new", "plain"],
    ),
    "none of the future": (DATED, "general", [hit("plain"), hit("future", published="2031-01-01")], ["plain", "future"]),
    "no date where none is asked for": (
        TIMELESS, "general", [hit("plain"), hit("new", published="2026-10-01")], ["plain", "new"]
    ),
    "what is of the year that is asked about": (
        "How many members had it in 2021?",
        "general",
        [hit("later", published="2025"), hit("before", published="2015"), hit("then", published="2021-05")],
        ["later", "then", "before"],
    ),
    "a public body": (DATED, "general", [*PLAIN, hit("body", url="https://www.vell.gov/office")], ["a", "b", "c", "body", "d"]),
    "what the question names": (
        "What is the latest machine of Nordwerk?",
        "general",
        [*PLAIN, hit("maker", url="https://nordwerk.com/about")],
        ["a", "b", "c", "maker", "d"],
    ),
    "the wanted kind": (
        TIMELESS, "news", [*PLAIN[:3], hit("report", url="https://news.example.org/1")], ["a", "b", "report", "c"]
    ),
    "no other kind": (
        TIMELESS, "academic", [*PLAIN[:3], hit("report", url="https://news.example.org/1")], ["a", "b", "c", "report"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_what_comes_up(name: str) -> None:
    question, kind, hits, wanted = ORDERS[name]
    assert order(question, *hits, source_kind=kind) == wanted


def test_a_kind_weighs_by_itself_whatever_the_question() -> None:
    for address in ("https://arxiv.org/abs/1", "https://stats.gov.cn/1", "https://en.wikipedia.org/wiki/Wire"):
        assert order(TIMELESS, *PLAIN, hit("up", url=address)) == ["a", "b", "c", "up", "d"]
    for address in ("https://www.reddit.com/r/1", "https://shop.example.org/wire", "https://bob.substack.com/p/1"):
        many = [hit(str(place)) for place in range(50)]
        assert order(TIMELESS, hit("first", url=address), *PLAIN)[0] == "first"
        assert order(TIMELESS, *many[:44], hit("down", url=address), *many[44:]).index("down") == 45


def test_what_a_page_says_of_itself_takes_it_down_and_never_up() -> None:
    preference = Preference.of(TIMELESS, TODAY)
    assert preference.lift(hit("claims", source_kind="academic")) == 0
    assert preference.lift(hit("says", source_kind="personal")) < 0
    assert preference.lift(hit("says", url="https://arxiv.org/abs/1", source_kind="personal")) < 0


def test_a_kind_that_the_user_prefers_comes_up_further_than_any_other_and_loses_its_malus() -> None:
    by_title = {one.title: one for one in [*(hit(str(place)) for place in range(9)), hit("f", source_kind="forum")]}
    preferred = Preference.of(TIMELESS, TODAY, preferred=["forum"]).ordered(list(by_title), by_title.__getitem__)
    assert preferred.index("f") == 3
    assert Preference.of(TIMELESS, TODAY, preferred=["news"]).ordered(list(by_title), by_title.__getitem__)[-1] == "f"


def test_a_lift_is_bounded() -> None:
    plain = [hit(str(place)) for place in range(1, 30)]
    best = hit("best", url="https://vell.gov/news", published="2026-11-01")
    assert order(DATED, *plain[:9], best, source_kind="official").index("best") >= 4


class Engine:
    """A search engine that finds given pages."""

    name = "engine"

    def __init__(self, *hits: Hit) -> None:
        self.hits = list(hits)

    async def search(self, query: str, limit: int) -> list[Hit]:
        return self.hits[:limit]


async def gathered(*hits: Hit, limit: int) -> Gathered:
    store = EvidenceStore(InMemoryStore())
    return await gather(["piano wire"], Providers(web=[Engine(*hits)]), evidence=store, limit=limit, hits=30)


def pages(domain: str, count: int) -> list[Hit]:
    facts = ["hemp", "sledges", "brass", "tallow", "drums", "brakes", "Kelvin", "soundings", "Azores", "steel"]
    return [
        Hit(
            url=f"https://{domain}/{place}",
            title=f"{domain} {place}",
            kind="web",
            text=f"Piano wire took the place of {facts[place]} in the year 18{place}{place} says {domain}.",
        )
        for place in range(count)
    ]


@pytest.mark.parametrize(
    ("domain", "others", "most"),
    [("blog.example.com", "a.org b.org c.org", PER_SITE), ("arxiv.org", "a.org b.org c.org", 8), ("a.org", "", 8)],
    ids=["of one owner", "where many publish", "alone"],
)
async def test_pages_of_one_site_take_turns_with_others(domain: str, others: str, most: int) -> None:
    first = pages(domain, 9)
    found = await gathered(*first, *(one for name in others.split() for one in pages(name, 1)), limit=8)
    of_first = [one for one in found.passages if domain.endswith(one.site) or one.site == domain]
    assert len(found.passages) == 8
    assert len(of_first) == most


async def test_passages_and_sources_tell_site_kind_and_date() -> None:
    page = pages("stats.gov.cn", 1)[0].model_copy(update={"published": "2024-03-12"})
    found = await gathered(page, limit=3)
    [passage], [source] = found.passages, found.sources.values()
    assert (passage.site, passage.source_kind, passage.published) == ("stats.gov.cn", "official", "2024-03-12")
    assert (source.site, source.source_kind, source.published) == ("stats.gov.cn", "official", "2024-03-12")


async def test_kinds_that_are_left_out_are_in_no_passage_whoever_found_them() -> None:
    forum, blog = hit("f", url="https://www.reddit.com/r/1"), hit("b", source_kind="personal")
    document = Hit(url="docs/reddit.md", title="d", kind="document", text="Piano wire in a document.")
    found = await gather(
        ["piano wire"],
        Providers(web=[Engine(forum, hit("a"), blog, document)]),
        evidence=EvidenceStore(InMemoryStore()),
        limit=9,
        filters=Filters.of(kinds=["forum", "personal"]),
    )
    assert [one.title for one in found.passages] == ["a", "d"]


async def test_kinds_that_are_preferred_come_up_in_what_is_gathered() -> None:
    pages = [hit(str(place), text=f"Piano wire, page {place}.") for place in range(8)]
    wiki = hit("w", url="https://en.wikipedia.org/wiki/Wire", text="Piano wire, as told.")
    store = EvidenceStore(InMemoryStore())
    web = Providers(web=[Engine(*pages, wiki)])
    found = await gather(["piano wire"], web, evidence=store, limit=9, preferred=["reference"])
    assert [one.title for one in found.passages].index("w") == 2


def test_the_guide_names_each_weight_as_it_is() -> None:
    table = re.findall(
        r"\| ([^|]+) \| `([A-Z_]+)` \| (-?\d+) % \|", (PROJECT / "docs" / "search.md").read_text("utf-8")
    )
    assert {name for _, name, _ in table} == {"PREFERRED", "OF_KIND", "PRIMARY", "BY_KIND", "RECENT"}
    for what, name, share in table:
        weight = getattr(source_preference, name)
        kinds = [kind for kind in weight if kind in what.split(", ")] if isinstance(weight, Mapping) else []
        for held in [weight[kind] for kind in kinds] if kinds else [weight]:
            assert held == pytest.approx(int(share) / 100)
