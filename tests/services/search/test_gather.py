"""Gathering: what providers find becomes one ranking, the same whoever answers first."""

import asyncio
import json
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from services.run.errors import SearchError
from services.run.evidence_store import EvidenceStore
from services.search.documents import open_documents
from services.search.filters import Filters
from services.search.gather import Gathered, gather
from services.search.hit import Hit, HitPassage
from services.search.pool import Pool
from services.search.providers import Providers
from tests.fakes.read_folder import filled, written
from tests.services.text.test_duplicates import ANOTHER, ARTICLE, RELEASE


class Web:
    """A search engine that answers after some turns of the loop."""

    name = "web"

    def __init__(self, *texts: str, turns: int = 0, fails: bool = False) -> None:
        self.texts, self.turns, self.fails = texts, turns, fails

    async def search(self, query: str, limit: int) -> list[Hit]:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        if self.fails:
            raise SearchError("The engine is down. Wait.")
        return [Hit(url=f"https://{text[:4]}.example", title=text[:8], kind="web", text=text) for text in self.texts][
            :limit
        ]


def store() -> EvidenceStore:
    return EvidenceStore(InMemoryStore())


async def found(providers: Providers, *queries: str, evidence: EvidenceStore | None = None) -> Gathered:
    return await gather(queries, providers, evidence=evidence or store(), limit=12)


def test_a_passage_that_several_sources_have_word_for_word_stands_first_once_and_then_last() -> None:
    option = "The option --workspace runs the command in the named workspace alone."
    pages = [f"{one}{one}{one}{one} is a command of the tool.\n\n# Workspace\n\n{option}" for one in "abcd"]
    hits = [
        Hit(
            url=f"https://{page[:4]}.example",
            title=page[:4],
            kind="web",
            text=page,
            passages=[HitPassage(start=page.index("#"), end=len(page))],
        )
        for page in pages
    ]
    last = "The workspace of a carpenter is a bench."
    pool = Pool()
    ranked = pool.rank("workspace", [*hits, Hit(url="https://e.example", title="Bench", kind="web", text=last)])
    assert [key[0] for key in pool.repeats_last(ranked, ["option workspace"])] == [
        key[0] for key in (ranked[0], ranked[-1], *ranked[1:-1])
    ]


async def test_a_section_whose_heading_others_have_is_named_with_the_headings_above_it(tmp_path: Path) -> None:
    releases = [f"## v1.{n}\n\n### Rope\n\n{'Hemp. ' * 90}\n\n### Wire\n\nPiano wire." for n in (1, 2)]
    passages = (await found(Providers(web=[Web("\n\n".join(releases))]), "piano wire")).passages
    assert {(one.text[:8], one.section) for one in passages if one.text.startswith("###")} == {
        ("### Wire", "v1.1"),
        ("### Wire", "v1.2"),
    }


async def test_a_passage_amid_a_table_or_code_has_what_begins_it(tmp_path: Path) -> None:
    rows = [f"| Station {place} | {place * 100} fathoms of wire |" for place in range(200)]
    code = [f"wire_{place} = sound({place * 100})" for place in range(200)]
    page = "\n".join(["| Station | Depth |", "| --- | --- |", *rows, "", "```py", *code, "```", "", "The wire ends."])
    for query, head in (("station fathoms", "| Station | Depth |"), ("wire sound", "```py")):
        passages = (await found(Providers(web=[Web(page)]), query)).passages
        amid = [one for one in passages if one.text.startswith(("| Station ", "wire_")) and one.start > 0]
        assert amid
        assert head in {one.above for one in amid}
        assert all(one.above == ("```py" if one.text.startswith("wire_") else "| Station | Depth |") for one in amid)


async def test_records_of_one_file_leave_room_for_other_files_but_the_one_that_is_asked_for_stays(
    tmp_path: Path,
) -> None:
    detail = " ".join(f"clause{number}" for number in range(60))
    options = [f"{verb} distributing the tool with the runtime: {detail}" for verb in ("stop", "keep")]
    ballots = {f"voter{place}": dict.fromkeys(options, place) for place in range(150)}
    minutes = "# Minutes\n\nSome think that the tool confuses people, who then blame the runtime."
    files = {"vote.json": json.dumps({"votes": ballots}, indent=2), "minutes.md": minutes}
    providers = Providers(documents=[await open_documents(filled(tmp_path / "folder", files), tmp_path / "home")])
    titles = (await found(providers, "stop distributing the tool with the runtime")).titles
    assert titles == ["vote.json", "Minutes"]
    passages = (await found(providers, "voter31 keep distributing the tool")).passages
    assert "voter31" in passages[0].text


