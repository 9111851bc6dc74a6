"""Reports by rules in sections: all that was quoted, by the outline, within its words, and nothing said twice."""

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import OutlineNode
from schemas.reporter import ReporterPrompt
from services.models.offline.ranked_sentences import alike
from services.models.offline.repeated_sentences import SaidOnce
from services.models.offline.reports import report
from services.reports.outline import sections_of
from services.text.tokens import tokens
from services.text.word_count import words_in

WORDS = "keel mast anchor rope tallow lead wire depth fathom sample shoal harbour pilot chart beacon current".split()
NUMBERS = st.sampled_from(["", "1872", "1873"])
TEXTS = st.lists(st.builds(lambda chosen, number: " ".join([*chosen, number]), st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), NUMBERS), max_size=12)  # fmt: skip


ONE_EACH = [
    OutlineNode(id="1", title="One", excerpt_ids=["E1-1"]),
    OutlineNode(id="2", title="Two", excerpt_ids=["E1-2"]),
]
"""Two sections with an excerpt each."""


def excerpt(key: str, quote: str, relevance: str = "medium") -> EvidenceView:
    return EvidenceView(id=key, title=f"Source {key}", relevance=relevance, quote=quote)


def prompt(
    evidence: list[EvidenceView], nodes: list[OutlineNode], words: int = 0, question: str = ""
) -> ReporterPrompt:
    findings = [FindingView(step_id="1", title="Step", status="done", evidence=evidence)]
    return ReporterPrompt(
        question=question or "What is told of ships?",
        locale="zh-CN" if question else "en-US",
        today="2026-01-01",
        length="standard",
        words=words,
        tone="",
        findings=findings,
        background=[],
        contradictions=[],
        outline=sections_of(nodes, findings),
        missing_aspects=[],
    )


def many(count: int) -> list[EvidenceView]:
    dice = random.Random(7)  # noqa: S311 - words in some order, always the same
    quotes = [f"The {' '.join(dice.choices(WORDS, k=12))} of voyage {number}." for number in range(count)]
    return [excerpt(f"E1-{number}", quote) for number, quote in enumerate(quotes)]


def test_sections_and_parts_hold_what_was_quoted_for_them() -> None:
    evidence = [
        excerpt("E1-1", "The lead was armed with tallow."),
        excerpt("E1-2", "Hemp ropes were replaced by wire."),
        excerpt("E1-3", "A chart shows each depth."),
    ]
    nodes = [
        OutlineNode(id="1", title="The lead", excerpt_ids=["E1-1"]),
        OutlineNode(id="1.1", title="The line", parent="1", excerpt_ids=["E1-2"]),
        OutlineNode(id="2", title="Charts", excerpt_ids=["E1-3"]),
    ]
    text = report(prompt(evidence, nodes))
    told = text[text.index("## The lead") :]
    assert told == (
        "## The lead\n\nThe lead was armed with tallow [E1-1].\n\n### The line\n\nHemp ropes were replaced by wire [E1-2].\n\n"
        "## Charts\n\nA chart shows each depth [E1-3]."
    )


def test_chinese_sections_hold_what_was_quoted() -> None:
    evidence = [excerpt("E1-1", "测深锤底部涂有牛脂。"), excerpt("E1-2", "钢琴线取代了麻绳。")]
    nodes = [
        OutlineNode(id="1", title="测深锤", excerpt_ids=["E1-1"]),
        OutlineNode(id="2", title="测深索", excerpt_ids=["E1-2"]),
    ]
    text = report(prompt(evidence, nodes, question="历史上怎样测量海深？"))
    assert (
        text[text.index("## 测深锤") :]
        == "## 测深锤\n\n测深锤底部涂有牛脂 [E1-1]。\n\n## 测深索\n\n钢琴线取代了麻绳 [E1-2]。"
    )


def test_all_that_was_quoted_stands_in_a_report_whose_words_are_not_bounded() -> None:
    evidence = many(120)
    nodes = [OutlineNode(id=str(one), title=f"Topic {one}", excerpt_ids=[item.id for item in evidence[one::8]]) for one in range(8)]  # fmt: skip
    text = report(prompt(evidence, nodes))
    quoted = {key for item in evidence for key in [item.id] if f"[{item.id}]" in text}
    assert len(quoted) == len({item.quote for item in evidence})


def test_where_words_are_too_few_each_section_tells_the_most_relevant() -> None:
    evidence = many(40)
    evidence[39] = evidence[39].model_copy(update={"relevance": "high"})
    nodes = [
        OutlineNode(id="1", title="First half", excerpt_ids=[item.id for item in evidence[:20]]),
        OutlineNode(id="2", title="Second half", excerpt_ids=[item.id for item in evidence[20:]]),
    ]
    text = report(prompt(evidence, nodes, words=100))
    told = text[text.index("## First half") :]
    assert words_in(told) <= 110
    first, second = told.split("## Second half")
    assert len(re.findall(r"\[E", first)) == len(re.findall(r"\[E", second)) == 3
    assert "[E1-39]" in second


def test_the_same_statement_of_two_sources_is_told_once() -> None:
    evidence = [
        excerpt("E1-1", "The lead was armed with tallow."),
        excerpt("E1-2", "The lead was armed with tallow"),
    ]
    told = report(prompt(evidence, ONE_EACH)).partition("## One")[2]
    assert told.count("armed with tallow") == 1


def test_a_quote_that_says_more_than_an_earlier_one_is_told_without_what_was_said() -> None:
    evidence = [
        excerpt("E1-1", "The lead was armed with tallow."),
        excerpt("E1-2", "The lead was armed with tallow. Pilots told sand from shell by the sample."),
    ]
    told = report(prompt(evidence, ONE_EACH)).partition("## One")[2]
    assert told.count("armed with tallow") == 1
    assert "sand from shell by the sample [E1-2]" in told


