"""Numbers of sources: S1, S2, … in the order in which a report cites them; copies of one text share a citation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote as percent_encoded

from schemas.evidence import Excerpt, Source
from services.text.duplicates import root_of


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbered sources of one report."""

    sources: list[Source]
    """Originals in the order of their numbers, then copies, which have numbers of their own."""
    cited_as: dict[str, Source]
    """The original that a source is cited as, by the source's content hash."""

    def original_of(self, excerpt: Excerpt) -> Source:
        """Return the source under which an excerpt is cited."""
        return self.cited_as[excerpt.content_hash]


def number_sources(sources: Mapping[str, Source], excerpts: Sequence[Excerpt], cited: Iterable[str]) -> Numbering:
    """Number what was cited, in that order, then what was only read, then the copies.

    Args:
        sources: by content hash; those without an excerpt that are no copy of one with an excerpt are left out.
        excerpts: of sources that are all in `sources`.
        cited: ids of excerpts in the order in which the report cites them.
    """
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts)
    originals = _originals(sources, list(used))
    by_id = {excerpt.id: excerpt for excerpt in excerpts}
    order = list(
        dict.fromkeys(
            [originals[by_id[key].content_hash] for key in cited if key in by_id] + [originals[key] for key in used]
        )
    )
    copies = [key for key, original in originals.items() if key != original and original in order]
    numbered = {
        key: sources[key].model_copy(
            update={"number": number, "duplicate_of": originals[key] if originals[key] != key else None}
        )
        for number, key in enumerate([*order, *copies], 1)
    }
    return Numbering(list(numbered.values()), {key: numbered[originals[key]] for key in numbered})


def _originals(sources: Mapping[str, Source], used: list[str]) -> dict[str, str]:
    """Map each source to the one that it copies, as `settled_copies` has compared them.

    Where the original itself is not among the sources, the first of its copies stands for it.
    """
    originals: dict[str, str] = {}
    standing_for: dict[str, str] = {}
    for key in sorted(sources, key=lambda source: source not in used):
        root = root_of(key, sources)
        if root in originals:
            originals[key] = originals[root]
            continue
        originals[key] = standing_for.get(root) or (root if root in sources and root in used else key)
        standing_for.setdefault(root, originals[key])
    return originals


def link_of(source: Source) -> str:
    """Return what a citation links to: the web page, or the stored text beside the report."""
    if source.kind == "web" and source.url.lower().startswith(("http://", "https://")):
        return percent_encoded(source.url.strip(), safe="/:?&=%#+,@~-._!")
    return stored_text(source)


def stored_text(source: Source) -> str:
    """Return the place of a source's text below the report's folder."""
    return f"sources/{source.content_hash}.txt"
