"""PDF files as people have them: columns, hyphens, ligatures, running heads and page numbers."""

from pathlib import Path

import pytest

from services.search.documents import open_documents
from services.search.files.convert_office import convert
from services.search.files.pdf_text import carried_over, pdf_text
from services.text.heads import Sections, section_names
from services.text.quote_location import locate
from tests.services.search.files.pdf_files import LEFT, RIGHT, pdf_of


def _column(lines: list[str], left: float, top: float = 700) -> list[tuple[float, float, str]]:
    return [(left, top - 12 * place, line) for place, line in enumerate(lines)]


@pytest.mark.parametrize("lower", [0, 4])
def test_columns_that_were_written_across_are_read_one_after_the_other(lower: float) -> None:
    both = [line for pair in zip(_column(LEFT, 72), _column(RIGHT, 310, 700 - lower), strict=True) for line in pair]
    text = pdf_text(pdf_of([(72, 730, "Two columns below a title over the whole width of the page"), *both]))
    assert f"{' '.join(LEFT)} {' '.join(RIGHT)}" in " ".join(text.split())
    assert locate("the work took eleven weeks and it was paid for", text) is not None
    assert locate("first dredged in Nobody had sounded", text) is None


def test_three_columns_written_across_are_read_one_after_the_other() -> None:
    narrow = [[line[:28].rstrip() for line in lines] for lines in (LEFT, RIGHT, [line.upper() for line in LEFT])]
    rows = zip(*(_column(lines, 40 + 190 * place) for place, lines in enumerate(narrow)), strict=True)
    text = " ".join(pdf_text(pdf_of([line for row in rows for line in row])).split())
    assert " ".join(" ".join(lines) for lines in narrow) == text


def test_a_raised_digit_is_an_exponent_or_a_note_and_no_part_of_the_number() -> None:
    content = "Data was lost every 10 Td5 Tu years, as Holm Td2 Tu says of 1105 nodes"
    shown = content.replace(" Td", ") Tj /F1 6 Tf 4 Ts (").replace(" Tu", ") Tj /F1 10 Tf 0 Ts (")
    assert pdf_text(pdf_of([(72, 700, shown)])) == "Data was lost every 10^5 years, as Holm^2 says of 1105 nodes"


@pytest.mark.parametrize(
    "text",
    [
        ["Errors of Deep", "Sounding"],
        ["Deep Errors", "of the Long Sounding Line of 1874"],
        ["A Line Dragged by the Current"],
    ],
)
def test_a_title_is_what_a_first_page_has_in_the_largest_type(text: list[str]) -> None:
    head = [(72.0, 730.0 - 16 * place, line) for place, line in enumerate(text)]
    pages = pdf_of([*head, *_column(LEFT, 72)], _column(RIGHT, 72), titles=len(text))
    read = convert("sounding.pdf", pages)
    assert "error" not in read
    assert read["title"] == " ".join(text)
    assert read["text"].startswith(f"# {' '.join(text)}\n\n{LEFT[0]}")
    assert "\n\n## Page 2\n\n" in read["text"]


def test_a_file_without_a_title_is_named_by_its_first_line_and_not_by_a_page() -> None:
    read = convert("sounding.pdf", pdf_of(_column(LEFT, 72)[:1], _column(RIGHT, 72)))
    assert "error" not in read
    assert read["title"] == LEFT[0]


def test_a_page_whose_fonts_do_not_say_what_their_signs_are_has_no_text() -> None:
    unnamed = " ".join(f"/sign{code}" for code in range(32, 127))
    encoding = f"/Encoding<</Type/Encoding/Differences[32 {unnamed}]>>"
    assert pdf_text(pdf_of(_column(LEFT, 72), encoding=encoding)) == ""


def test_pages_are_numbered_without_their_running_heads_and_feet() -> None:
    pages = [
        [
            (72, 760, "Annual report of the harbour board"),
            *_column(lines, 72),
            (300, 30, f"Page {number + 11} of 40"),
        ]
        for number, lines in enumerate([LEFT, RIGHT, LEFT[::-1], RIGHT[::-1]])
    ]
    text = pdf_text(pdf_of(*pages))
    assert text.count("Annual report") == 1
    assert "of 40" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [f"## Page {number}" for number in (2, 3, 4)]


