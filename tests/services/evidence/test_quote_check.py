"""Quotes that stand in no passage are rejected; the model hears of it once, when what is left does not carry its finding."""

import pytest

from schemas.evidence import Passage
from schemas.researcher import Findings, ResearcherPrompt
from services.evidence.quote_check import QuoteCheck, ask_quoting, verified_excerpts
from services.run.errors import ModelError
from tests.fakes.openai_server import OpenAIServer, error

TEXT = "Wire replaced the hemp line. It was tried first in the Bay of Biscay. 钢丝取代了麻绳。"
PASSAGES = [
    Passage(id="P1", content_hash="a", title="Wire", start=100, end=100 + len(TEXT), text=TEXT),
    Passage(id="P2", content_hash="b", title="Tallow", start=0, end=30, text="Tallow was pressed into the lead."),
]
PROMPT = ResearcherPrompt(
    question="What replaced the hemp line?",
    locale="en-US",
    title="Wire",
    description="What replaced the hemp line",
    queries=["Wire replaced the hemp line"],
    feedback="",
    findings=[],
    passages=PASSAGES,
)
GOOD, OTHER, INVENTED = "Wire replaced the hemp line.", "钢丝取代了麻绳。", "Silk replaced the wire in 1901."


def findings(*quotes: str, passage: str = "P1") -> Findings:
    return Findings.model_validate(
        {"excerpts": [{"passage_id": passage, "quote": quote} for quote in quotes], "finding": f"{len(quotes)} quotes"}
    )


def test_a_quote_becomes_the_stored_text_with_its_place_in_the_source() -> None:
    [one, two] = verified_excerpts(findings("wire replaced  the hemp line", OTHER, INVENTED, OTHER), PASSAGES, "3")
    assert (one.id, one.content_hash, one.quote, one.start) == ("E3-1", "a", GOOD[:-1], 100)
    assert (two.id, two.quote, two.end) == ("E3-2", OTHER, 100 + len(TEXT))


@pytest.mark.parametrize("named", ["P2", "P1", "P9"])
def test_a_quote_belongs_to_the_source_whose_text_it_is_whatever_passage_it_names(named: str) -> None:
    assert [one.content_hash for one in verified_excerpts(findings("Tallow was pressed", passage=named), PASSAGES)] == [
        "b"
    ]


async def test_the_model_hears_once_which_quotes_were_rejected(endpoint: OpenAIServer) -> None:
    endpoint.script["researcher"] = [findings(INVENTED).model_dump_json(), findings(GOOD).model_dump_json()]
    answer = await ask_quoting(PROMPT, PASSAGES)
    assert [one.quote for one in verified_excerpts(answer, PASSAGES, "1")] == [GOOD]
    first, second = endpoint.requests
    assert len(first["messages"]) == 2
    assert INVENTED in second["messages"][-1]["content"]
    assert "character by character" in second["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("quotes", "calls"),
    [
        ((GOOD,), 1),
        ((), 1),
        ((GOOD, OTHER, INVENTED), 1),
        ((GOOD, INVENTED), 2),
        ((INVENTED,), 2),
    ],
)
async def test_one_call_is_the_rule_and_half_of_the_quotes_rejected_the_exception(
    endpoint: OpenAIServer, quotes: tuple[str, ...], calls: int
) -> None:
    endpoint.script["researcher"] = [findings(*quotes).model_dump_json(), findings(OTHER).model_dump_json()]
    await ask_quoting(PROMPT, PASSAGES)
    assert len(endpoint.requests) == calls


async def test_the_second_answer_counts_whatever_is_rejected_of_it(endpoint: OpenAIServer) -> None:
    second = findings(INVENTED, "Hemp was dear.", OTHER)
    endpoint.script["researcher"] = [findings(INVENTED).model_dump_json(), second.model_dump_json()]
    assert await ask_quoting(PROMPT, PASSAGES) == second
    assert len(endpoint.requests) == 2


async def test_a_second_answer_without_a_good_quote_does_not_take_away_those_of_the_first(
    endpoint: OpenAIServer,
) -> None:
    first = findings(GOOD, INVENTED)
    endpoint.script["researcher"] = [first.model_dump_json(), findings(INVENTED).model_dump_json()]
    assert await ask_quoting(PROMPT, PASSAGES) == first


async def test_good_quotes_survive_when_the_second_call_fails(endpoint: OpenAIServer) -> None:
    first = findings(GOOD, INVENTED)
    endpoint.script["researcher"] = [first.model_dump_json(), error(401, "No more.", "invalid_api_key")]
    assert await ask_quoting(PROMPT, PASSAGES) == first
    endpoint.script["researcher"] = [findings(INVENTED).model_dump_json(), error(401, "No more.", "invalid_api_key")]
    with pytest.raises(ModelError):
        await ask_quoting(PROMPT, PASSAGES)


def test_a_long_list_of_rejected_quotes_is_told_in_short() -> None:
    with pytest.raises(ValueError, match="20 of the quotes") as raised:
        QuoteCheck(PASSAGES)(findings(*[f"{'x' * 500}{place}" for place in range(20)]))
    assert len(str(raised.value)) < 1_500
