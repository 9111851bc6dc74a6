"""What a program copied from the user's documents, as passages of these documents."""

import asyncio
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from schemas.coder import COPIED, MOST_COPIES, REMEMBERED
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.documents import Documents
from services.search.gather import Gathered
from services.search.hit import Hit, HitPassage
from services.search.pool import Key, Pool
from services.search.providers import providers_for
from services.text.code_blocks import code_blocks
from services.text.passages import ATTRIBUTES, sentences
from services.text.quote_location import locate
from services.text.spans import block_around

LONGEST_COPY, LONGEST_QUOTE = 900, 1_800
"""Characters of copied words that are looked for, and of the sentences around them; of longer ones the words alone are quoted."""
LONGEST_CODE = 1_500
"""Characters of a whole block of code that is quoted for one of its lines; of longer ones a part is."""
LONGEST_BELOW = 900
"""Characters below a quote in which a list that it introduces, or the line that says whose words they are, is looked for."""
MOST_BORDERS = 5
"""Colons of a line at which its path may end."""
_LINE = re.compile(r"[^\n]++")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)、])(?![-*\d])")
_ENDS = re.compile(r"[.!?。！？…;；:：।؟۔|][\"'”’)\]」』）*`]{0,4}\Z")
"""The end of a sentence, or of a row of a table."""
_APART = re.compile(r"[-*+•>|#]|\(?\w{1,2}[.)、]\s")
"""The beginning of what stands by itself: an item, a row, a heading."""
_COPY = re.compile(rf"{COPIED}([^\n]{{1,500}}?): ([^\n]+)")


class Copy(NamedTuple):
    """Words that a program printed as those of a text."""

    path: str
    """Of the document, with its folder's name in front."""
    words: str


def copies_of(printed: str) -> tuple[str, list[Copy]]:
    """Return what a program printed without the lines `QUOTE path: words`, and the first of these lines, each once."""
    others, copies = [], dict[Copy, None]()
    for line in printed.split("\n"):
        if match := _COPY.fullmatch(line.strip()):
            copies.setdefault(Copy(match[1].strip(), match[2].strip()[:LONGEST_COPY]))
        else:
            others.append(line)
    return "\n".join(others).strip(), list(copies)[:MOST_COPIES]


async def located_once(run: Run, copies: Sequence[Copy], evidence: EvidenceStore) -> Gathered:
    """Find copied words in the documents that they name, or return what was recorded.

    Returns:
        A passage of whole sentences for each copy that stands in its document, in their order, each once, and their sources; `failures` begin
        as the others do.
    """

    async def work() -> Gathered:
        pool, keys, failures = Pool(), dict[Key, None](), list[str]()
        folders = (await providers_for(run.context)).documents
        for copy in copies:
            for hit, words in await _named(copy, folders):
                if place := await asyncio.to_thread(_whole_sentences, words, hit.text):
                    keys |= dict.fromkeys(pool.rank("", [hit.model_copy(update={"passages": [place]})]))
                    break
            else:
                failures.append(f"{copy.path}: {copy.words[:REMEMBERED]}")
        passages, sources = await pool.collect([*keys], {key: key for key, _, _ in keys}, evidence)
        return Gathered(passages=passages, sources=sources, failures=failures)

    request = {"copies": [list(copy) for copy in copies]}
    return (await run.journal.once("copies", copies[0].path[:200], request, Gathered, work)).answer


async def _named(copy: Copy, folders: Sequence[Documents]) -> list[tuple[Hit, str]]:
    """Return the documents of a path, each with the words copied from it.

    The path may have colons, and lack the name of a folder if no other one has it.
    """
    written = f"{copy.path}: {copy.words}"
    for border in [match.start() for match in re.finditer(": ", written)][:MOST_BORDERS]:
        path, words = written[:border], written[border + 2 :]
        named = [hit for folder in folders if (hit := await folder.at(path))]
        if named:
            return [(hit, words) for hit in named]
        below = [hit for folder in folders if (hit := await asyncio.to_thread(folder.index.at, path))]
        if len(below) == 1:
            return [(below[0], words)]
    return []


def _whole_sentences(words: str, text: str) -> HitPassage | None:
    """Return the place of the sentences of a paragraph, or of several, or of the parts of code, that hold words, with what belongs to these below.

    None where the text does not hold these words.
    """
    if (place := locate(words, text) or _from_to(words, text)) is None:
        return None
    code = _code_around(place[0], text)
    start, end = code or _paragraph_around(place, text)
    block = block_around(text[start:end], place[0] - start, LONGEST_CODE) if code else None
    if block and place[1] <= start + block[1]:
        return HitPassage(start=start + block[0], end=start + block[1])
    spans = [(start + span.start, start + span.end) for span in sentences(text[start:end])]
    held = _whole(spans, place, text) or [place]
    whole = held[0][0], _with_what_belongs(held[-1][1], text)
    first, last = whole if whole[1] - whole[0] <= LONGEST_QUOTE else place
    return HitPassage(start=first, end=last)


def _from_to(words: str, text: str) -> tuple[int, int] | None:
    """Return the place from the first to the last words of a quote that leaves out what stands between them; of a long one that of the first words."""
    first, _, last = words.partition(" … ")
    if not last or (start := locate(first, text)) is None:
        return None
    end = locate(last, text[start[1] : start[0] + LONGEST_QUOTE])
    return (start[0], start[1] + end[1]) if end else start


def _whole(spans: Sequence[tuple[int, int]], place: tuple[int, int], text: str) -> Sequence[tuple[int, int]]:
    """Return the spans of a paragraph that a place touches; of prose, with those that end or begin a sentence with them, as lines may be short."""
    held = [number for number, span in enumerate(spans) if span[0] < place[1] and place[0] < span[1]]
    if not held:
        return []
    first, last = held[0], held[-1]
    ends = [_ENDS.search(text, *span) is not None for span in spans]
    begins = [_APART.match(text, *span) is not None for span in spans]
    while ends[-1] and last + 1 < len(spans) and not ends[last] and not begins[last + 1]:
        last += 1
    while ends[-1] and first > 0 and not ends[first - 1] and not begins[first] and not begins[first - 1]:
        first -= 1
    return spans[first : last + 1]


def _code_around(place: int, text: str) -> tuple[int, int] | None:
    return next(((block.start, block.end) for block in code_blocks(text) if block.start <= place < block.end), None)


def _paragraph_around(place: tuple[int, int], text: str) -> tuple[int, int]:
    before, after = text.rfind("\n\n", 0, place[0]), text.find("\n\n", place[1])
    return before + 2 if before >= 0 else 0, after if after >= 0 else len(text)


def _with_what_belongs(end: int, text: str) -> int:
    """Return the end of a quote with the list or the code that it introduces, or the line near below that says whose words it has."""
    lines = [
        line for line in _LINE.finditer(text, end, end + LONGEST_BELOW) if text[line.end() : line.end() + 1] in "\n"
    ]
    if text[:end].endswith((":", "：")):
        listed = list(takewhile(lambda line: _ITEM.match(line[0].strip()), lines))
        begins = lines[0].start() if lines else end
        code = _code_around(begins, text)
        whole = code and code[0] == begins and code[1] - begins <= LONGEST_CODE
        return code[1] if code and whole else listed[-1].end() if listed else end
    for line in lines:
        words = line[0].strip()
        if ATTRIBUTES.fullmatch(words):
            return line.end()
        if _ITEM.match(words) or words.startswith("#"):
            break
    return end
