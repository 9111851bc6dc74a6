"""The editor's call: a model sees the whole draft with what the check objected to, and changes whole blocks of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemas.evidence import Claim, Excerpt
from schemas.reporter_editing import MAX_EDITS, BlockView, Edit, Editing, Objection, ReporterEditingPrompt
from services.evidence.views import evidence_views
from services.models import ask
from services.reports.document import letters
from services.reports.markdown import Draft
from services.text.word_count import words_in

TEMPLATE = "reporter_editing"
MAX_UNUSED = 12
"""Unused excerpts that an editor sees."""
LEAST_LEFT = 0.5
"""Share of a draft's words that must be left for an edited draft to take its place."""
_CITATION = re.compile(r"\[[^\[\]]{1,200}\]")
_ID = re.compile(r"\b[BEMT]\d+-\d+\b")
_FENCE = re.compile(r"\s*(```|~~~)")
_LINE_BLOCK = re.compile(r"\s*(?:\||[-*+]\s|\d{1,3}[.)]\s)")
"""A row of a table or an item of a list, which is a block of its own."""
_RULE = re.compile(r"[\s|:-]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a draft's Markdown."""

    id: str
    text: str
    tight: bool
    """Whether it follows the block before it without an empty line, as rows of a table do."""

    @property
    def kind(self) -> str:
        """`|` for a row of a table, `-` for an item of a list, `#` for a heading, else empty."""
        first = self.text.lstrip()[:1]
        return first if first in {"|", "#"} else "-" if _LINE_BLOCK.match(self.text) else ""

    @property
    def depth(self) -> int:
        """Level of a heading; 0 for other blocks."""
        return len(self.text) - len(self.text.lstrip("#")) if self.kind == "#" else 0


def blocks_of(markdown: str) -> list[Block]:
    """Split Markdown into blocks that an editor can change: paragraphs, headings, items, rows; a fenced block is one."""
    blocks: list[Block] = []
    lines: list[str] = []
    fence, loose = "", True

    def close() -> None:
        nonlocal loose
        if lines:
            blocks.append(Block(f"B{len(blocks) + 1}", "\n".join(lines), tight=not loose))
            lines.clear()
            loose = False

    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if fence:
            lines.append(line)
            if found and found.group(1) == fence:
                fence = ""
                close()
        elif not line.strip():
            close()
            loose = True
        elif found:
            close()
            fence = found.group(1)
            lines.append(line)
        elif len(lines) == 1 and lines[0].lstrip().startswith("|") and _RULE.fullmatch(line):
            lines.append(line)  # the line below the head of a table
        elif _LINE_BLOCK.match(line) or line.startswith("#"):
            close()
            lines.append(line)
        else:
            lines.append(line)
    close()
    return blocks


def with_edits(blocks: Sequence[Block], edits: Sequence[Edit]) -> str:
    """Return the Markdown of blocks after edits; an edit that names no block, or spoils a table, a list or a heading, is ignored."""
    texts = {block.id: block for block in blocks}
    order = [block.id for block in blocks]
    ends: dict[str, str] = {}  # the last block that was added or moved behind a block
    for number, edit in enumerate(edits):
        place, text = _place(order, edit.block), edit.text.strip()
        if place is None:
            continue
        if edit.action == "drop":
            del order[place : _end(order, place, edit.until)]
        elif edit.action == "replace" and text:
            former, end = texts[edit.block], _end(order, place, edit.until)
            block = Block(former.id, _with_rule(text, former.text), former.tight)
            if end - place > 1 or former.kind in {"", block.kind}:
                texts[former.id] = block
                del order[place + 1 : end]
        elif edit.action == "add_after" and text:
            added = Block(f"N{number}", text, tight=True)
            texts[added.id] = Block(added.id, text, tight=added.kind in {"|", "-"})
            order.insert(_behind(order, edit.block, ends), added.id)
            ends[edit.block] = added.id
        elif edit.action == "move_after" and (first := _place(order, edit.moved)) is not None:
            moved = order[first : _end(order, first, edit.until)]
            if edit.block not in moved:
                order = [key for key in order if key not in moved]
                place = _behind(order, edit.block, ends)
                order[place:place] = moved
                ends[edit.block] = moved[-1]
    before = {block.id: former for former, block in pairwise(blocks)}
    return joined(_without_empty_sections([texts[key] for key in order]), before)


def _without_empty_sections(blocks: Sequence[Block]) -> list[Block]:
    """Leave out the headings, below the title, under which nothing stands."""
    kept: list[Block] = []
    below = 0
    """Depth of the heading that comes next; 0 at the end, 9 where another block comes."""
    for block in reversed(blocks):
        if block.depth > 1 and below <= block.depth:
            continue
        kept.append(block)
        below = block.depth or 9
    return kept[::-1]


def _place(order: Sequence[str], key: str) -> int | None:
    return order.index(key) if key in order else None


def _end(order: Sequence[str], place: int, until: str) -> int:
    """Return the index behind a range; a range that ends before it begins is its first block."""
    return max(place, _place(order, until) or place) + 1


def _behind(order: Sequence[str], key: str, ends: Mapping[str, str]) -> int:
    """Return the index behind a block and what was put behind it before."""
    last = ends.get(key, key)
    return order.index(last if last in order else key) + 1


def _with_rule(text: str, former: str) -> str:
    """Return the new head of a table with the line below it, which a model may leave out."""
    head, _, rule = former.partition("\n")
    has_rule = bool(rule) and head.lstrip().startswith("|") and _RULE.fullmatch(rule) is not None
    return f"{text}\n{rule}" if has_rule and text.startswith("|") and "\n" not in text else text


def joined(blocks: Sequence[Block], before: Mapping[str, Block]) -> str:
    """Join blocks; those that followed each other without an empty line do so still, and so do rows and items.

    Args:
        blocks: the blocks in their order.
        before: the block before each one in the text that they come from, by id.
    """
    parts = [block.text for block in blocks[:1]]
    for last, block in pairwise(blocks):
        beside = before.get(block.id) == last or (block.kind == last.kind and block.kind != "")
        parts += ["\n" if block.tight and beside else "\n\n", block.text]
    return "".join(parts)


async def edited(
    draft: Draft,
    objections: Sequence[Claim],
    reasons: Mapping[str, str],
    *,
    tone: str = "",
    unused: Sequence[Excerpt] | None = None,
    only_mend: bool = False,
) -> str | None:
    """Let a model edit a draft.

    Args:
        draft: the draft.
        objections: its statements that are not proved, with reasons.
        reasons: the verifier's reasons by a statement's words.
        tone: tone of the report.
        unused: excerpts that the draft should use; by default those of high relevance that it does not cite.
        only_mend: whether only blocks with objections may change.

    Returns:
        The new Markdown; None where nothing is to be mended, or where the answer would leave less than half of the draft.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    blocks = blocks_of(draft.markdown)
    views = [BlockView(id=block.id, text=block.text) for block in blocks]
    said = {view.id: letters(_CITATION.sub("", view.text)) for view in views}
    wanted: set[str] = set()
    for claim in {claim.text: claim for claim in objections}.values():
        reason = " ".join(filter(None, [claim.reason, reasons.get(claim.text, "")]))
        for view in views:
            if _holds(said[view.id], claim.text):
                view.objections.append(Objection(text=claim.text, reason=reason))
                wanted.update(_ID.findall(view.text))
                break
    unused = [] if only_mend else _unused(draft) if unused is None else unused
    if not wanted and not unused and not any(view.objections for view in views):
        return None
    prompt = ReporterEditingPrompt(
        question=draft.question,
        locale=draft.locale,
        tone=tone,
        blocks=views,
        evidence=evidence_views([excerpt for excerpt in draft.excerpts if excerpt.id in wanted], draft.sources),
        unused=evidence_views(unused, draft.sources),
        missing_aspects=[] if only_mend else draft.missing_aspects,
    )
    answer = await ask("reporter", prompt, Editing, template=TEMPLATE)
    faulty = {view.id for view in views if view.objections}
    edits = [edit for edit in answer.edits[:MAX_EDITS] if edit.block in faulty or not only_mend]
    markdown = with_edits(blocks, edits)
    if markdown == draft.markdown or words_in(markdown) < LEAST_LEFT * words_in(draft.markdown):
        return None
    return markdown


def _holds(block: str, claim: str) -> bool:
    """Tell whether a block holds a statement, whose cells or sentences may stand apart in it."""
    return all(letters(part) in block for part in claim.split(" | "))


def _unused(draft: Draft) -> list[Excerpt]:
    """Return the excerpts of high relevance that a draft does not cite, the first of each quote."""
    cited = set(_ID.findall(draft.markdown))
    quoted = {excerpt.quote for excerpt in draft.excerpts if excerpt.id in cited}
    fresh = {
        excerpt.quote: excerpt
        for excerpt in reversed(draft.excerpts)
        if excerpt.relevance == "high" and excerpt.id not in cited and excerpt.quote not in quoted
    }
    return list(reversed(fresh.values()))[:MAX_UNUSED]
