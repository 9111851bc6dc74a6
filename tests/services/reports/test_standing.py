"""Every format shows alike whether a report answers and how its statements stand; a tick and green need both."""

import io
import re
import zipfile

import pytest

from schemas.context import OutputFormat
from schemas.evidence import Answered, Claim, Standing, Status, standing
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.added_sections import MAX_LINES, marked_sentences, why_marked
from services.reports.document import words
from services.reports.formats import render
from services.reports.html.page import notebook_html, render_fragment
from services.reports.labels import labels_for
from services.reports.markdown import ReportInputs, finish_report
from services.reports.parser import parse_report
from services.reports.rendering import inline_markdown
from services.reports.statuses import SIGNS
from tests.services.reports.states import COUNTS, REASONS, SENTENCES, STATES, stated

pytestmark = pytest.mark.long

GREEN, AMBER = "17693A", "8A4B00"
SHARES: dict[str, list[Status]] = {
    "all": ["quoted", "supported"],
    "near": ["quoted", "supported"],
    "some": ["quoted", "supported", "inferred", "unverified"],
    "none": ["inferred", "unverified"],
}
"""States of the statements by how a report stands; `near` has all that it needs, and answers only partly."""
ANSWERED: dict[str, Answered] = {"all": "yes", "near": "partly", "some": "yes", "none": "no"}
each = pytest.mark.parametrize(
    ("locale", "stands"), [(locale, stands) for locale, stands in COUNTS if locale == "en-US" or stands == "some"]
)


def report_that(locale: str, stands: str, *, counts: bool = True) -> Report:
    """Return a report that stands as a test wants."""
    return stated(locale, SHARES[stands], answered=ANSWERED[stands], counts=counts)


@pytest.mark.parametrize(
    ("claims", "sure", "answered", "stands"),
    [
        (2, 2, "yes", "all"), (2, 1, "yes", "some"), (2, 0, "yes", "none"), (0, 0, "no", "empty"),
        (2, 2, "partly", "sound"), (2, 2, "no", "some"), (2, 2, "", "sound"),
    ],
)  # fmt: skip
def test_only_an_answer_of_which_all_is_sure_is_all(
    claims: int, sure: int, answered: Answered, stands: Standing
) -> None:
    assert standing(claims, sure, answered) == stands


@each
async def test_text_formats_have_a_tick_for_all_alone(locale: str, stands: str) -> None:
    report = report_that(locale, stands)
    names: list[OutputFormat] = ["md", "html", "slides"]
    files = {name: data.decode() for name, data in (await render(report, names)).items()}
    files["view"] = render_fragment(parse_report(report))
    files["notebook"] = notebook_html(report)
    assert {name for name, said in files.items() if "✓" in said} == (
        {*files} - {"report.md"} if stands == "all" else set()
    )
    assert all(COUNTS[locale, stands] in said for said in files.values())
    badge = re.search(r'<span class="badge (\w+)">', files["view"])
    assert badge
    assert badge[1] == ("sound" if stands == "near" else stands)


@pytest.mark.parametrize(("locale", "stands"), COUNTS)
async def test_the_counts_stand_once_in_the_head_and_in_no_text(locale: str, stands: str) -> None:
    report = report_that(locale, stands)
    lines = report.markdown.splitlines()
    assert lines[2] == f"*{COUNTS[locale, stands]}*"
    parsed = parse_report(report)
    assert parsed == parse_report(report_that(locale, stands, counts=False))
    assert words(parsed.summary).startswith(SENTENCES[locale][SHARES[stands][0]][:8])
    assert parsed.lead == ()
    assert len(parsed.opening) == 1
    [deck] = (await render(report, ["slides"])).values()
    assert deck.decode().count(COUNTS[locale, stands]) == 1


@pytest.mark.parametrize("locale", SENTENCES)
async def test_a_report_without_statements_says_so_and_answers_nothing(locale: str) -> None:
    report = finish_report(ReportInputs("How deep?", locale, "", (), [], {}), Usage())
    names: list[OutputFormat] = ["md", "html", "slides"]
    files = (await render(report, names)).values()
    said = {"en-US": "Answers the question: no · no statements", "zh-CN": "未能回答问题 · 没有论断"}[locale]
    assert report.answered == "no"
    assert all(said in data.decode() and "✓" not in data.decode() for data in files)


