"""OpenDocument files are read as they are shown."""

import io
import zipfile

import pytest

from services.search.read_opendocument import opendocument_text

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
_P = "<text:p>{}</text:p>"
_CELL = f"<table:table-cell{{}}>{_P}</table:table-cell>"
_NOTE = f"<text:note><text:note-citation>1</text:note-citation><text:note-body>{_P}</text:note-body></text:note>"
_COMMENT = f"<office:annotation>{_P.format('Is it?')}</office:annotation>"
_DELETED = f"<text:tracked-changes><text:deletion>{_P.format('It was 16.')}</text:deletion></text:tracked-changes>"
_MERGED = _CELL.format(" table:number-rows-spanned='2'", "North")
_ROWS = "".join(
    f"<table:table-row{repeated}>{cells}</table:table-row>"
    for repeated, cells in (
        ("", _CELL.format("", "Sea") + _CELL.format("", "Depth")),
        ("", _MERGED + _CELL.format("", f"7{_COMMENT}")),
        ("", "<table:covered-table-cell/>" + _CELL.format("", "9")),
        (" table:number-rows-repeated='2'", _CELL.format("", "South") + _CELL.format("", "3")),
    )
)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (_DELETED + _P.format("It is 18."), "It is 18."),
        (_P.format(f"It is 18{_NOTE.format('Warm.')} now{_COMMENT}."), "It is 18 (Warm.) now."),
        (
            f"<table:table>{_ROWS}</table:table>",
            "| Sea | Depth |\n| --- | --- |\n| North | 7 |\n| North | 9 |\n| South | 3 |\n| South | 3 |",
        ),
    ],
)
def test_what_is_shown_is_read_and_nothing_else(body: str, read: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", f"<office:document-content {_NAMES}>{body}</office:document-content>")
    assert opendocument_text(file.getvalue()) == read
