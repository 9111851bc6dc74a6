"""What is measured of a report: facts, gold sources by stage, criteria, sentences, sources."""

import pytest

from leadline.evaluation.gold import gold_among, names_of, states
from leadline.evaluation.measures import figures_of, figures_of_nothing, repeated
from leadline.evaluation.question_set import EvalQuestion
from leadline.runs.store import Gatherings
from schemas.evidence import Claim, Excerpt, Passage, Source
from schemas.publication import Publication
from schemas.reporter import Report

SOURCES = [
    Source(content_hash="a", url="papers/oil.md", title="Oil", kind="document"),
    Source(content_hash="b", url="https://www.site.example/lens/?x=1#top", title="Lens", kind="web"),
    Source(content_hash="c", url="https://site.example/other", title="Other", kind="web"),
    Source(content_hash="d", url="https://copy.example/oil", title="Copy", kind="web", duplicate_of="a"),
]


def report(*claims: Claim, markdown: str = "# Lamps\n\nThe lamp burned rape oil until 1871.\n") -> Report:
    excerpts = [
        Excerpt(id="E1-1", content_hash="a", quote="It burned rape oil until 1871.", start=0, end=30),
        Excerpt(id="E1-2", content_hash="b", quote="The lens was seen for 18 miles.", start=0, end=31),
        Excerpt(id="E1-3", content_hash="c", quote="Another page.", start=0, end=13),
    ]
    return Report(
        title="Lamps",
        question="?",
        markdown=markdown,
        sources=SOURCES,
        excerpts=excerpts,
        citations=list(claims),
        answered="partly",
    )


def claim(text: str, *cited: str, status: str = "supported") -> Claim:
    return Claim.model_validate(
        {"text": text, "citations": list(cited), "verified": status != "unverified", "status": status}
    )


def passage(key: str) -> Passage:
    return Passage(id="P1", content_hash=key, title="", start=0, end=1, text="x")


GATHERED = Gatherings([passage("a"), passage("b"), passage("c")], {one.content_hash: one for one in SOURCES})


def test_gold_sources_are_counted_at_each_stage() -> None:
    question = EvalQuestion(question="?", gold=["oil", "https://site.example/lens?x=1", "never.md"])
    figures = figures_of(question, report(claim("It burned oil.", "E1-1")), GATHERED)
    found = [figures[key] for key in ("gold_found", "gold_quoted", "gold_cited")]
    assert found == [pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(1 / 3)]


def test_a_copy_of_a_gold_source_counts_as_that_source() -> None:
    sources = {one.content_hash: one for one in SOURCES}
    assert gold_among(["papers/oil.md"], ["d"], sources) == {"papers/oil.md"}
    assert gold_among(["https://copy.example/oil"], ["a"], sources) == {"https://copy.example/oil"}


def test_facts_are_looked_for_in_the_report_and_in_its_quotes() -> None:
    question = EvalQuestion.model_validate({"question": "?", "facts": ["1871", ["eighteen miles", "18 miles"], "1872"]})
    figures = figures_of(question, report(claim("It burned oil.", "E1-1", "E1-2")), GATHERED)
    assert [figures["facts_stated"], figures["facts_quoted"]] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_criteria_count_by_weight_where_a_gold_source_of_theirs_is_cited() -> None:
    criteria = [
        {"text": "oil", "weight": 3, "gold": ["oil.md"]},
        {"text": "lens", "weight": 1, "gold": ["lens"]},
        {"text": "without sources", "weight": 9},
    ]
    question = EvalQuestion.model_validate({"question": "?", "criteria": criteria})
    figures = figures_of(question, report(claim("It burned oil.", "E1-1")), GATHERED)
    assert figures["criteria_cited"] == 0.75


def test_sentences_and_sources_are_counted() -> None:
    claims = [
        claim("a", "E1-1"),
        claim("b", "E1-2", status="quoted"),
        claim("c", "E1-3", status="inferred"),
        claim("d", status="unverified"),
    ]
    figures = figures_of(EvalQuestion(question="?"), report(*claims), GATHERED)
    assert (figures["supported"], figures["inferred"], figures["unverified"]) == (2, 1, 1)
    assert (figures["sources_cited"], figures["independent_sources"]) == (3, 2)  # two are pages of one site
    assert figures["supported_share"] == 0.5
    assert figures["answered"] == 0.5
    assert figures["facts_stated"] is None
    assert figures["words"] == 7


def test_sentences_are_repeated_within_prose_or_within_quotations_only() -> None:
    said = "The lamp burned rape oil for years."
    assert repeated([("prose", f"{said} It was dim."), ("quotation", said)]) == 0
    assert repeated([("prose", said), ("prose", f"First: yes. {said}"), ("quotation", said), ("quotation", said)]) == 2


def test_a_question_without_a_report_counts_as_nothing_found() -> None:
    question = EvalQuestion.model_validate({"question": "?", "facts": ["x"], "gold": ["y"]})
    figures = figures_of_nothing(question)
    assert figures["facts_stated"] == figures["gold_cited"] == figures["answered"] == 0
    assert "criteria_cited" not in figures
    assert "words" not in figures


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.a.example/x/", "http://a.example/x#part"),
        ("https://doi.org/10.1000/xyz.1", "10.1000/XYZ.1"),
        ("https://arxiv.org/abs/2506.11763v2", "arXiv:2506.11763"),
        ("https://arxiv.org/pdf/2506.11763", "https://arxiv.org/abs/2506.11763"),
        ("papers/machine.md", "machine"),
    ],
)
def test_a_source_is_known_by_each_of_its_names(one: str, other: str) -> None:
    assert names_of(one) & names_of(other)


def test_other_sources_are_not_taken_for_it() -> None:
    assert not names_of("https://a.example/x") & names_of("https://a.example/y")
    assert not names_of("https://a.example/x?id=1") & names_of("https://a.example/x?id=2")
    assert not names_of("10.1000/a") & names_of("10.1000/b")


def test_a_publication_is_known_by_its_doi() -> None:
    paper = Source(
        content_hash="p",
        url="https://journal.example/1",
        title="",
        kind="web",
        publication=Publication(doi="10.1000/xyz"),
    )
    assert gold_among(["https://doi.org/10.1000/xyz"], ["p"], {"p": paper})


@pytest.mark.parametrize(
    ("text", "form", "stands"),
    [
        ("It was 1853.", "53", False),
        ("It was 53 m.", "53", True),
        ("It was 5.53 m.", "53", False),
        ("It was 53.", "53", True),
        ("born in BELFAST,", "Belfast", True),
        ("a concatenation", "cat", False),
        ("它在2010年测得10,984米", "10,984", True),
        ("由威廉·汤姆森设计", "汤姆森", True),
        ("ten\u00a0metres  deep", "ten metres deep", True),
        ("anything", "", False),
    ],
)
def test_a_fact_stands_as_words_and_numbers_of_its_own(text: str, form: str, stands: bool) -> None:
    assert states(text, [form]) is stands
