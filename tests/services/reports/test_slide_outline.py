"""The deck that rules lay out: what stands together, what comes first, and what each format shows of it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from schemas.document import Citation, Code, Mark, Paragraph, Quotation, Table, Text
from services.reports.document import ParsedReport
from services.reports.parser import parse_report
from services.reports.slides.draft import material_of
from services.reports.slides.layout import chart_of, quote_cards
from services.reports.slides.slide import HIGH, ShownCard, Slide, cards_height, item_card
from services.reports.slides.slide_outline import AT_FOOT, CONTENTS, MAX_SECTION_SLIDES, MAX_SLIDES, outline
from tests.services.reports.full import ENGLISH, english, english_from, report_of, wide_table

LONG = "The ship {name} sounded the trench and found no bottom with the line that was aboard. " * 6
CITED = "[[1]](sources/1.txt)"
"""A citation as a stored report has it."""


def parsed(body: str, **changes: Any) -> ParsedReport:
    """Return a report that has this body."""
    return parse_report(report_of(body, ENGLISH, "How deep is the sea?", **changes))


def written(body: str, **changes: Any) -> list[Slide]:
    """Return the slides of a report that has this body."""
    return outline(parsed(body, **changes))


def test_a_model_sees_a_statement_with_those_before_it_that_share_its_citation() -> None:
    told = f"{ENGLISH[0]} {ENGLISH[1][:-1]} [E1-1][E1-2]. {ENGLISH[2][:-1]} [E1-3]."
    shown = material_of(parsed(f"# Depth\n\n## Evidence\n\n{told}")).statements.values()
    assert [statement.text for statement in shown] == [f"{ENGLISH[0]} {ENGLISH[1]}", ENGLISH[2]]


def test_a_quote_stands_on_one_card_with_the_title_of_its_source() -> None:
    slides = written(f"# Depth\n\n## Evidence\n\n**Source 1** [E1-1]\n\n> {ENGLISH[0]} [E1-1]\n\n{ENGLISH[1]} [E1-2]")
    cards = [card for slide in slides if slide.title == "Evidence" for card in slide.cards]
    assert [(card.heading, card.text, card.numbers) for card in cards] == [
        ("Source 1", ENGLISH[0], (1,)),
        ("", ENGLISH[1], (2,)),
    ]


def test_code_in_a_quote_keeps_its_lines_on_a_card_of_its_own() -> None:
    quote = f"> {ENGLISH[0]} [E1-1]\n>\n> ```\n> def depth(t):\n>     return t\n> ```"
    slides = written(f"# Depth\n\n## Evidence\n\n**Source 1** [E1-1]\n\n{quote}")
    cards = [card for slide in slides if slide.title == "Evidence" for card in slide.cards]
    assert [(card.heading, card.kind, card.text) for card in cards] == [
        ("Source 1", "quote", ENGLISH[0]),
        ("", "code", "def depth(t):\n    return t"),
    ]


def test_an_empty_block_of_code_in_a_quote_breaks_no_slide() -> None:
    assert [card.text for card in quote_cards("Source 1", Quotation((Code(""),)), "Evidence")] == [""]


def passages(names: Iterable[str]) -> str:
    """Return long quotes below these titles of sources."""
    return "\n\n".join(f"**{name}**\n\n> {LONG.format(name=name)} [1]" for name in names)


def test_quotes_that_need_several_slides_stand_below_the_titles_of_their_sources() -> None:
    body = passages(["Kilo", "Vityaz", "Trieste", "Kilo"])
    report = english_from(f"# Closest passages: Depth?\n\n{body}", question="Depth?")
    cover, *others = outline(parse_report(report))
    assert (cover.title, cover.subtitle) == ("Closest passages: Depth?", ""), "the title has the question"
    slides = [slide for slide in others if slide.kind == "cards"]
    assert [slide.title for slide in slides] == ["Kilo (1/2)", "Kilo (2/2)", "Vityaz", "Trieste"]
    assert {slide.subtitle for slide in slides} == {"Closest passages: Depth?"}
    assert all(slide.title.startswith(card.text.split()[2]) for slide in slides for card in slide.cards)
    assert not any(card.heading for slide in slides for card in slide.cards)


def test_a_short_deck_has_the_summary_first_and_neither_contents_nor_dividers() -> None:
    body = f"# Depth\n\n**TL;DR** {ENGLISH[0][:-1]} [E1-1].\n\n## Evidence\n\n{ENGLISH[1][:-1]} [E1-2]."
    slides = written(body)
    assert [slide.title for slide in slides[:2]] == ["Depth", "In short"]
    assert {slide.kind for slide in slides} == {"cover", "cards", "end"}
    assert "A model wrote this text" in slides[-1].subtitle
    last = written(f"# Depth\n\n{ENGLISH[1][:-1]} [E1-2].", by_rules=True)[-1]
    assert last.title == "References"
    assert "No model wrote this text" in last.subtitle


def test_an_introduction_is_the_title_above_what_it_introduces_and_the_summary_does_not_come_again() -> None:
    told = f"**TL;DR** {ENGLISH[1][:-1]} [E1-2].\n\nAnother source gives another figure:\n\n{ENGLISH[2][:-1]} [E1-3]."
    slides = written(f"# Depth\n\n{told}\n\n## Evidence\n\n> {ENGLISH[1]} [E1-2]\n\n> {ENGLISH[3]} [E1-4]")
    first, second = slides[1:3]
    assert (first.title, first.cards[0].heading) == ("In short", "10,863 metres")
    assert (second.title, second.subtitle) == ("Another source gives another figure", "In short")
    assert second.cards[0].text == ENGLISH[2]
    assert [card.text for slide in slides if slide.title == "Evidence" for card in slide.cards] == [ENGLISH[3]]


@pytest.mark.parametrize("mark", ["", "‡"])
def test_a_short_first_sentence_is_the_title_above_its_paragraph_unless_it_is_marked(mark: str) -> None:
    body = f"## Evidence\n\nThe figures agree.{mark} {ENGLISH[0][:-1]} [E1-1]. {ENGLISH[1][:-1]} [E1-2]."
    report = english_from(f"# Depth\n\n{body.replace('E1-', '')}")
    [slide] = [slide for slide in outline(parse_report(report)) if slide.kind == "cards"]
    over = ("The figures agree", "Evidence") if not mark else ("Evidence", "")
    assert (slide.title, slide.subtitle) == over
    assert len(slide.cards) == (3 if mark else 2)


@pytest.mark.parametrize("start", ["", "- "])
def test_a_sentence_in_bold_heads_the_card_of_what_it_introduces(start: str) -> None:
    body = f"{start}**Who measured.** {ENGLISH[0][:-1]} [E1-1].\n\n{start}{ENGLISH[1][:-1]} [E1-2]."
    [slide] = [slide for slide in written(f"# Depth\n\n## Evidence\n\n{body}") if slide.title == "Evidence"]
    assert [(card.heading, card.text) for card in slide.cards] == [("Who measured", ENGLISH[0]), ("", ENGLISH[1])]


def test_an_item_with_one_conclusion_of_two_sentences_has_a_sign_and_no_underlined_card() -> None:
    inferred = Mark("inferred")
    item = (Paragraph((Text(ENGLISH[0]), Text(" "), Text("So it is deep"), inferred, Text("."))),)
    card = item_card(item)
    assert card.mark is None
    assert "‡" in card.text
    assert item_card((Paragraph((Text("So it is deep"), inferred, Text("."))),)).mark == inferred


def test_the_blocks_of_an_item_and_the_items_below_it_stand_on_lines_of_their_own_and_sentences_in_a_row() -> None:
    below = f"   - {ENGLISH[1][:-1]} [E1-2].\n     - Twice.\n   - {ENGLISH[2][:-1]} [E1-3]. Once."
    item = f"1. {ENGLISH[0][:-1]} [E1-1]. First.\n{below}\n\n   ```\n   def depth(t):\n       return t\n   ```"
    slides = written(f"# Depth\n\n## Evidence\n\n{item}\n2. Last.")
    first, last = (card for slide in slides if slide.title == "Evidence" for card in slide.cards)
    assert first.text.split("\n") == [
        f"{ENGLISH[0]} First.†",
        f"• {ENGLISH[1]}",
        "\u2003• Twice.†",
        f"• {ENGLISH[2]} Once.†",
        "def depth(t):",
        "    return t",
    ]
    assert (first.numbers, last.text) == ((1, 2, 3), "Last.")


def test_what_ends_with_a_colon_is_the_title_of_the_table_below_it() -> None:
    table = f"| Ship | Depth |\n|---|---|\n| Kilo | {ENGLISH[0][:-1]} [E1-1] |"
    slides = written(f"# Depth\n\n## Evidence\n\n{ENGLISH[1][:-1]} [E1-2]. Ships found this:\n\n{table}")
    [shown] = [slide for slide in slides if slide.kind == "table"]
    assert (shown.title, shown.subtitle) == ("Ships found this", "Evidence")
    assert [card.text for slide in slides for card in slide.cards] == [ENGLISH[1]]


@pytest.mark.parametrize(
    ("header", "cells", "values"),
    [
        ("Depth (m)", ("8,184", "10,863", "-12.5"), [8184, 10863, -12.5]),
        ("深度（米）", ("8184", "10863", "11034"), [8184, 10863, 11034]),
        ("Share", ("4 %", "5 %", "6.5 %"), [4, 5, 6.5]),
        ("Depth (m)", ("8,184", "10,863; 10,994", "11,034"), None),
        ("Depth (m)", ("10,984 ± 25", "10,935±6", "10,863"), [10984, 10935, 10863]),
        ("Year", ("1951", "1957", "1960"), None),
        ("Depth", ("8 km", "10,863 m", "11,034 m"), None),
        ("Depth (m)", ("8,184", "10,863", "not given"), None),
    ],
)
def test_three_figures_of_one_unit_in_a_table_are_drawn_as_well(
    header: str, cells: tuple[str, ...], values: list[float] | None
) -> None:
    names = [(Text(name),) for name in ("Kilo", "Vityaz", "Trieste")]
    cited = Citation(1, "", ("E1-1",))
    rows = tuple((name, (Text(cell), cited)) for name, cell in zip(names, cells, strict=True))
    drawn = chart_of(Table(((Text("Ship"),), (Text(header),)), rows), "Evidence")
    assert (drawn.chart.series[0].values if drawn else None) == values
    assert drawn is None or drawn.chart.unit in {"m", "米", "%"}


def test_cards_are_as_large_as_they_fit_and_fill_most_of_the_slide() -> None:
    few = Slide("cards", "Depth", cards=(ShownCard("Sound measures the depth of the sea by the time of a pulse."),) * 3)
    many = Slide("cards", "Depth", cards=(ShownCard("Sound measures the depth of the sea by its echo. " * 4),) * 4)
    assert few.text_size > many.text_size
    for slide in (few, many):
        assert 2 / 3 * HIGH <= cards_height(slide.cards, slide.text_size) <= HIGH


def test_rows_that_a_deck_has_no_room_for_are_counted_on_its_last_slide_and_stand_in_the_notes() -> None:
    sections = "".join(f"\n## Part {part}\n\nA point of part {part} [1].\n" for part in range(14))
    report = english_from(wide_table(80) + sections)
    *first, last = (slide for slide in outline(parse_report(report)) if slide.kind == "table")
    shown = sum(len(slide.rows) - 1 for slide in (*first, last))
    assert 0 < shown < 80
    assert [slide.more for slide in first] == [0] * len(first)
    assert last.more == 80 - shown
    assert all(any(f"remark{row} " in note for note in last.notes) for row in range(shown, 80))


def test_the_mark_of_code_stands_on_its_card() -> None:
    report = english_from("# T\n\n## Code\n\n```python\nx = 77\n```\n\n†\n")
    cards = [card for slide in outline(parse_report(report)) if slide.title == "Code" for card in slide.cards]
    assert [(card.kind, card.text, card.mark and card.mark.status) for card in cards] == [
        ("code", "x = 77", "unverified")
    ]


@pytest.mark.parametrize(("parts", "alone"), [(4, True), (15, False)])
def test_a_long_report_is_told_by_its_main_points_and_the_rest_stands_in_the_notes(parts: int, alone: bool) -> None:
    told = [
        f"## Part {part}\n\n"
        + "\n\n".join(f"Main point {part}-{place} {CITED}. Aside {part}-{place} {CITED}." for place in range(16))
        for part in range(parts)
    ]
    slides = outline(parse_report(english_from("# Depths\n\n" + "\n\n".join(told))))
    assert len(slides) <= MAX_SLIDES
    for part in range(parts):
        name = f"Part {part}"
        own = [
            slide
            for slide in slides
            if slide.kind == "cards"
            and (slide.title.split(" (")[0] == name or any(card.heading == name for card in slide.cards))
        ]
        assert len(own) <= (MAX_SECTION_SLIDES if alone else 1)
        shown = "\n".join(card.text for slide in own for card in slide.cards)
        assert f"Main point {part}-0" in shown
        assert "Aside" not in shown
        said = shown + "\n".join(own[-1].notes)
        assert all(f"{kind} {part}-{place}" in said for kind in ("Main point", "Aside") for place in range(16))


def test_among_main_points_no_announcement_stands_without_what_it_announces() -> None:
    table = f"These are the depths by ship.\n\n| Ship | Depth |\n|---|---|\n| Challenger | deep {CITED} |"
    open_points = "Three points are open. One is the wire. Two is the lead. Three is the line."
    cited = f"Two things count. {ENGLISH[0][:-1]} {CITED}. Aside {CITED}."
    filling = "\n\n".join(f"Point {place} {CITED}. Aside {place} {CITED}." for place in range(9))
    parts = "\n\n".join(f"## Part {place}\n\n{table}\n\n{open_points}\n\n{cited}\n\n{filling}" for place in range(4))
    slides = [slide for slide in outline(parse_report(english_from(f"# Depths\n\n{parts}"))) if "Part" in slide.title]
    texts = [card.text for slide in slides if slide.kind == "cards" for card in slide.cards]
    titles = [slide.title for slide in slides]
    assert "Three points are open." in texts
    assert "Three is the line." in texts
    assert texts[texts.index("Two things count.") + 1] == ENGLISH[0]
    assert not any(text.startswith(("These are", "Aside")) for text in [*texts, *titles])
    assert any("These are the depths" in note for slide in slides for note in slide.notes)


def test_every_source_that_a_deck_cites_is_listed_under_its_number_as_paper_shows_no_notes() -> None:
    parsed = parse_report(english())
    few = outline(replace(parsed, references=parsed.references[:AT_FOOT]))[-1]
    assert [row.split()[0] for (row,) in few.rows] == [f"[{one.number}]" for one in parsed.cited[:AT_FOOT]]
    cited = next(one for one in parsed.references if one.cited)
    many = tuple(replace(cited, number=number, title=f"Source {number}") for number in range(1, 36))
    slides = [slide for slide in outline(replace(parsed, references=many)) if slide.kind == "sources"]
    listed = [(number, title) for slide in slides for number, title in slide.rows]
    assert listed == [(str(number), f"Source {number}") for number in range(1, 36)]
    assert max(len(slide.rows) for slide in slides) <= CONTENTS


def test_a_table_stands_behind_the_main_points_of_its_own_section() -> None:
    points = "\n\n".join(f"Point {place} {CITED}. Aside {place} {CITED}." for place in range(16))
    table = f"| Ship | Depth |\n|---|---|\n| Challenger | deep {CITED} |"
    parts = f"## Ships\n\n### First\n\n{points}\n\n{table}\n\n### Second\n\n{points}\n\n## Others\n\n{points}"
    slides = [slide for slide in outline(parse_report(english_from(f"# Depths\n\n{parts}"))) if slide.kind != "cover"]
    kinds = [(slide.title.split(" (")[0], slide.kind) for slide in slides]
    first = max(place for place, kind in enumerate(kinds) if kind == ("First", "cards"))
    assert kinds[first + 1][1] == "table"
    assert ("Second", "cards") in kinds[first + 2 :]
