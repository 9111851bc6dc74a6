"""What the offline model makes of a follow-up: which words stood for what, and whether what is known answers it."""

import pytest

from schemas.coordinator import CoordinatorPrompt, Triage, Turn
from schemas.evidence_view import EvidenceView
from tests.services.models.offline.prompts_of import ask

KEEPER = (
    "Who built the lighthouse at Skerryvore?",
    "**TL;DR** The lighthouse at Skerryvore was built by Alan Stevenson aboard the tender Pharos Star.",
)
DIVES = (
    "How many soundings did the Meteor take in the South Atlantic, and how deep did the bathyscaphe Trieste dive?",
    "**TL;DR** The Meteor took 67,400 soundings. The gauge came to 10,916 metres.",
)
LAMP = ("离焦框架镜的有效率是多少？", "**TL;DR** 离焦框架镜使近视进展减缓52%。")
KNOWN = (
    "Alan Stevenson was born in Edinburgh in 1807.",
    "The tower at Skerryvore is 48 metres tall.",
    "离焦框架镜每天至少戴12小时，效果才稳定。",
)


def follow(question: str, before: tuple[str, str], *, asked_back: str = "") -> Triage:
    turns = [Turn(role="user", text=before[0]), Turn(role="assistant", text=before[1])]
    known = [EvidenceView(id=f"E0-{place}", title="Lights", quote=quote) for place, quote in enumerate(KNOWN, 1)]
    prompt = CoordinatorPrompt(
        question=question, conversation=turns, profile=None, locale="auto", known=known, asked_back=asked_back
    )
    return ask(prompt, Triage)


@pytest.mark.parametrize(
    ("question", "before", "whole"),
    [
        ("Where was he born?", KEEPER, "Where was Alan Stevenson born?"),
        ("And what was his father's trade?", KEEPER, "What was Alan Stevenson’s father's trade?"),
        ("What about the lighthouse at Bell Rock?", KEEPER, "Who built the lighthouse at Bell Rock?"),
        ("How long did its ascent take?", DIVES, "How long did Trieste’s ascent take?"),
        ("它每天要戴多久？", LAMP, "离焦框架镜每天要戴多久？"),
        ("那角膜塑形镜呢？", LAMP, "角膜塑形镜的有效率是多少？"),
        ("为什么？", LAMP, "为什么 (离焦框架镜)？"),
    ],
)
def test_what_was_left_out_is_filled_in(question: str, before: tuple[str, str], whole: str) -> None:
    answer = follow(question, before)
    assert answer.question == whole
    assert answer.rewritten
    assert answer.rewriting


@pytest.mark.parametrize(
    "question",
    [
        "Who painted the ship that first carried the lamp?",
        "When was Robert Stevenson born and where did he die?",
        "And why was granite better than brick for a tower in the sea?",
        "户外活动每天要多久才能预防近视？",
    ],
)
def test_a_question_that_stands_alone_is_left_alone(question: str) -> None:
    answer = follow(question, KEEPER)
    assert (answer.question, answer.rewritten, answer.rewriting) == (question, False, "")


@pytest.mark.parametrize(
    ("question", "before", "answered", "missing"),
    [
        ("Where was he born?", KEEPER, "whole", []),
        ("它每天要戴多久？", LAMP, "whole", []),
        ("Where was Alan Stevenson born, and how much did it weigh?", KEEPER, "part", ["how much did it weigh"]),
        ("What was his father's trade?", KEEPER, "no", []),
        ("它的价格是多少？", LAMP, "no", []),
        ("两者有什么区别？", LAMP, "no", []),
        ("Why?", KEEPER, "no", []),
    ],
)
def test_only_what_an_excerpt_tells_counts_as_known(
    question: str, before: tuple[str, str], answered: str, missing: list[str]
) -> None:
    answer = follow(question, before)
    assert (answer.answered, answer.missing) == (answered, missing)


def test_an_answer_to_a_clarifying_question_is_put_together_with_it() -> None:
    assert follow("浓度和副作用", LAMP, asked_back="阿托品").question == "浓度和副作用 (阿托品)？"