def test_a_sentence_over_the_end_of_a_page_stands_in_one_piece() -> None:
    text = pdf_text(
        pdf_of(_column(LEFT, 72), _column(["at large, who also paid for a lamp.", "Later it was lost."], 72))
    )
    assert "merchants of the town at large, who also paid for a lamp." in text
    assert text.index("a lamp.") < text.index("## Page 2") < text.index("Later it was lost.")
    pages = ["paid for by the merchants of the town", "latency (ms)\n\n| mean | median |\n| --- | --- |\n| 8 | 7 |"]
    assert carried_over(pages) == pages
    title_slide = ["# 水价调整方案\n\n发展和改革委员会", "现行水价与拟调整水价\n\n居民用水"]
    assert carried_over(title_slide) == title_slide
    whole = "会议决定加快老旧管网改造并且要求各单位在年底前完成全部任务由集团统一负责组织实施"
    assert carried_over([whole[:30], f"{whole[30:]}。\n\n其他"]) == [f"{whole}。", "其他"]


def test_the_pages_of_a_short_chinese_file_are_numbered_in_chinese() -> None:
    codes = "1 begincodespacerange<00><FF>endcodespacerange 1 beginbfrange<41><5A><4E00>endbfrange"
    font = [
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 4 0 R>>",
        f"<</Length {len(codes)}>>stream\n{codes}\nendstream",
    ]
    text = pdf_text(pdf_of(_column(["ABCDEFG"], 72), _column(["GFEDCBA"], 72), titles=1, type3=font))
    assert "## 第 2 页" in text


def test_marks_that_were_written_behind_their_line_stand_at_their_places() -> None:
    digit, mark = 5.56, 3.55
    with_a_gap = ") Tj [(2012) -355 (3456,)] TJ ("
    after = 72 + 4 * digit
    line = [(72, 700, with_a_gap), (after, 700, '"'), (after + mark + 4.5 * digit, 700, '"')]
    assert pdf_text(pdf_of(line)) == '2012"3456,"'


def test_the_fields_of_a_header_are_lines_of_their_own() -> None:
    fields = ["Author: Ann Sounder of the survey", "Status: Draft of the council", "Version: 2.1"]
    assert "\n".join(fields) in pdf_text(pdf_of(_column(fields, 72)))


def test_words_that_a_line_end_divided_are_whole_and_compounds_keep_their_hyphen() -> None:
    lines = [
        "A well-known pilot measured the chan-",
        "nel twice, and a merchant who was well-",
        "known paid him for it in the same week",
    ]
    text = pdf_text(pdf_of(_column(lines, 72)))
    assert (
        text
        == "A well-known pilot measured the channel twice, and a merchant who was well-known paid him for it in the same week"
    )


async def test_a_paper_set_in_columns_is_found_by_words_with_ligatures_and_hyphens(tmp_path: Path) -> None:
    weasyprint = pytest.importorskip("weasyprint")
    page = (
        """<html lang=en><style>@page{size:A4;@bottom-center{content:counter(page)}} body{font:11pt serif}
    div{columns:2;hyphens:auto;hyphenate-character:'\u2010';text-align:justify} td{border:1px solid}</style><h1>The Varde soundings</h1><div>"""
        + (
            "<p>The ﬁrst oﬃcial sounding of the outer bar, an extraordinarily well-documented undertaking, conﬁrmed "
            "circumnavigational measurements of the internationally acknowledged hydrographers.</p>"
            "<p>Undoubtedly the administration had considered alternatives.</p>" * 30
        )
        + "</div><table><tr><td>Port<td>Depth (ft)</tr><tr><td>Varde<td>9.5</tr><tr><td>Ribe<td>7</tr></table></html>"
    )
    (tmp_path / "docs").mkdir()
    weasyprint.HTML(string=page).write_pdf(tmp_path / "docs" / "paper.pdf")
    documents = await open_documents(tmp_path / "docs", tmp_path / "home")
    (hit,) = await documents.search("first official sounding confirmed", 3)
    assert (
        "The first official sounding of the outer bar, an extraordinarily well-documented undertaking, confirmed"
        in hit.text
    )
    assert locate("The ﬁrst oﬃcial sounding of the outer bar", hit.text) is not None
    assert "| Port | Depth (ft) |\n| --- | --- |\n| Varde | 9.5 |" in hit.text
    assert "\n2\n" not in hit.text
    assert "\u2010" not in hit.text
    (table,) = documents.tables
    assert table.view.columns == ["Port: text, 2 different, e.g. Varde | Ribe", "Depth (ft): number, 7 to 9.5"]