async def test_a_failing_provider_is_named_once_and_the_others_count() -> None:
    result = await found(Providers(web=[Web(fails=True), Web("Piano wire is thin.")]), "wire", "rope")
    assert result.failures == ["The engine is down. Wait."]
    assert [one.text for one in result.passages] == ["Piano wire is thin."]


async def test_a_page_in_english_is_found_by_a_chinese_query_at_the_passage_that_answers_it() -> None:
    asides = [f"{thing} have a long history of their own. " * 12 for thing in ("Harbours", "Museums", "Lighthouses")]
    answer = "The speed of sound in water depends on temperature and salinity. " * 8
    page = "\n\n".join([*asides, answer, "Ministries paid for some of the voyages. " * 12])
    result = await gather(["声音在水中的速度取决于温度和盐度"], Providers([Web(page)]), evidence=store(), limit=1)
    assert [one.text[:14] for one in result.passages] == ["The speed of s"]


async def test_a_result_whose_page_was_not_read_and_that_has_no_text_is_no_source() -> None:
    class Linked(Web):
        async def search(self, query: str, limit: int) -> list[Hit]:
            unread = Hit(url="https://other.example", title="Other", kind="web", text="", snippet_only=True)
            return [*await super().search(query, limit), unread]

    result = await found(Providers([Linked("The wire sank to the bottom of the sea.")]), "wire")
    assert [source.url for source in result.sources.values()] == ["https://The .example"]
    assert [one.text for one in result.passages] == ["The wire sank to the bottom of the sea."]


async def test_the_order_of_answers_does_not_change_the_ranking() -> None:
    def engines(slow: int, quick: int) -> Providers:
        return Providers(web=[Web("Wire A.", "Wire B.", turns=slow), Web("Wire C.", "Wire B.", turns=quick)])

    one, other = await found(engines(9, 0), "wire"), await found(engines(0, 9), "wire")
    assert one.passages == other.passages
    assert one.passages[0].text == "Wire B."


LEADING_ON = {
    "a name, by what is still asked": (
        {
            "Ivo Hartmann": "Ivo Hartmann wrote the opera The Salt Road. He lived beside a lake.",
            "Clara Weiss": "Clara Weiss, a cellist, was married to Ivo Hartmann for thirty years.",
            "Salt": "Salt was carried along a road over the mountains. The opera house stood at its end.",
            "Weddings": "People married young in the mountains. Who was married to whom was written into a book.",
        },
        "The opera {} was played in the wood and at the lake.",
        "To whom was the composer of The Salt Road married?",
        "Clara Weiss",
    ),
    "a rare name in what is asked about, without a word of the question": (
        {
            "The Salt Road": "The Salt Road is an opera by Ivo Hartmann, first played in a hall beside a lake.",
            "Clara Weiss": "Clara Weiss, a cellist from Basel, was the mother of Ivo Hartmann.",
            "Lake fishing": "Fishing in a lake needs patience. Nobody is asked where he was born.",
        },
        "Salt was carried along the road, and a citizen of which country carried it.",
        "Of which country was the composer of The Salt Road a citizen?",
        "Clara Weiss",
    ),
    "a name of one word": (
        {
            "The Salt Road": "The Salt Road is an opera, first played in a barn at Kaltenbach beside a lake.",
            "A long winter": "Snow fell on Kaltenbach until May, and the mayor had the bridge closed.",
            "Bridges": "A bridge is closed where its mayor says so. Most bridges are open.",
        },
        "The opera of a salt road, first played where a mayor closed bridge {}.",
        "Who closed the bridge where the opera The Salt Road was first played?",
        "A long winter",
    ),
}


@pytest.mark.parametrize("name", LEADING_ON)
async def test_a_name_leads_on_to_the_passage_that_answers(name: str, tmp_path: Path) -> None:
    texts, other, question, answer = LEADING_ON[name]
    texts = texts | {f"Road {place}": other.format(place) for place in range(12)}
    folder = written(tmp_path / "lives", texts)
    providers = Providers(documents=[await open_documents(folder, tmp_path / "home")])
    assert answer in [one.title for one in (await found(providers, question)).passages][:3]
    plain = await found(providers, "Of which country was who carried salt along a road a citizen?")
    assert answer not in [one.title for one in plain.passages]


