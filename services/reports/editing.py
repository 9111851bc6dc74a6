"""The editor's call: a model sees the whole draft with what the check objected to, and changes whole blocks of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
        elif _LINE_BLOCK.match(line) or line.startswith("#"):
            close()
            lines.append(line)
        else:
            lines.append(line)
    close()
    return blocks


def with_edits(blocks: Sequence[Block], edits: Sequence[Edit]) -> str:
    """Return the Markdown of blocks after edits; an edit that names no block, or puts another kind in its place, is ignored."""
    texts = {block.id: block for block in blocks}
    order = [block.id for block in blocks]
    for number, edit in enumerate(edits[:MAX_EDITS]):
        if edit.block not in order:
            continue
        text, former = edit.text.strip(), texts[edit.block]
        place = order.index(edit.block)
        if edit.action == "drop":
            del order[place]
        elif edit.action == "replace" and text and (Block("", text, tight=False).kind == former.kind):
            texts[edit.block] = Block(former.id, text, former.tight)
        elif edit.action == "add_after" and text:
            added = Block(f"N{number}", text, tight=False)
            texts[added.id] = Block(added.id, text, tight=bool(added.kind in {"|", "-"} and added.kind == former.kind))
            order.insert(place + 1, added.id)
        elif edit.action == "move_after" and edit.moved in order and edit.moved != edit.block:
            order.remove(edit.moved)
            order.insert(order.index(edit.block) + 1, edit.moved)
    return "".join(
        f"{('' if not place else chr(10) if texts[key].tight else chr(10) * 2)}{texts[key].text}"
        for place, key in enumerate(order)
    )


async def edited(
    draft: Draft, objections: Sequence[Claim], reasons: Mapping[str, str], *, tone: str = ""
) -> str | None:
    """Let a model edit a draft.

    Args:
        draft: the draft.
        objections: its statements that are not proved, with reasons.
        reasons: the verifier's reasons by a statement's words.
        tone: tone of the report.

    Returns:
        The new Markdown; None where nothing is to be mended, or where the answer would leave less than half of the draft.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    blocks = blocks_of(draft.markdown)
    views = [BlockView(id=block.id, text=block.text) for block in blocks if not _RULE.fullmatch(block.text)]
    said = {view.id: letters(_CITATION.sub("", view.text)) for view in views}
    wanted: set[str] = set()
    for claim in objections:
        reason = " ".join(filter(None, [claim.reason, reasons.get(claim.text, "")]))
        for view in views:
            if _holds(said[view.id], claim.text):
                view.objections.append(Objection(text=claim.text, reason=reason))
                wanted.update(_ID.findall(view.text))
                break
    unused = _unused(draft)
    if not wanted and not unused and not any(view.objections for view in views):
        return None
    known = {excerpt.id: excerpt for excerpt in draft.excerpts}
    prompt = ReporterEditingPrompt(
        question=draft.question,
        locale=draft.locale,
        tone=tone,
        blocks=views,
        evidence=evidence_views([known[key] for key in known if key in wanted], draft.sources),
        unused=evidence_views(unused, draft.sources),
        missing_aspects=draft.missing_aspects,
    )
    answer = await ask("reporter", prompt, Editing, template=TEMPLATE)
    markdown = with_edits(blocks, answer.edits)
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
