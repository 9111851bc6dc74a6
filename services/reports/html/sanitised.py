"""The final sanitiser of HTML, outside of whose lists everything is removed, and formulas as MathML, which browsers render."""

import re

import nh3
from markupsafe import Markup, escape

MATHML_TAGS = set(
    "math mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup munder "
    "mover munderover mmultiscripts mprescripts mtable mtr mtd".split()
)
MATHML_ATTRIBUTES = {
    "math": {"display"},
    "*": set(
        "stretchy fence separator accent movablelimits linethickness mathvariant columnalign width notation lspace rspace "
        "minsize maxsize scriptlevel displaystyle".split()
    ),
}
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(aligned|align|gathered|gather\*?|eqnarray\*?)\}")
_ALIKE = {"aligned": "split", "align": "align*", "eqnarray": "array"}
"""Environments that the converter knows, by those that look alike; numbers of lines would begin anew in each formula."""
_UNKNOWN = re.compile(r"<mi>\\")
MAX_LATEX = 2_000
_TAGS = MATHML_TAGS | set(
    "p h3 h4 h5 h6 ul ol li blockquote table colgroup col thead tbody tr th td pre code strong em br hr a span sup mark q cite figure "
    "figcaption div".split()
)
_ATTRIBUTES = {
    **MATHML_ATTRIBUTES,
    "*": MATHML_ATTRIBUTES["*"] | {"class", "id", "title", "role", "tabindex", "aria-label", "aria-describedby"},
    "a": {"href", "target", "rel"},
    "col": {"width"},
    "ol": {"start"},
    "th": {"scope"},
    "span": {"data-ref"},
}


def mathml(latex: str, *, display: bool = False) -> Markup:
    r"""Return a formula as MathML, or as code if it cannot be parsed.

    The converter copies what stands in `\text` and `\href` as it is, so only tags and attributes of MathML that
    neither link nor style pass the sanitiser behind it.
    """
    from latex2mathml.converter import convert

    code = Markup("<code>{}</code>").format(latex)
    if len(latex) > MAX_LATEX or "\x00" in latex:
        return code
    try:
        converted = convert(_ENVIRONMENT.sub(_known, latex), display="block" if display else "inline")
    except Exception:  # noqa: BLE001 - the converter raises whatever a wrong formula makes it stumble over
        return code
    if _UNKNOWN.search(converted):
        return code
    if display:  # a formula of a block is as wide as what it holds, not as the page
        converted = converted.replace('display="block"', 'display="inline" displaystyle="true"', 1)
    clean = nh3.clean(converted, tags=MATHML_TAGS, attributes=MATHML_ATTRIBUTES)
    if not clean.startswith("<math"):
        return code
    return Markup(clean.replace("<math", f'<math aria-label="{escape(latex)}"', 1))  # noqa: S704 - sanitised just before


def _known(environment: re.Match[str]) -> str:
    """Return the beginning or the end of an environment by the name of one that looks alike."""
    name = _ALIKE.get(environment[2].rstrip("*"), "matrix")
    return f"\\{environment[1]}{{{name}}}" + ("{rcl}" if (environment[1], name) == ("begin", "array") else "")


def sanitised(html: Markup) -> Markup:
    """Return HTML with the report's own elements only: no scripts, styles, frames, forms or images; links to http(s) only."""
    clean = nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https"}, link_rel=None)
    return Markup(clean)  # noqa: S704 - that is what the sanitiser is for
