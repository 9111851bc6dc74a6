"""Renders a page as PDF with WeasyPrint, in a confined process; see `services/sandbox/workers.py`."""

import base64
import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

from services.reports.formulas import plain_math
from services.sandbox.jobs import serve

_MATH = re.compile(r'<math aria-label="([^"<]*)"[^<>]*>(?:(?!<math\b).)*?</math>', re.DOTALL)


def main() -> None:
    """Render the pages from standard input."""
    serve(_answer)


def _answer(_: dict[str, Any], page: bytes) -> dict[str, str]:
    import weasyprint

    # WeasyPrint does not support MathML, and a fraction without its bar has another meaning
    text = page.decode("utf-8", "replace")
    html = _MATH.sub(lambda formula: f"<i>{escape(plain_math(unescape(formula[1])))}</i>", text)
    try:
        pdf = weasyprint.HTML(string=html, url_fetcher=_nothing_from_outside).write_pdf(presentational_hints=True)
    except Exception as error:  # noqa: BLE001 - whatever fails in there is told, not raised
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    return {"pdf": base64.b64encode(bytes(pdf)).decode()}


def _nothing_from_outside(address: str, *_: Any, **__: Any) -> Mapping[str, Any]:
    raise ValueError(f"a report needs nothing from outside, and {address[:80]} is there")


if __name__ == "__main__":
    main()