def test_a_copy_that_is_found_first_brings_the_passages_of_what_it_copies() -> None:
    crew = "## Crew\n\n" + "Two men sat in the cold sphere with a few bars of chocolate between them. " * 10
    depth = "## Depth\n\n" + "The gauge at the bottom read 10,916 metres, corrected for salinity. " * 10
    original = f"# The dive\n\n{crew}\n\n{depth}"
    for edited in (depth, depth.replace("bottom read", "bottom showed")):
        copy = f"# The bathyscaphe Trieste\n\n{crew}\n\n{edited}\n\nReprinted with permission."
        pool = Pool()
        places = [(copy, crew), (original, depth), (original, crew)]
        keys = [key for text, part in places for key in pool.rank("", [_hit(text, part)])]
        originals, once = pool.without_copies(keys)
        assert set(originals.values()) == {keys[0][0]}
        assert [key[0] for key in once] == [keys[0][0]] * 2
        assert pool.text(once[0]).strip() == crew.strip()
        assert pool.text(once[1]).startswith(edited.strip())


def _hit(text: str, part: str) -> Hit:
    start = text.index(part)
    return Hit(
        url="file:one",
        title="One",
        kind="document",
        text=text,
        passages=[HitPassage(start=start, end=start + len(part))],
    )


async def test_an_article_made_of_a_release_is_its_copy_and_keeps_what_it_adds() -> None:
    pages = {"a.example": ARTICLE, "b.example": RELEASE, "c.example": ANOTHER}
    hits = [Hit(url=f"https://{host}/", title=host, kind="web", text=text) for host, text in pages.items()]

    class Engine:
        name = "engine"

        async def search(self, query: str, limit: int) -> list[Hit]:
            return [hits[1], hits[0], hits[2]]

    result = await found(Providers(web=[Engine()]), "heat pumps of Vell, terns on the breakwater")
    by_title = {source.title: source for source in result.sources.values()}
    assert by_title["a.example"].duplicate_of == by_title["b.example"].content_hash
    assert by_title["c.example"].duplicate_of is None
    assert any("terns" in one.text and one.title == "a.example" for one in result.passages)


@pytest.mark.parametrize(("after", "led_to"), [("", True), ("2020-01-01", False)], ids=["any time", "from 2020 on"])
async def test_a_name_leads_to_no_document_of_another_time(tmp_path: Path, after: str, led_to: bool) -> None:
    told = {
        "Lalla Rookh": (2021, "The schooner Lalla Rookh was owned by William Thomson, who raced her in the Clyde."),
        "William Thomson": (2012, "He was born in Belfast, and read mathematics as a boy."),
        **{f"Number {at}": (2021, f"The schooner Number {at} was owned by the harbour of Vell.") for at in range(9)},
    }
    form = "---\ntitle: {}\ndate: {}-05-01\n---\n\n{}\n"
    files = {f"{title}.md": form.format(title, year, text) for title, (year, text) in told.items()}
    folder = filled(tmp_path / "papers", files)
    result = await gather(
        ["Where was the owner of the schooner Lalla Rookh born?"],
        Providers(documents=[await open_documents(folder, tmp_path / "home")]),
        evidence=store(),
        limit=12,
        filters=Filters.of(after=after),
    )
    assert any("Belfast" in passage.text for passage in result.passages) is led_to


async def test_sources_that_a_question_names_by_their_numbers_are_found(tmp_path: Path) -> None:
    head = "PEP: {0}\nTitle: On the harbour of Vell {0}\nStatus: Final\n\nAbstract\n========\n\n"
    lists, others = "It lists the titles of PEPs 533, 533 and 533.\n", "It is about ships, carts and lamps.\n" * 9
    proposals = {f"pep-{n:04}.rst": head.format(n) + (lists if n > 533 else others) for n in range(501, 541)}
    folder = filled(tmp_path / "proposals", proposals)
    result = await gather(
        ["List PEPs 517, 518 and 533 with their titles"],
        Providers(documents=[await open_documents(folder, tmp_path / "home")]),
        evidence=store(),
        limit=3,
    )
    numbers = {source.card.name for source in result.sources.values()}
    assert {"PEP 517", "PEP 518", "PEP 533"} <= numbers
