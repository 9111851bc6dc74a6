"""Word files are read with all their text."""

import io

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.search.files.convert_office import convert
from services.search.files.docx_numbering import number_as

_RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
_MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_NUMBER = "<m:r><m:t>{}</m:t></m:r>"
_HALF = f"<m:f><m:num>{_NUMBER.format(1)}</m:num><m:den>{_NUMBER.format(2)}</m:den></m:f>"
_BOX = (
    "<w:r><w:drawing><a:graphic xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'><a:graphicData>"
    "<wps:txbx xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape'>{}</wps:txbx>"
    "</a:graphicData></a:graphic></w:drawing></w:r>"
)
_BOXED = f"<w:txbxContent><w:p>{_RUN.format('Of hemp.')}</w:p></w:txbxContent>"
_TWICE = (
    "<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'><mc:Choice Requires='wps'>{}</mc:Choice>"
    "<mc:Fallback><w:r><w:pict><v:textbox xmlns:v='urn:schemas-microsoft-com:vml'>{}</v:textbox></w:pict></w:r></mc:Fallback></mc:AlternateContent>"
)
_GLOSSED = "<w:r><w:ruby><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>".format(
    _RUN.format("shéng"), _RUN.format("绳")
)
_LIMIT = f"<m:limLow><m:e>{_NUMBER.format('argmax')}</m:e><m:lim>{_NUMBER.format('n')}</m:lim></m:limLow>"


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        (f'<w:moveTo w:id="2" w:author="a">{_RUN.format("Of hemp.")}</w:moveTo>', "Rope. Of hemp."),
        (f'<w:moveFrom w:id="2" w:author="a">{_RUN.format("Of hemp.")}</w:moveFrom>', "Rope."),
        (f'<w:fldSimple w:instr=" DOCPROPERTY Due ">{_RUN.format("5 March")}</w:fldSimple>', "Rope. 5 March"),
        (_BOX.format(_BOXED), "Rope. Of hemp."),
        (_TWICE.format(_BOX.format(_BOXED), _BOXED), "Rope. Of hemp."),
        (_TWICE.format(_BOX.format(_BOXED), ""), "Rope. Of hemp."),
        (_GLOSSED, "Rope. 绳"),
        (f"<m:oMath {_MATH}>{_HALF}</m:oMath>", r"Rope. $\frac{1}{2}$"),
        (f"<m:oMathPara {_MATH}><m:oMath>{_LIMIT}</m:oMath></m:oMathPara>", "Rope. $$argmax n$$"),
        (f"<m:oMath {_MATH}>{_LIMIT}</m:oMath><m:oMath {_MATH}>{_HALF}</m:oMath>", r"Rope. $argmax n$$\frac{1}{2}$"),
    ],
)
def test_moved_text_boxes_glossed_characters_fields_and_equations_are_read(inside: str, read: str) -> None:
    document, file = Document(), io.BytesIO()
    document.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')}>{_RUN.format('Rope. ')}{inside}</w:p>"))
    document.save(file)
    assert " ".join(convert("a.docx", file.getvalue())["text"].split()) == read


def test_hidden_text_is_not_told_but_named() -> None:
    document, file = Document(), io.BytesIO()
    paragraph = document.add_paragraph("The site is Gdansk.")
    paragraph.add_run(" The margin is 41 percent.").font.hidden = True
    paragraph.add_run(" It opens in May.").font.hidden = False
    document.save(file)
    answer = convert("a.docx", file.getvalue())
    assert (answer["text"], answer["note"]) == ("The site is Gdansk. It opens in May.", "hidden")


def test_headers_and_footers_are_read_once_without_the_numbers_of_pages() -> None:
    document, file = Document(), io.BytesIO()
    document.add_paragraph("Rope.")
    document.sections[0].header.paragraphs[0].text = "Contract 2291\tVersion 3.2"
    footer = document.sections[0].footer.paragraphs[0]
    footer.text = "Confidential\tPage "
    footer._p.append(parse_xml(f"<w:fldSimple {nsdecls('w')} w:instr=' PAGE '>{_RUN.format('1')}</w:fldSimple>"))
    document.save(file)
    text = convert("a.docx", file.getvalue())["text"]
    assert text == "Rope.\n\n## Headers and footers\n\nConfidential\n\nContract 2291\n\nVersion 3.2"


_LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="{}"/><w:numFmt w:val="{}"/>{}<w:lvlText w:val="{}"/></w:lvl>'
_LEVELS = (
    _LEVEL.format(0, 1, "decimal", '<w:pStyle w:val="Heading1"/>', "§ %1"),
    _LEVEL.format(1, 1, "decimal", "", "%1.%2"),
    _LEVEL.format(2, 2, "lowerLetter", "", "(%3)"),
)
_RESTART = '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="1"/></w:lvlOverride>'


def test_headings_and_clauses_have_the_numbers_that_word_shows() -> None:
    document, file = Document(), io.BytesIO()
    numbering = document.part.numbering_part._element
    numbering.insert(
        0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{"".join(_LEVELS)}</w:abstractNum>')
    )
    for name, more in ((77, ""), (78, _RESTART)):
        numbering.append(
            parse_xml(f'<w:num {nsdecls("w")} w:numId="{name}"><w:abstractNumId w:val="77"/>{more}</w:num>')
        )
    style = document.styles["Heading 1"].element.get_or_add_pPr()
    style.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="77"/></w:numPr>'))

    def clause(text: str, level: int, name: int = 77) -> None:
        own = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{name}"/></w:numPr>'
        document.add_paragraph(text)._p.get_or_add_pPr().append(parse_xml(own))

    document.add_heading("Scope", 1)
    clause("Pumps.", 1)
    clause("Small ones.", 2)
    document.add_paragraph("Between.")
    clause("Large ones.", 2)
    clause("Pipes.", 1)
    document.add_heading("Price", 1)
    clause("Sum.", 1)
    clause("Anew.", 1, 78)
    document.save(file)
    read = convert("a.docx", file.getvalue())["text"].split("\n\n")
    assert read == [
        "# § 1 Scope", "1.1 Pumps.", "(b) Small ones.", "Between.", "(c) Large ones.", "1.2 Pipes.",
        "# § 2 Price", "2.1 Sum.", "2.1 Anew.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "number_format", "written"),
    [
        (4, "lowerRoman", "iv"), (1994, "upperRoman", "MCMXCIV"), (28, "upperLetter", "BB"), (7, "decimalZero", "07"),
        (10, "chineseCounting", "十"), (23, "chineseCountingThousand", "二十三"), (3, "bullet", ""), (3, "ordinal", "3"),
    ],
)  # fmt: skip
def test_numbers_are_written_in_the_format_of_their_level(number: int, number_format: str, written: str) -> None:
    assert number_as(number, number_format) == written
