"""Slides whose pages a model wrote: they fit, cite as the report does, and show what proves them."""

from pathlib import Path

import pytest

from schemas.deck import DeckCard, DeckPage
from schemas.reporter import Report
from schemas.reporter_slides import SlideCard, SlidePage, Slides
from services.reports.bundle_files import read_report
from services.reports.document import words
from services.reports.parser import parse_report
from services.reports.slides.draft import DeckProof, material_of, settle_deck
from services.reports.slides.layout import MAX_ROWS
from services.reports.slides.slide_outline import outline
from tests.conftest import PROJECT
from tests.fakes.browser import Page
from tests.services.reports.conftest import in_browser
from tests.services.reports.full import chinese, english, english_from
from tests.services.reports.test_slides import OUTSIDE, opened


def decked(language: str) -> Report:
    """Return a report with a deck that a model wrote: cards as long as they may be, a table, an inference."""
    report = english() if language == "en" else chinese()
    ids = [excerpt.id for excerpt in report.excerpts[:3]]
    title, sentence = {
        "en": (
            "Sound measures the deepest places better than any rope",
            "Wire and sound took the place of hemp rope in deep water ",
        ),
        "zh": ("声波测量最深处比任何绳索都准确", "钢丝与声波取代了麻绳"),
    }[language]
    text = (sentence * 20)[:160]
    cards = [DeckCard(text=f"{place} {text}", citations=ids, inferred=place == 3) for place in range(4)]
    sections = len(parse_report(report).body)
    pages = [
        DeckPage(section=place, title=f"{title} {place}", cards=cards, figure=place == 3)
        for place in range(1, sections)
    ]
    beyond = DeckPage(section=99, title="Nowhere", cards=cards)
    return report.model_copy(update={"deck": [*pages, beyond]})


@in_browser
@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_that_a_model_wrote_fit_and_cite_as_the_report_does(page: Page, tmp_path: Path, language: str) -> None:
    report = decked(language)
    titles = [page.title for page in report.deck[:-1]]
    opened(page, report, tmp_path)
    assert page.evaluate(OUTSIDE) == []
    slides = outline(parse_report(report))
    shown = [slide for slide in slides if slide.cards and slide.title.split(" (")[0] in titles]
    assert sum(len(slide.cards) for slide in shown) == 4 * (len(report.deck) - 1)
    assert all(len(slide.cards) <= MAX_ROWS for slide in shown)
    numbers = {source.content_hash: source.number for source in report.sources}
    cited = {numbers[excerpt.content_hash] for excerpt in report.excerpts[:3]}
    assert {number for slide in shown for card in slide.cards for number in card.numbers} <= cited
    assert any(card.mark and card.mark.status == "inferred" for slide in shown for card in slide.cards)
    assert any("[" in note for slide in shown for note in slide.notes)
    assert next(slide.title for slide in slides if slide.kind == "table").split(" (")[0] == titles[2]
    assert sum(slide.kind == "chart" for slide in slides) == 2, "a figure that no page names is shown all the same"
    assert "Nowhere" not in [slide.title for slide in slides]


def test_a_page_shows_a_figure_that_proves_its_title_and_a_card_shows_the_number_that_it_names() -> None:
    report = english()
    parsed = parse_report(report)
    material = material_of(parsed)
    assert "Ship: Vityaz; Year: 1957; Metres: 11,034" in [one.text for one in material.statements.values()]
    [drawn] = [figure for section in material.sections for figure in section.figures if figure.number == 2]
    assert "11034" in drawn.shows
    row = next(number for number, one in material.statements.items() if one.is_row and "Vityaz" in one.text)
    cards = [
        SlideCard(text="The Vityaz reported 11,034 metres in 1957", statements=[row], value="11,034 metres"),
        SlideCard(text="The Vityaz sounded in 1957", statements=[row], value="12,000 metres"),
        SlideCard(text="The Vityaz found 99 wrecks", statements=[row]),
    ]
    titles = ["The Vityaz reported 11,034 metres", "The Vityaz reported 99 metres"]
    for title, shown in zip(titles, (titles[0], "Measurements compared"), strict=True):
        pages = [SlidePage(section=3, title=title, figure=2), SlidePage(section=3, title=titles[0], cards=cards)]
        proof = DeckProof(report)
        first, second = settle_deck(Slides(pages=pages), material, parsed, proof)
        assert (first.title, first.figure) == (shown, 2)
        assert [card.value for card in second.cards] == ["11,034 metres", ""]
        assert proof.failed == 1, "a row is no text for a card"