@pytest.mark.parametrize(("locale", "reasons"), REASONS.items())
async def test_reasons_stand_on_the_mark_in_the_limits_and_in_the_notes(
    locale: str, reasons: dict[Status, str]
) -> None:
    report = stated(locale)
    parsed = parse_report(report)
    limits = parsed.section("limits")
    assert limits
    files = {name: data.decode() for name, data in (await render(report, ["html", "slides"])).items()}
    for status, reason in reasons.items():
        sentence, word = SENTENCES[locale][status], labels_for(locale).words[status]
        [line] = [
            line
            for line in report.markdown.splitlines()
            if f"({SIGNS[status]})" in line.replace("（", "(").replace("）", ")")
        ]
        assert sentence[:-1] in line
        assert line.endswith(reason)
        page = files["report.html"]
        said = re.findall(
            rf'<span class="said {status}">(.*?)</span><span class="cite why">.{{10,400}}?<span class="tip" .*?</span> (.*?)</span>',
            page,
        )
        assert len(said) == 4  # in the summary, the paragraph, the list and the table
        assert all(html.startswith(sentence[:-1]) and why == reason for html, why in said)
        assert f'<li><span class="state {status}">{word}</span> “{sentence}” {reason}</li>' in page
        assert f'<span class="said {status}" title="{reason}">{sentence}</span>' in files["slides.html"]
        assert f"<li>{why_marked(sentence, status, reason, labels_for(locale))}</li>" in files["slides.html"]


@pytest.mark.parametrize("locale", SENTENCES)
def test_citations_and_marks_without_a_reason_say_how_a_sentence_stands(locale: str) -> None:
    html = render_fragment(parse_report(stated(locale, reasons=False)))
    assert all(f"</span> {meaning}</span>" in html for meaning in labels_for(locale).meanings.values())
    for status in STATES:
        shown = f'<span class="state {status}">{labels_for(locale).words[status]}</span>'
        assert html.count(shown) >= 4  # in the summary, the paragraph, the list and the table


def test_limits_have_at_most_five_lines_on_marked_statements_however_many_there_are() -> None:
    def claim(place: int, status: Status = "unverified") -> Claim:
        text, reason = (
            f"{place} {'word ' * 60}end *now*.",
            "" if status == "inferred" else f"Reason {place % 7} of [1].",
        )
        return Claim(text=text, verified=status == "inferred", status=status, reason=reason)

    claims = [*map(claim, range(25)), *(claim(place, "inferred") for place in range(9))]
    lines = [f"- {inline_markdown(line)}" for line in marked_sentences(claims, labels_for("en-US"))]
    assert len(lines) == MAX_LINES
    assert lines[0].startswith("- 4 statements unverified (†): “0 word word")
    assert lines[0].endswith("…” and 1 more. Reason 0 of [1].")
    assert lines[3] == "- 13 statements unverified (†) for other reasons, which evidence.json gives."
    assert lines[4].startswith("- 9 statements inferred (‡): ")
    assert all(len(line) < 320 for line in lines)


@each
async def test_office_formats_have_a_tick_and_green_for_all_alone(locale: str, stands: str) -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    docx = pytest.importorskip("docx")
    files = await render(report_that(locale, stands), ["docx", "pptx"])
    document = docx.Document(io.BytesIO(files["report.docx"]))
    [head] = [one for one in document.paragraphs if COUNTS[locale, stands] in one.text]
    assert ("✓" in head.text) == (stands == "all")
    colours = {
        str(document.styles[run.style.name].font.color.rgb)
        for run in head.runs
        if run.style.name != "Default Paragraph Font"
    }
    assert colours == {"all": {GREEN}, "near": set()}.get(stands, {AMBER})
    archive = zipfile.ZipFile(io.BytesIO(files["report.pptx"]))
    deck = "".join(archive.read(one).decode() for one in archive.namelist() if one.startswith("ppt/slides/slide"))
    assert deck.count(COUNTS[locale, stands]) == 1
    assert ("✓" in deck) == (stands == "all")


@pytest.mark.parametrize("locale", SENTENCES)
async def test_office_formats_have_the_marks_and_their_reasons(locale: str) -> None:
    pptx = pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    pytest.importorskip("pypandoc", reason="Word needs the extra formats")
    docx = pytest.importorskip("docx")
    files = await render(stated(locale), ["docx", "pptx"])
    text = "\n".join(one.text for one in docx.Document(io.BytesIO(files["report.docx"])).paragraphs)
    slides = pptx.Presentation(io.BytesIO(files["report.pptx"])).slides
    cards = "\n".join(shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame)
    notes = "\n".join(slide.notes_slide.notes_text_frame.text for slide in slides if slide.has_notes_slide)
    for sign in SIGNS.values():
        behind = rf"[.。]\xa0?(?:\[1\])?{sign}"
        assert (
            len(re.findall(behind, text)) == 3
        )  # in the summary, the paragraph and the list; a table's texts are not among these
        assert len(re.findall(behind, cards)) == 1  # a deck shows nothing twice
    assert all(reason in text and reason in notes for reason in REASONS[locale].values())
