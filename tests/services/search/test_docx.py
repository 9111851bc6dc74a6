"""Word files are read with all their text."""

import io

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from services.search.convert_office import convert

_RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
_MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_NUMBER = "<m:r><m:t>{}</m:t></m:r>"
_HALF = f"<m:f><m:num>{_NUMBER.format(1)}</m:num><m:den>{_NUMBER.format(2)}</m:den></m:f>"
_LIMIT = f"<m:limLow><m:e>{_NUMBER.format('argmax')}</m:e><m:lim>{_NUMBER.format('n')}</m:lim></m:limLow>"


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        (f'<w:moveTo w:id="2" w:author="a">{_RUN.format("Of hemp.")}</w:moveTo>', "Rope. Of hemp."),
        (f'<w:moveFrom w:id="2" w:author="a">{_RUN.format("Of hemp.")}</w:moveFrom>', "Rope."),
        (f'<w:fldSimple w:instr=" DOCPROPERTY Due ">{_RUN.format("5 March")}</w:fldSimple>', "Rope. 5 March"),
        (f"<m:oMath {_MATH}>{_HALF}</m:oMath>", r"Rope. $\frac{1}{2}$"),
        (f"<m:oMathPara {_MATH}><m:oMath>{_LIMIT}</m:oMath></m:oMathPara>", "Rope. $$argmax n$$"),
        (f"<m:oMath {_MATH}>{_LIMIT}</m:oMath><m:oMath {_MATH}>{_HALF}</m:oMath>", r"Rope. $argmax n$$\frac{1}{2}$"),
    ],
)
def test_moved_text_fields_and_equations_are_read(inside: str, read: str) -> None:
    document, file = Document(), io.BytesIO()
    document.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')}>{_RUN.format('Rope. ')}{inside}</w:p>"))
    document.save(file)
    assert " ".join(convert("a.docx", file.getvalue())["text"].split()) == read
