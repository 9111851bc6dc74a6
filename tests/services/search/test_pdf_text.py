"""PDF files as people have them: columns, hyphens, ligatures, running heads, page numbers and tables."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.search.documents import open_documents
from services.search.pdf_text import pdf_text
from services.text.quote_location import locate

LEFT = [
    "The harbour of Varde was first dredged in",
    "spring, when the ice had left the river and",
    "the barges could be brought up from the",
    "yard. The work took eleven weeks and it",
    "was paid for by the merchants of the town",
]
RIGHT = [
    "Nobody had sounded the outer bar before the",
    "survey of that summer. It found nine feet",
    "at low water, two more than the pilots had",
    "believed, and a wreck that no chart had ever",
    "shown, with its mast still standing upright",
]


def _pdf(*pages: Sequence[tuple[float, float, str]]) -> bytes:
    """Return a PDF file of lines at places of its pages, written in the order given."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids: list[int] = []
    for page in pages:
        content = "\n".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in page)
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {len(objects)} 0 R>>"
        )
        kids.append(len(objects))
    objects[1] = f"<</Type/Pages/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]/Count {len(kids)}>>"
    body = "".join(f"{number} 0 obj{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n".encode("latin-1")


def _column(lines: list[str], left: float, top: float = 700) -> list[tuple[float, float, str]]:
    return [(left, top - 12 * place, line) for place, line in enumerate(lines)]


@pytest.mark.parametrize("lower", [0, 4])
def test_columns_that_were_written_across_are_read_one_after_the_other(lower: float) -> None:
    both = [line for pair in zip(_column(LEFT, 72), _column(RIGHT, 310, 700 - lower), strict=True) for line in pair]
    text = pdf_text(_pdf([(72, 730, "Two columns below a title over the whole width of the page"), *both]))
    assert f"{' '.join(LEFT)} {' '.join(RIGHT)}" in " ".join(text.split())
    assert locate("the work took eleven weeks and it was paid for", text) is not None
    assert locate("first dredged in Nobody had sounded", text) is None


def test_three_columns_written_across_are_read_one_after_the_other() -> None:
    narrow = [[line[:28].rstrip() for line in lines] for lines in (LEFT, RIGHT, [line.upper() for line in LEFT])]
    rows = zip(*(_column(lines, 40 + 190 * place) for place, lines in enumerate(narrow)), strict=True)
    text = " ".join(pdf_text(_pdf([line for row in rows for line in row])).split())
    assert " ".join(" ".join(lines) for lines in narrow) == text


def test_a_table_without_rules_stays_in_rows() -> None:
    rows = [("Port", "Depth", "Year"), ("Varde", "9.5", "1871"), ("Ribe", "7", "1872"), ("Esbjerg", "21", "1874")]
    page = [
        (72 + 120 * cell, 700 - 14 * place, text) for place, row in enumerate(rows) for cell, text in enumerate(row)
    ]
    assert pdf_text(_pdf(page)).splitlines() == [" ".join(row) for row in rows]


def test_pages_are_numbered_without_their_running_heads_and_feet() -> None:
    pages = [
        [
            (72, 760, "Annual report of the harbour board"),
            *_column(lines, 72),
            (300, 30, f"Page {number + 11} of 40"),
        ]
        for number, lines in enumerate([LEFT, RIGHT, LEFT[::-1], RIGHT[::-1]])
    ]
    text = pdf_text(_pdf(*pages))
    assert text.count("Annual report") == 1
    assert "of 40" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [f"## Page {number}" for number in (2, 3, 4)]


def test_a_sentence_over_the_end_of_a_page_stands_in_one_piece() -> None:
    text = pdf_text(_pdf(_column(LEFT, 72), _column(["at large, who also paid for a lamp.", "Later it was lost."], 72)))
    assert "merchants of the town at large, who also paid for a lamp." in text
    assert text.index("a lamp.") < text.index("## Page 2") < text.index("Later it was lost.")


def test_words_that_a_line_end_divided_are_whole_and_compounds_keep_their_hyphen() -> None:
    lines = [
        "A well-known pilot measured the chan-",
        "nel twice, and a merchant who was well-",
        "known paid him for it in the same week",
    ]
    text = pdf_text(_pdf(_column(lines, 72)))
    assert (
        text
        == "A well-known pilot measured the channel twice, and a merchant who was well-known paid him for it in the same week"
    )


async def test_a_paper_set_in_columns_is_found_by_words_with_ligatures_and_hyphens(tmp_path: Path) -> None:
    weasyprint = pytest.importorskip("weasyprint")
    page = (
        """<html lang=en><style>@page{size:A4;@bottom-center{content:counter(page)}} body{font:11pt serif}
    div{columns:2;hyphens:auto;text-align:justify} td{border:1px solid}</style><h1>The Varde soundings</h1><div>"""
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
    (table,) = documents.tables
    assert table.view.columns == ["Port: text, 2 different, e.g. Varde | Ribe", "Depth (ft): number, 7 to 9.5"]
