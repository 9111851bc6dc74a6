"""The rendered report: numbered sources, citations as links, and everything that must be said besides."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from schemas.document import Link, Paragraph, Text
from schemas.evidence import Contradiction
from schemas.planner import Plan, Step
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.usage import Usage
from services.reports.markdown import ReportInputs, finish_report
from services.reports.markdown_blocks import read_markdown
from services.reports.rendering import to_markdown
from tests.services.reports.conftest import PLACES, Finished, Make, excerpt_of, source_of

WEB_LINK = "https://example.org/a%20%28b%29?q=1%7C2"
PAPER_1, PAPER_2 = "sources/01-the-paper.txt", "sources/02-the-paper.txt"
DEPTH = "HMS Challenger sounded 4,475 fathoms near Guam [E1-1]."
WIRE = "Wire replaced the hemp line [E2-1]."


def _quoted(report: Report) -> dict[str, str]:
    """Return the number of the source of each excerpt."""
    ids = {source.content_hash: source.id for source in report.sources}
    return {excerpt.id: ids[excerpt.content_hash] for excerpt in report.excerpts}


def disagreements(draft: ReportInputs) -> str:
    """Return what a report has below its heading for disagreements; empty without it."""
    return finish_report(draft, Usage()).markdown.partition("## Where sources disagree")[2].partition("##")[0]


def test_sources_are_numbered_in_the_order_in_which_they_are_cited(finished: Finished) -> None:
    report = finished(f"{WIRE} {DEPTH} {WIRE}")
    assert f"Wire replaced the hemp line [[1]]({PAPER_1}). HMS" in report.markdown
    assert f"near Guam [[2]]({WEB_LINK})." in report.markdown
    assert [(one.id, one.title) for one in report.sources] == [
        ("S1", "The paper"),
        ("S2", "The web"),
        ("S3", "The plan"),
    ]
    assert _quoted(report) == {
        "E1-1": "S2",
        "E1-2": "S2",
        "E2-1": "S1",
        "E3-1": "S3",
    }


def test_neighbouring_citations_of_one_source_are_one(finished: Finished) -> None:
    report = finished("HMS Challenger sounded 4,475 fathoms near Guam and went on to Japan [E1-1][E1-2][E2-1].")
    assert f"Japan [[1]]({WEB_LINK})[[2]]({PAPER_2})." in report.markdown


def test_copies_are_cited_as_their_original_and_listed_with_it(finished: Finished) -> None:
    copy = source_of("paper", duplicate_of=source_of("web").content_hash, fingerprint="")
    report = finished(f"{WIRE} {DEPTH}", sources=[source_of("web"), copy], excerpts=["E1-1", "E2-1"])
    assert "line. HMS" in report.markdown  # what stands behind the next sentence holds for both
    assert f"Guam [[1]]({WEB_LINK})." in report.markdown
    assert [(one.id, one.duplicate_of) for one in report.sources] == [("S1", None), ("S2", copy.duplicate_of)]
    assert _quoted(report) == {"E1-1": "S1", "E2-1": "S2"}
    assert f"same text: {PLACES['paper']}" in report.markdown


def test_a_copy_stands_for_an_original_that_is_not_among_the_sources(finished: Finished) -> None:
    copies = [
        source_of("paper", duplicate_of="f" * 64, fingerprint=""),
        source_of("web", duplicate_of="f" * 64, fingerprint=""),
    ]
    report = finished(WIRE, sources=copies, excerpts=["E2-1", "E1-1"])
    assert [(one.id, one.title, one.duplicate_of) for one in report.sources] == [
        ("S1", "The paper", None),
        ("S2", "The web", report.sources[0].content_hash),
    ]


def test_the_title_is_the_draft_s_heading_else_the_plan_s(finished: Finished) -> None:
    assert finished(f"# 4,475 fathoms\n\n{DEPTH}").title == "4,475 fathoms"
    assert finished(DEPTH).title == "The depth of the trench"
    assert finished(DEPTH, title="It is 12,345 m deep").title == "How deep is the trench?"


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_no_evidence_makes_an_honest_report_without_claims(finished: Finished, locale: str) -> None:
    failed = StepResult(step_id="1", status="failed", error="search is down")
    plan = Plan(title="t", steps=[Step(id="1", title="Find the depth", description="d")])
    report = finished("The trench is 9,999 m deep [E1-1].", excerpts=[], locale=locale, results=[failed], plans=[plan])
    assert "9,999" not in report.markdown
    assert ("没有找到" if locale == "zh-CN" else "No evidence was found") in report.markdown
    assert "Find the depth" in report.markdown
    assert "search is down" in report.markdown
    assert (report.citations, report.sources, report.excerpts) == ([], [], [])


def test_a_draft_of_which_nothing_holds_says_so(finished: Finished) -> None:
    report = finished("# Depth\n\nThe moon is green [E1-1].", unsupported="drop")
    assert "No sentence of the draft was supported" in report.markdown
    assert "left out because their citations do not support them: 1" in report.markdown


def test_limits_name_everything_that_the_report_lacks(finished: Finished) -> None:
    steps = [Step(id=str(place), title=f"Step {place} title", description="d") for place in (1, 2, 3)]
    results = [
        StepResult(step_id="1", status="done", excerpts=[excerpt_of("E1-1")]),
        StepResult(step_id="2", status="failed", error="The page was empty."),
        StepResult(step_id="3", status="skipped", error="Step 2 came to nothing."),
    ]
    snippet = source_of("web", snippet_only=True)
    report = finished(
        f"{DEPTH} It was green [E1-1].",
        sources=[snippet],
        excerpts=["E1-1"],
        plans=[Plan(title="t", steps=steps)],
        results=results,
        limits=["The limit of 3 plans was reached."],
        missing_aspects=["who paid"],
        notes=["Written without a language model."],
    )
    below = report.markdown.split("## Limits of this report")[1].split("## References")[0]
    for said in (
        "The limit of 3 plans was reached.",
        "Step “Step 2 title” failed: The page was empty.",
        "Step “Step 3 title” was skipped: Step 2 came to nothing.",
        "Left open: who paid",
        "1 statement unverified (†): “It was green”.",
        "only a search engine's snippet was read",
        "Written without a language model.",
    ):
        assert said in below
    assert report.results[0].excerpts[0].content_hash == report.sources[0].content_hash


@pytest.mark.parametrize(("locale", "said"), [("en-US", "not confirmed by code"), ("zh-CN", "程序未能证实")])
def test_a_contradiction_that_code_cannot_see_says_so_unless_the_text_cites_its_sides(
    finished: Finished, locale: str, said: str
) -> None:
    why = "Tallow and no tallow."
    named = Contradiction(topic="what was used", excerpt_ids=["E1-1", "E2-1"], explanation=why)
    invented = named.model_copy(update={"explanation": f"{why} Of 77."})
    assert f"\n\n{why} " in finished(DEPTH, contradictions=[named], locale=locale).markdown
    assert why not in finished(DEPTH, contradictions=[invented], locale=locale).markdown
    seen = named.model_copy(update={"differs": "numbers"})
    assert said in finished(DEPTH, contradictions=[named], locale=locale).markdown
    assert said not in finished(DEPTH, contradictions=[seen], locale=locale).markdown
    both = f"{DEPTH} The lead was armed with tallow [E2-1]."
    assert said not in finished(both, contradictions=[named], locale=locale).markdown
    apart = both.replace(". The lead", ".\n\nThe lead")
    assert said in finished(apart, contradictions=[named], locale=locale).markdown


@pytest.mark.parametrize(
    ("quote", "shown"), [("The wire weighed 30 kg.", "The wire weighed 30 kg."), ("", "the wire weighed 30 kg;")]
)
def test_of_a_long_side_the_sentence_on_the_topic_is_shown_or_its_part(draft: Make, quote: str, shown: str) -> None:
    listed = f"{'It fell in May; ' * 15}the wire weighed 30 kg; {'it was wet; ' * 5}nothing else."
    long = excerpt_of("E1-1").model_copy(update={"quote": f"{'The ship left in spring. ' * 12}{quote or listed}"})
    other = excerpt_of("E2-1").model_copy(update={"quote": "The wire weighed 36 kg."})
    conflict = Contradiction(topic="weight of the wire", excerpt_ids=["E1-1", "E2-1"], differs="numbers")
    made = replace(draft(DEPTH, contradictions=[conflict]), excerpts=[long, other])
    below = disagreements(made)
    assert f"“{shown}” " in below
    assert "spring" not in below


def test_figures_that_rules_found_to_differ_stand_in_their_sentences_each_pair_once(draft: Make) -> None:
    quotes = {
        "E1-1": "It fell in May. The wire weighed 40 kg. It is 3 m.",
        "E2-1": "The wire weighed 41 kg. It is 4 m.",
    }
    excerpts = [excerpt_of(key).model_copy(update={"quote": quote}) for key, quote in quotes.items()]
    pairs = [
        Contradiction(topic="", excerpt_ids=[*quotes], explanation=each) for each in ("40 kg / 41 kg", "3 m / 4 m")
    ]
    made = replace(draft(DEPTH, contradictions=pairs), excerpts=excerpts)
    told = ["The wire weighed 40 kg.", "The wire weighed 41 kg.", "It is 3 m.", "It is 4 m."]
    assert re.findall("(?m)^- “(.*?)”", disagreements(made)) == told
    kept = replace(made, contradictions=[pairs[0].model_copy(update={"said": told[2:]})])
    assert re.findall("(?m)^- “(.*?)”", disagreements(kept)) == told[2:]


def test_a_contradiction_with_an_excerpt_that_does_not_exist_is_left_out(draft: Make) -> None:
    conflict = Contradiction(topic="t", excerpt_ids=["E1-1", "E9-9"])
    made = draft(DEPTH, contradictions=[conflict])
    assert not disagreements(made)
    assert finish_report(made, Usage()).contradictions == []


def test_an_excerpt_that_disagrees_with_itself_is_shown_whole_unless_the_text_cites_it_unconfirmed(draft: Make) -> None:
    both = excerpt_of("E2-1").model_copy(
        update={"quote": f"The wire weighed 30 kg. {'It lay on deck. ' * 14}The wire weighed 36 kg."}
    )
    seen = Contradiction(topic="weight", excerpt_ids=["E2-1"], differs="numbers")
    made = replace(draft(DEPTH, contradictions=[seen]), excerpts=[excerpt_of("E1-1"), both])
    below = disagreements(made)
    assert "30 kg" in below
    assert "36 kg" in below
    named = Contradiction(topic="weight", excerpt_ids=["E1-1"])
    assert not disagreements(draft(DEPTH, contradictions=[named]))


HOSTILE = (
    "T](https://evil.example) <script> ![i](https://evil.example/i) # H | `c` [[1]](x) [E1-1] https://evil.example"
)


def test_text_from_outside_injects_nothing(draft: Make) -> None:
    hostile = source_of("web", title=HOSTILE, published=HOSTILE)
    paper = source_of("paper", url=f"docs/{HOSTILE}\n# heading")
    made = draft(
        DEPTH,
        sources=[hostile, paper],
        excerpts=["E1-1", "E2-1"],
        title=HOSTILE,
        limits=[HOSTILE],
        missing_aspects=[f"\n\n# {HOSTILE}"],
        follow_up_questions=[HOSTILE],
        notes=[HOSTILE],
        opening=HOSTILE,
        contradictions=[Contradiction(topic=HOSTILE, excerpt_ids=["E1-1", "E2-1"])],
    )
    tokens = MarkdownIt("commonmark").enable("table").parse(finish_report(made, Usage()).markdown)
    children = [child for token in tokens for child in token.children or []]
    assert {child.attrs["href"] for child in children if child.type == "link_open"} == {WEB_LINK, PAPER_2}
    assert not [child for child in children if child.type in {"image", "html_inline"}]
    assert not [token for token in tokens if token.type == "html_block"]
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert len(headings) == 5


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//evil.example", "ftp://evil.example"]
)
def test_only_web_addresses_become_links(finished: Finished, url: str) -> None:
    report = finished(DEPTH, sources=[source_of("web", url=url)], excerpts=["E1-1"])
    assert "[[1]](sources/01-the-web.txt)" in report.markdown
    assert f"]({url}" not in report.markdown


def test_an_address_in_a_text_is_no_link_and_reads_as_it_is_written() -> None:
    text = "Of thrift://a, https://a.example and www.a.example."
    written = to_markdown([Paragraph((Text(text),))])
    assert written == "Of thrift://a, https\\://a.example and www\\.a.example."
    assert MarkdownIt().render(written) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    ("words", "read"),
    [("Measuring the\nDeep", "Measuring the Deep"), ("Measuring  \nit", "Measuring it"), ("测量\n海沟", "测量海沟")],
)
def test_the_words_of_a_link_may_be_wrapped(words: str, read: str) -> None:
    assert read_markdown(f"[{words}](https://a.example)") == (Paragraph((Link(read, "https://a.example"),)),)
