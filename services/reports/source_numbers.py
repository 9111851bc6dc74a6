"""Numbers the sources S1, S2, … in order of citation; copies of one text share a citation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote as percent_encoded

from schemas.evidence import Excerpt, Source, root_of
from services.text.slugs import slug_of

MAX_NAME = 40
"""Maximum characters of a source in the name of its text."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbered sources of one report."""

    sources: list[Source]
    """Originals by number, then copies, which have their own numbers."""
    cited_as: dict[str, Source]
    """Original of each source, by the source's content hash."""

    def original_of(self, excerpt: Excerpt) -> Source:
        """Return the source under which an excerpt is cited."""
        return self.cited_as[excerpt.content_hash]


def number_sources(sources: Mapping[str, Source], excerpts: Sequence[Excerpt], cited: Iterable[str]) -> Numbering:
    """Number cited sources in order of citation, then uncited ones, then copies.

    Args:
        sources: sources by content hash; sources without excerpts are left out, unless they are copies of a source with
            excerpts.
        excerpts: excerpts of these sources.
        cited: excerpt ids in order of citation.
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
            update={
                "number": number,
                "file": f"sources/{number:02d}-{name_of(sources[key])}.txt",
                "duplicate_of": originals[key] if originals[key] != key else None,
            }
        )
        for number, key in enumerate([*order, *copies], 1)
    }
    return Numbering(list(numbered.values()), {key: numbered[originals[key]] for key in numbered})


def _originals(sources: Mapping[str, Source], used: list[str]) -> dict[str, str]:
    """Map each source to its original, as `settled_copies` has compared them.

    If the original is not among the sources, its first copy takes its place.
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
    """Return the link target of a citation: the web page, or the stored text beside the report."""
    if source.kind == "web" and source.url.lower().startswith(("http://", "https://")):
        return percent_encoded(source.url.strip(), safe="/:?&=%#+,@~-._!")
    return stored_text(source)


def stored_text(source: Source) -> str:
    """Return the path of a source's text below the report's folder, without the ending of a compressed one.

    Sources of earlier reports have no `file`: their texts are named by the content hash.
    """
    return source.file.removesuffix(".gz") or f"sources/{source.content_hash}.txt"


def name_of(source: Source) -> str:
    """Return what names a source in the name of its text: its short name or number, else its title."""
    name = slug_of(source.card.name or source.card.title or source.url, 2 * MAX_NAME, "source")
    return name if len(name) <= MAX_NAME else name[: MAX_NAME + 1].rpartition("-")[0] or name[:MAX_NAME]
