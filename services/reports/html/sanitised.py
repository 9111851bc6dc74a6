"""The final HTML sanitiser: everything outside of these lists is removed."""

import nh3
from markupsafe import Markup

from services.reports.html.formulas import MATHML_ATTRIBUTES, MATHML_TAGS

_TAGS = MATHML_TAGS | set(
    "p h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td pre code strong em br hr a span sup mark q cite figure "
    "figcaption div".split()
)
_ATTRIBUTES = {
    **MATHML_ATTRIBUTES,
    "*": MATHML_ATTRIBUTES["*"] | {"class", "id", "title", "role", "tabindex", "aria-label", "aria-describedby"},
    "a": {"href", "target", "rel"},
    "ol": {"start"},
    "th": {"scope"},
    "span": {"data-ref"},
}


def sanitised(html: Markup) -> Markup:
    """Return HTML with the report's own elements only: no scripts, styles, frames, forms or images; links to http(s) only."""
    return Markup(  # noqa: S704 - that is what the sanitiser is for
        nh3.clean(
            html,
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            url_schemes={"http", "https"},
            link_rel=None,
        )
    )
