"""Tables of a PDF file, with rules and without, and what only looks like one."""

import pytest

from services.search.files.pdf_text import pdf_text
from tests.services.search.files.pdf_files import pdf_of


def test_a_table_without_rules_is_a_table() -> None:
    rows = [("Port", "Depth", "Year"), ("Varde", "9.5", "1871"), ("Ribe", "7", "1872"), ("Esbjerg", "21", "1874")]
    page = [
        (72 + 120 * cell, 700 - 14 * place, text) for place, row in enumerate(rows) for cell, text in enumerate(row)
    ]
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    assert pdf_text(pdf_of(page)).splitlines() == [head, "| --- | --- | --- |", *body]


def test_words_in_a_ruled_table_stay_apart() -> None:
    rows = [("Replaced by", "On board of"), ("Piano wire", "The Blake"), ("Hemp rope", "The Challenger")]
    page = [  # with gaps in place of blanks, as TeX writes them
        (76 + 90 * cell, 704 - 20 * place, text.replace(" ", ") Tj [-250] TJ ("))
        for place, row in enumerate(rows)
        for cell, text in enumerate(row)
    ]
    boxes = [f"{72 + 90 * cell} {700 - 20 * place} 90 20 re S" for place in range(3) for cell in range(2)]
    text = pdf_text(pdf_of(page, drawn="\n".join(boxes)))
    assert text.splitlines() == [
        "| Replaced by | On board of |",
        "| --- | --- |",
        *(f"| {a} | {b} |" for a, b in rows[1:]),
    ]


def test_a_head_of_two_rows_is_one_and_its_signs_are_those_of_prose() -> None:
    rows = [("@", "2025", "", "2024", ""), ("", "(m)", "share", "(m)", "share"), ("Cells", "862", "67%", "773", "69%")]
    rows += [("Storage", "341", "27%", "268", "24%")]
    page = [
        (76 + 60 * cell, 704 - 20 * place, text)
        for place, row in enumerate(rows)
        for cell, text in enumerate(row)
        if text
    ]
    over = ["72 680 60 40 re S", "132 700 120 20 re S", "252 700 120 20 re S"]
    boxes = [
        f"{72 + 60 * cell} {700 - 20 * place} 60 20 re S"
        for place in range(1, 4)
        for cell in range(5)
        if (place, cell) != (1, 0)
    ]
    text = pdf_text(pdf_of(page, drawn="\n".join([*over, *boxes]), encoding="/Encoding<</Differences[64/uni2F12]>>"))
    assert text.splitlines() == [
        "| 力 | 2025 (m) | 2025 share | 2024 (m) | 2024 share |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(row)} |" for row in rows[2:]),
    ]


def test_the_first_row_may_lie_within_a_column_that_later_rows_make() -> None:
    rows = [
        [(100, "name"), (135, "of it")],
        [(76, "is"), (100, "Sounding across"), (220, "more")],
        [(76, "as"), (100, "Wire upon drums"), (220, "most")],
    ]
    page = [(left, 700 - 14 * place, text) for place, row in enumerate(rows) for left, text in row]
    assert pdf_text(pdf_of(page)).splitlines()[2:] == [
        "| is | Sounding across | more |",
        "| as | Wire upon drums | most |",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [
            "1  The harbour was dredged in spring",
            "2  and the barges came up to the yard",
            "3  as soon as the ice was gone",
        ],
        ["a)  Sound the outer bar at low water", "b)  Mark the wreck with a red barrel", "c)  Pay the pilots at once"],
        ["haul(wire)  # by hand", "stop(drum)  # with the brake", "read(dial)  # in fathoms"],
    ],
)
def test_numbered_lines_lists_and_remarks_in_code_are_no_tables(lines: list[str]) -> None:
    page = [
        (left, 700 - 14 * place, part)
        for place, line in enumerate(lines)
        for left, part in zip((72, 160), line.split("  "), strict=True)
    ]
    assert "|" not in pdf_text(pdf_of(page))


TABLES = {
    "en": (
        "<p>The table has the depth of each port at low water, and who paid for it.</p><table><tr><th>Port<th>Depth (ft)"
        "<th>Built<th>Paid by</tr><tr><td>Varde<td>9.5<td>1871<td>Merchants of the town, who had lent the money at five per cent"
        "</tr><tr><td colspan=4>Under survey</tr><tr><td>New Esbjerg<td>21<td><td>State</tr><tr><td>Ribe<td>7<td>1872<td>Nobody"
        "</tr></table><p>No other port was sounded that year.</p>",
        "| Port | Depth (ft) | Built | Paid by |\n| --- | --- | --- | --- |\n"
        "| Varde | 9.5 | 1871 | Merchants of the town, who had lent the money at five per cent |\n"
        "| Under survey |  |  |  |\n| New Esbjerg | 21 |  | State |\n| Ribe | 7 | 1872 | Nobody |",
    ),
    "zh": (
        "<p>下表列出每个港口在低潮时的水深以及当年由谁付款。</p><table><tr><th>港口<th>水深（英尺）<th>付款人</tr><tr><td>瓦尔德<td>9.5<td>商人</tr>"
        "<tr><td>里伯<td>7<td>市议会</tr><tr><td>新埃斯比约<td>21<td>国家</tr></table><p>当年没有测量其他港口。</p>",
        "| 港口 | 水深（英尺） | 付款人 |\n| --- | --- | --- |\n| 瓦尔德 | 9.5 | 商人 |\n| 里伯 | 7 | 市议会 |\n| 新埃斯比约 | 21 | 国家 |",
    ),
}


PROSE = {
    "en": "The harbour of Varde was first dredged in 1871, when the ice had left the river and 40 barges could be brought up. ",
    "zh": "瓦尔德港在1871年春天第一次疏浚，当时河冰已经融化，四十艘驳船可以从船厂拖上来，由城里的商人付款。",
}


@pytest.mark.parametrize("language", TABLES)
def test_a_table_without_rules_in_a_printed_page_is_a_table_and_prose_in_columns_is_none(language: str) -> None:
    weasyprint = pytest.importorskip("weasyprint")
    style = "<style>@page{size:A4} body{font:11pt serif} td,th{padding:2pt 8pt;text-align:left} td:last-child{width:6cm}</style>"
    page, table = TABLES[language]
    (own,) = [
        block
        for block in pdf_text(weasyprint.HTML(string=f"<html lang={language}>{style}{page}").write_pdf()).split("\n\n")
        if "|" in block
    ]
    assert own == table
    prose = f"<div style='columns:3;text-align:justify'>{f'<p>{PROSE[language] * 3}</p>' * 12}</div>"
    text = pdf_text(weasyprint.HTML(string=f"<html lang={language}>{style}{prose}").write_pdf())
    assert "|" not in text
    assert "".join(text.split()).count("".join(PROSE[language].split())) >= 12