def test_short_lines_in_larger_type_are_the_headings_of_sections_that_go_on_over_pages() -> None:
    first = ["Dredging the harbour", "!Ann Roy", "!1 The river", *LEFT, "!1.1 The yard", "!2 Depths", *RIGHT]
    second = ["# two", "Of the wreck", "!Notes", "none", *(f"!Entry {number}" for number in range(5))]
    lines = [[(72.0, 760.0 - 14 * place, line) for place, line in enumerate(page)] for page in (first, second)]
    text = pdf_text(pdf_of(*lines, titles=1))
    headings = ["# Dredging the harbour", "## 1 The river", "### 1.1 The yard", "## 2 Depths", "## Page 2", "## Notes"]
    assert [line for line in text.splitlines() if line.startswith("#")] == headings
    assert "\n\nAnn Roy\n\n" in text
    assert "\\# two" in text
    sections = Sections(text)
    assert sections.at(text.index(LEFT[1])) == "1 The river"
    assert sections.at(text.index("Of the wreck")) == "2 Depths"
    assert sections.at(text.index("none")) == "Notes"
    assert section_names(text) == "1 The river; 2 Depths; Notes"
    assert section_names("# T\n\na\n\n## Page 2\n\nb\n\n## In\n\nc\n\n## Out\n\nd") == "In; Out"
    assert section_names("# T\n\na\n\n## Page 2\n\nb\n\n## Page 3\n\nc") == "Page 2; Page 3"


def test_lines_in_double_spacing_are_one_paragraph() -> None:
    paragraphs = [*LEFT, "", *RIGHT, "", *LEFT]
    text = pdf_text(pdf_of([(72, 700 - 24 * place, line) for place, line in enumerate(paragraphs) if line]))
    assert text.replace("\n\n", "¶").split("¶")[0].split() == " ".join(LEFT).split()
    assert text.count("\n\n") == 2


def test_ligatures_of_tex_without_a_character_map_are_read() -> None:
    lines = [(72, 700, "The \\014rst de\\014nition of a sta\\013 is e\\016cient, and"), (72, 688, "\\015oats.")]
    assert "The first definition of a staff is efficient, and" in pdf_text(pdf_of(lines))
    assert "floats." in pdf_text(pdf_of(lines))


def test_stretched_blanks_above_each_other_in_some_lines_are_no_gap_between_columns() -> None:
    page: list[tuple[float, float, str]] = []
    rows = [LEFT[3], *LEFT[:2], *RIGHT, LEFT[4], *LEFT[:2], *RIGHT]
    for place, row in enumerate(rows):
        words = row.split()
        divided = [" ".join(words[:4]), " ".join(words[4:])] if row in LEFT[:2] else [row]
        page += [(x, 700 - 12 * place, part) for x, part in zip((72, 215), divided, strict=False)]
    assert pdf_text(pdf_of(page)).split() == " ".join(rows).split()


