"""OpenDocument files are read as they are shown."""

import io
import zipfile

import pytest

from services.search.files.read_opendocument import opendocument_text

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "drawing", "presentation")
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
_STYLE = "<style:style style:name='{}' style:family='{}'>{}</style:style>"
_STYLES = (
    _STYLE.format("struck", "text", "<style:text-properties style:text-line-through-style='solid'/>")
    + _STYLE.format("raised", "text", "<style:text-properties style:text-position='super 58%'/>")
    + _STYLE.format("hidden", "text", "<style:text-properties text:display='none'/>")
    + _STYLE.format("hidden", "table", "<style:table-properties table:display='false'/>")
    + _STYLE.format("hidden", "drawing-page", "<style:drawing-page-properties presentation:visibility='hidden'/>")
)
_SPAN = "<text:span text:style-name='{}'>{}</text:span>"
_BOX = f"<drawing:frame{{}}><drawing:text-box>{_P}</drawing:text-box></drawing:frame>"
_TITLE = " presentation:class='title'"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (_DELETED + _P.format("It is 18."), "It is 18."),
        (_P.format(f"It is 18{_NOTE.format('Warm.')} now{_COMMENT}."), "It is 18 (Warm.) now."),
        (
            f"<table:table>{_ROWS}</table:table>",
            "| Sea | Depth |\n| --- | --- |\n| North | 7 |\n| North | 9 |\n| South | 3 |\n| South | 3 |",
        ),
        (_P.format(f"It is {_SPAN.format('struck', '16')} 18."), "It is ~~16~~ 18."),
        (_P.format(f"It is 10{_SPAN.format('raised', '6')} kg."), "It is 10^6 kg."),
        (_P.format(f"{_BOX.format('', 'In a box.')}It is 18."), "It is 18.\n\nIn a box."),
        (
            _P.format(
                "<text:ruby><text:ruby-base>绳</text:ruby-base><text:ruby-text>shéng</text:ruby-text></text:ruby>"
            ),
            "绳",
        ),
        (
            f"<drawing:page>{_BOX.format(_TITLE, 'Port')}{_BOX.format('', 'In May.')}</drawing:page>"
            f"<drawing:page>{_BOX.format(_TITLE, 'Staff')}<presentation:notes>{_P.format('All.')}</presentation:notes></drawing:page>",
            "# Port\n\n## Slide 1\n\nIn May.\n\n## Slide 2: Staff\n\n### Notes\n\nAll.",
        ),
    ],
)
def test_what_is_shown_is_read_and_nothing_else(body: str, read: str) -> None:
    assert _read(body) == (read, False)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (_P.format(f"It is 18.{_SPAN.format('hidden', ' It was 16.')}"), "It is 18."),
        (f"<table:table table:style-name='hidden'>{_ROWS}</table:table>{_P.format('Now.')}", "Now."),
        (
            f"<drawing:page drawing:style-name='hidden'>{_P.format('No.')}</drawing:page><drawing:page>{_P.format('Now.')}</drawing:page>",
            "## Slide 2\n\nNow.",
        ),
        (
            f"<table:table><table:table-column/><table:table-column table:visibility='collapse'/>{_ROWS}</table:table>",
            "| Sea |\n| --- |\n| North |\n| North |\n| South |\n| South |",
        ),
    ],
)
def test_what_is_hidden_is_not_told_but_named(body: str, read: str) -> None:
    assert _read(body) == (read, True)


def _read(body: str) -> tuple[str, bool]:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", f"<office:document-content {_NAMES}>{_STYLES}{body}</office:document-content>")
    return opendocument_text(file.getvalue())
