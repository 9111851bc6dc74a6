"""Recognises a set's sources, by address, DOI, arXiv number, file name or stem, and facts in a text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from schemas.evidence import Source, root_of
from services.text.normal_form import normal_form
from services.text.tokens import has_cjk

_DOI = re.compile(r"(?:doi\.org/|doi:\s{0,3}|^)(10\.\d{4,9}/[^\s?#]{1,200})", re.IGNORECASE)
_ARXIV = re.compile(r"(?:arxiv\.org/(?:abs|pdf|html)/|^arxiv:\s{0,3})(\d{4}\.\d{4,5})", re.IGNORECASE)
MAX_NAME = 4_000
"""Maximum characters of an address or name that are read."""


def names_of(text: str) -> set[str]:
    """Return the normalised names of a source from its written form.

    Of a web address its host without `www.` and its path, without scheme, fragment and last slash; of a file its name and stem.
    """
    text = text.strip()[:MAX_NAME].casefold()
    names = {f"doi:{match[1].rstrip('/.')}" for match in [_DOI.search(text)] if match}
    names |= {f"arxiv:{match[1]}" for match in [_ARXIV.search(text)] if match}
    if "://" in text:
        try:
            split = urlsplit(text)
            host = (split.hostname or "").removeprefix("www.")
        except ValueError:
            return names
        query = f"?{split.query}" if split.query else ""
        return names | {f"{host}{split.path.rstrip('/')}{query}"}
    path = PurePosixPath(text.partition("#")[0].replace("\\", "/"))
    return names | {text.rstrip("/").removeprefix("www."), path.name, path.stem} - {""}


def names_of_source(source: Source) -> set[str]:
    """Return all normalised names of a source."""
    doi = source.publication.doi if source.publication is not None else None
    return {name for text in (*source.addresses, *([doi] if doi else [])) for name in names_of(text)}


def with_copies(keys: Iterable[str], sources: Mapping[str, Source]) -> set[str]:
    """Return content hashes with those of all copies: a copy counts as its source."""
    roots = {root_of(key, sources) for key in keys}
    return {key for key in sources if root_of(key, sources) in roots}


def gold_among(gold: Sequence[str], keys: Iterable[str], sources: Mapping[str, Source]) -> set[str]:
    """Return the set's sources that are among sources given by content hash."""
    names = {name for key in with_copies(keys, sources) for name in names_of_source(sources[key])}
    return {name for name in gold if names_of(name) & names}


def states(text: str, forms: Iterable[str]) -> bool:
    """Tell whether a text has a form of a fact as separate words and numbers: 53 is not in 1853 or 5.53."""
    whole = plain(text)
    return any(_has(whole, plain(form)) for form in forms)


def plain(text: str) -> str:
    """Return a text in lower case, with plain blanks and normalised characters."""
    return " ".join(normal_form("NFKC", text).casefold().split())


def _has(text: str, form: str) -> bool:
    start = text.find(form) if form else -1
    while start >= 0:
        end = start + len(form)
        if not (_joined(text, start, -1) or _joined(text, end - 1, 1)):
            return True
        start = text.find(form, start + 1)
    return False


def _joined(text: str, place: int, step: int) -> bool:
    """Tell whether a word or number continues before (-1) or after (1) a position."""
    here, there, beyond = (
        text[index] if 0 <= index < len(text) else " " for index in (place, place + step, place + 2 * step)
    )
    if not here.isalnum() or has_cjk(here) or has_cjk(there):
        return False
    return there.isalnum() or (here.isdigit() and there in ".," and beyond.isdigit())