def test_lines_in_a_font_without_heights_are_one_paragraph() -> None:
    boxes = {"a": (0, 430), "g": (-200, 430), "h": (0, 690)}
    glyphs = [f"500 0 0 {low} 450 {high} d1 0 {low} 450 {high - low} re f" for low, high in boxes.values()]
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 97/LastChar 104"
        f"/Widths[{'500 ' * 8}]/CharProcs<</a 4 0 R/g 5 0 R/h 6 0 R>>/Encoding<</Differences[97/a 103/g/h]>>/ToUnicode 7 0 R>>"
    )
    unicode = (
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange endcmap"
    )
    streams = [f"<</Length {len(content)}>>stream\n{content}\nendstream" for content in [*glyphs, unicode]]
    rows = [
        "haha aaha aaha ahha haaha",
        "hagh gaah hagah gaagg haah",
        "aaha haah aaah haaa ahaaa",
        "gaag ghag gaaah gaahg haaag",
    ]
    page = [(72.0, 700.0 - 12 * place, row) for place, row in enumerate(rows)]
    assert pdf_text(pdf_of(page, type3=[font, *streams])) == " ".join(rows)


def test_what_is_filled_into_a_form_stands_behind_its_labels() -> None:
    page = [(72, 700, "Name of the keeper:"), (72, 680, "Lamps lit:"), (72, 660, "Oil:"), (72, 600, "Remarks")]
    fields = [
        "/FT/Tx/T(name)/V(Ann Roy)/Rect[200 696 350 712]",
        "/FT/Tx/T(lamps)/V(42)/Rect[200 676 350 692]",
        "/FT/Btn/T(oil)/V/Yes/AS/Yes/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>/Rect[200 656 212 668]",
        "/FT/Btn/T(gas)/V/Off/AS/Off/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>/Rect[220 656 232 668]",
        "/FT/Tx/T(remarks)/V(The wick\\r was new.)/Rect[72 500 500 590]",
        "/FT/Tx/T(empty)/Rect[400 696 500 712]",
    ]
    widgets = "".join(
        f"{90 + n} 0 obj<</Type/Annot/Subtype/Widget/F 4{field}>>\nendobj\n" for n, field in enumerate(fields)
    )
    names = " ".join(f"{90 + n} 0 R" for n in range(len(fields)))
    data = pdf_of(page).decode("latin-1")
    data = data.replace("/Catalog", f"/Catalog/AcroForm<</Fields[{names}]>>", 1).replace(
        "/Contents", f"/Annots[{names}]/Contents"
    )
    data = data.replace("trailer", f"{widgets}trailer", 1)
    text = pdf_text(data.encode("latin-1"))
    assert text.split("\n") == [
        "Name of the keeper: Ann Roy",
        "Lamps lit: 42",
        "Oil: [x]",
        "",
        "Remarks",
        "",
        "The wick was new.",
    ]


def test_a_heading_that_begins_with_a_flat_sign_is_one_in_a_font_whose_signs_are_as_high_as_they_look() -> None:
    boxes = {"a": (300, 380), "h": (-120, 880)}
    glyphs = [f"1000 0 0 {low} 1000 {high} d1 0 {low} 1000 {high - low} re f" for low, high in boxes.values()]
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 97/LastChar 104"
        f"/Widths[{'1000 ' * 8}]/CharProcs<</a 4 0 R/h 5 0 R>>/Encoding<</Differences[97/a 104/h]>>/ToUnicode 6 0 R>>"
    )
    unicode = "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <61> <4e00> <68> <6d4b> endbfchar endcmap"
    streams = [f"<</Length {len(content)}>>stream\n{content}\nendstream" for content in [*glyphs, unicode]]
    prose = _column(["h" * 40, "h" * 40, "h" * 30], 72, 650)
    page = [
        (72.0, 740.0, "h" * 8),
        (72.0, 700.0, "!ahhh"),
        *prose,
        (72.0, 560.0, "!hhhh"),
        *_column(["h" * 40], 72, 530),
    ]
    read = pdf_text(pdf_of(page, titles=1, type3=[font, *streams])).split("\n\n")
    assert [block for block in read if block.startswith("#")] == ["# 测测测测测测测测", "## 一测测测", "## 测测测测"]