@pytest.mark.parametrize(
    ("section", "title", "is_shown"),
    [
        (9, "Sonar and pressure do not agree within their stated uncertainties", True),
        (1, "Four ships, a bathyscaphe and pressure sensors gave six figures", True),
        (9, "Sonar and pressure lie 7,777 metres apart", False),
        (9, "Wreck hunters sailed home content", False),
    ],
)
def test_statements_of_a_section_give_a_title_words_and_counts_that_its_sources_lack(
    section: int, title: str, is_shown: bool
) -> None:
    report = read_report(PROJECT / "examples" / "demo" / "challenger-deep")
    parsed = parse_report(report)
    material = material_of(parsed)
    page = next(page for page in report.deck if page.section == section and page.figure)
    number = next(number for number, one in material.statements.items() if [*one.excerpts] == page.cards[0].citations)
    cards = [SlideCard(text=page.cards[0].text, statements=[number])]
    written = SlidePage(section=section, title=title, cards=cards, figure=page.figure)
    [settled] = settle_deck(Slides(pages=[written]), material, parsed, DeckProof(report))
    assert settled.title == (title if is_shown else words(parsed.body[section - 1].title))


def test_a_deck_of_a_model_shows_the_code_that_a_page_names_and_other_code_in_its_notes() -> None:
    code = "```toml\n[lead]\n# of iron\n```\n\n†\n\n1. Sound:\n\n    ```sh\n    ping --wait\n    ```\n\n```mermaid\n"
    report = english_from(english().markdown.replace("```mermaid\n", code))
    shown = [figure for section in material_of(parse_report(report)).sections for figure in section.figures]
    assert [(one.number, one.shows) for one in shown if one.kind == "code"] == [
        (4, "[lead]\n# of iron"),
        (5, "ping --wait"),
    ]
    card = DeckCard(text="A lead is of iron", citations=[report.excerpts[0].id])
    pages = [DeckPage(section=4, title="Leads are of iron", cards=[card], figure=4)]
    slides = outline(parse_report(report.model_copy(update={"deck": pages})))
    [named] = [slide for slide in slides if slide.title == "Leads are of iron"]
    assert [(card.text, card.mark is not None) for card in named.cards] == [
        ("A lead is of iron", False),
        ("[lead]\n# of iron", True),
    ]
    assert "ping --wait" in [note for slide in slides for note in slide.notes]


@in_browser
@pytest.mark.parametrize(("repeated", "together"), [(1, True), (60, False)])
def test_a_card_stands_above_the_table_of_its_page_where_both_fit(
    page: Page, tmp_path: Path, repeated: int, together: bool
) -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    from services.reports.slides.pptx import render_pptx

    report = english()
    cards = [DeckCard(text=f"All agree {'roughly ' * repeated}", citations=[report.excerpts[0].id])] * 2
    paged = report.model_copy(update={"deck": [DeckPage(section=3, title="Agreement", cards=cards, figure=1)]})
    slides = [slide for slide in outline(parse_report(paged)) if slide.title.startswith("Agreement")]
    assert [bool(slide.cards) for slide in slides if slide.kind == "table"] == [together]
    assert sum(len(slide.cards) for slide in slides) == 2
    opened(page, paged, tmp_path)
    assert page.evaluate(OUTSIDE) == []
    assert render_pptx(parse_report(paged))