def test_what_two_steps_found_alike_is_shared_by_their_sections() -> None:
    quotes = ["The lead was armed with tallow.", "Hemp ropes were replaced by wire.", "A chart shows each depth."]
    first = [excerpt(f"E1-{place}", quote) for place, quote in enumerate(quotes, 1)]
    second = [excerpt(f"E2-{place}", quote) for place, quote in enumerate(reversed(quotes), 1)]
    nodes = [
        OutlineNode(id="1", title="One", excerpt_ids=[item.id for item in first]),
        OutlineNode(id="2", title="Two", excerpt_ids=[item.id for item in second]),
    ]
    shown = [item.model_copy(update={"title": "Source"}) for item in [*first, *second]]
    one, two = report(prompt(shown, nodes)).partition("## One")[2].split("## Two")
    assert ("[E1-1]" in one, "[E2-1]" in two) == (True, True)
    assert (one + two).count("[E") == len(quotes)


def test_a_quoted_table_stays_a_table_and_rows_that_nothing_heads_are_left_out() -> None:
    evidence = [
        excerpt(
            "E1-1",
            "# Ships\nShips sounded:\n- by lead;\n- by wire.\n| Ship | Depth |\n| --- | --- |\n| Blake | 3,750 m |",
        ),
        excerpt("E1-2", "| Takuyo | 10,924 m |\nTakuyo,1984,Pacific,5973,10924,multibeam"),
    ]
    nodes = [OutlineNode(id="1", title="Ships", excerpt_ids=["E1-1", "E1-2"])]
    told = report(prompt(evidence, nodes)).partition("## Ships\n\n")[2]
    assert (
        told == "Ships sounded: by lead; by wire [E1-1].\n\n| Ship | Depth |\n| --- | --- |\n| Blake | 3,750 m [E1-1] |"
    )


def test_what_a_step_found_has_no_heading_that_names_what_it_does_not_tell() -> None:
    found = {"Sounding ships": "The ship Takuyo sounded the trench.", "Harbour of Sumner": "The harbour has oak piers."}
    findings = [
        FindingView(step_id=str(place), title=title, status="done", evidence=[excerpt(f"E{place}-1", quote)])
        for place, (title, quote) in enumerate(found.items(), 1)
    ]
    changes = {"question": "Which ship sounded?", "findings": findings, "length": "full"}
    asked = prompt([], []).model_copy(update=changes)
    told = report(asked)
    assert "## Sounding ships" in told
    assert "Sumner" not in told
    assert "oak piers [E2-1]" in told


def test_a_report_in_sections_answers_once_and_says_where_no_single_sentence_does() -> None:
    evidence = [*many(11), excerpt("E1-99", "The keel rests on blocks of oak.")]
    nodes = [OutlineNode(id="1", title="Ships", excerpt_ids=[item.id for item in evidence])]
    text = report(prompt(evidence, nodes))
    opening = text.partition("## Ships")[0]
    assert "do not answer this in a single sentence" in opening
    assert "## Conclusion" not in text


def says(earlier: str, text: str) -> bool:
    """Tell whether an earlier text says all of another one: alike, and no shorter in what they share."""
    shared = set(tokens(earlier)) & set(tokens(text))
    return alike(text, earlier) and len(shared) >= 0.8 * len(set(tokens(text)))


@given(texts=TEXTS)
def test_saying_once_finds_what_comparing_all_texts_with_each_other_finds(texts: list[str]) -> None:
    said, kept = SaidOnce(texts), list[str]()
    for text in texts:
        new = not any(says(earlier, text) for earlier in kept)
        assert said.is_new(text) == new
        if new:
            kept.append(text)


def test_a_long_report_leaves_what_says_little_on_the_question_to_the_evidence() -> None:
    near = [
        excerpt(f"E1-{n}", f"Piano wire of gauge {n} carried the sounding lead of vessel {n}.", "low")
        for n in range(12)
    ]
    far = [excerpt(f"E1-{n}", f"Harbour pilots of port {n} wore wire buttons.", "high") for n in range(12, 24)]
    nodes = [
        OutlineNode(id=str(n), title=f"Part {n}", excerpt_ids=[f"E1-{k}" for k in range(n, 24, 2)]) for n in (0, 1)
    ]
    asked = prompt([*far, *near], nodes).model_copy(update={"question": "Which piano wire carried the sounding lead?"})
    told = report(asked)
    assert all(f"[{item.id}]" in told for item in near)
    assert not any(f"[{item.id}]" in told for item in far)
    whole = report(asked.model_copy(update={"length": "full"}))
    assert all(f"[{item.id}]" in whole for item in [*near, *far])
    words = 2 * sum(words_in(item.quote) for item in near)
    longer = report(asked.model_copy(update={"length": "full", "words": words}))
    assert all(f"[{item.id}]" in longer for item in near)
    assert abs(words_in(longer.partition("## ")[2]) - words) < 0.2 * words


def test_a_section_on_what_was_computed_is_left_to_the_opening() -> None:
    evidence = [
        excerpt("E1-1", "The total of depth is 400."),
        excerpt("E1-2", "A lead of the harbour is kept in a box."),
    ]
    evidence[0].kind, evidence[0].title = "computation", "Computation over harbour.csv: total of depth in the table"
    nodes = [
        OutlineNode(id="1", title="Total of depth in the table", excerpt_ids=["E1-1"]),
        OutlineNode(id="2", title="The lead", excerpt_ids=["E1-2"]),
    ]
    text = report(prompt(evidence, nodes))
    assert "## Total" not in text
    assert text.count("total of depth is 400") == 1
    assert "## The lead" in text
