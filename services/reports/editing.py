"""Changes of a report by blocks: by a model that sees what the check objected to, or without one, by leaving out or shortening sections."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from schemas.document import Alignment, Block, Heading, Listing, Paragraph, Table
from schemas.evidence import EXCERPT_ID, Claim, Excerpt
from schemas.evidence_view import EvidenceView
from schemas.reporter_editing import MAX_EDITS, BlockView, Edit, Editing, Objection, Omitted, ReporterEditingPrompt
from services.evidence.views import evidence_views, held_by
from services.models import ask
from services.reports.citation_forms import inferences_in_words
from services.reports.document import cited_in, is_label, letters, without_empty_sections, words
from services.reports.markdown import ReportInputs
from services.reports.markdown_blocks import read_draft
from services.reports.nearest import nearest
from services.reports.rendering import to_draft
from services.reports.sentences import Units, ids_in, join_sentences, sentences_of, units_of
from services.text.length import estimate, words_in

TEMPLATE = "reporter_editing"
NEAREST = 3
"""Excerpts nearest to a statement with an objection that an editor sees, of all and of the sources that its block cites, whether the draft cites them or not."""
BETWEEN = 400
"""Characters between an excerpt that a statement with an objection cites and the next one in its source, which an editor sees, too."""
MAX_UNUSED = 12
"""Unused excerpts that an editor sees."""
CITED_TOKENS = 10_000
"""Estimated tokens of the excerpts that a draft cites and no objection concerns, which an editor sees as far as they have room."""
LEAST_LEFT = 0.5
"""Share of a draft's words that must be left for an edited draft to take its place."""
_CITATION = re.compile(rf"\[(?:inferred: )?(?>{EXCERPT_ID}(?:, )?)+\]")
"""A citation as blocks are shown."""
_ROW = re.compile(r"\|[^\n]*\|[ \t]*+(?:\n(?![\s|:-]+(?:\n|$))|$)")
"""A row of a table without the line below a head."""
_ADDED = -1
"""Group of a piece that belongs to the list or the table before it."""
SENTENCES, ITEMS = 2, 2
"""Sentences of a section's first paragraph, or items of its first list, that remain in a shortened report."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What an editor can change of a draft: a block, an item of a list, the head or a row of a table."""

    id: str
    blocks: tuple[Block, ...]
    group: int = 0
    """Number of the list or the table that it is a part of."""

    @property
    def kind(self) -> type[Block] | None:
        """The type of what it is a part of; None for what stands alone."""
        first = self.blocks[0]
        return type(first) if isinstance(first, Table | Listing | Heading) else None


def pieces_of(blocks: Sequence[Block]) -> list[Piece]:
    """Return the pieces of a draft."""
    parts: list[tuple[Block, int]] = []
    for group, block in enumerate(blocks, 1):
        match block:
            case Table(rows=rows):
                parts += [(part, group) for part in (replace(block, rows=()), *(Table((), (row,)) for row in rows))]
            case Listing(items=items, start=start):
                parts += [(replace(block, items=(item,), start=start + at), group) for at, item in enumerate(items)]
            case _:
                parts.append((block, group))
    return [Piece(f"B{number}", (part,), group) for number, (part, group) in enumerate(parts, 1)]


def with_edits(pieces: Sequence[Piece], edits: Sequence[Edit], excerpts: Mapping[str, Excerpt]) -> tuple[Block, ...]:
    """Return the blocks of pieces after edits; an edit that names no piece, or spoils a table, a list or a heading, is ignored."""
    held = {piece.id: piece for piece in pieces}
    order = [piece.id for piece in pieces]
    ends: dict[str, str] = {}  # the last piece that was added or moved behind a piece
    for number, edit in enumerate(edits):
        place, written = _place(order, edit.block), _read(edit.text.strip(), excerpts)
        if place is None:
            continue
        if edit.action == "drop":
            del order[place : _end(order, place, edit.until)]
        elif edit.action == "replace" and written:
            former, end = held[edit.block], _end(order, place, edit.until)
            piece = Piece(former.id, written)
            same = former.kind is piece.kind
            if end - place > 1 or same or former.kind is None:
                held[former.id] = replace(piece, blocks=_fitted(former, written), group=former.group) if same else piece
                del order[place + 1 : end]
        elif edit.action == "add_after" and written:
            added = Piece(f"N{number}", written, _ADDED)
            held[added.id] = added
            order.insert(_behind(order, edit.block, ends), added.id)
            ends[edit.block] = added.id
        elif edit.action == "move_after" and (first := _place(order, edit.moved)) is not None:
            moved = order[first : _end(order, first, edit.until)]
            if edit.block not in moved:
                order = [key for key in order if key not in moved]
                place = _behind(order, edit.block, ends)
                order[place:place] = moved
                ends[edit.block] = moved[-1]
    return without_empty_sections(_joined([held[key] for key in order]))


def _read(text: str, excerpts: Mapping[str, Excerpt]) -> tuple[Block, ...]:
    """Read what an editor wrote; rows of a table may stand without its head."""
    if not _ROW.match(text):
        return read_draft(text, excerpts)
    columns = text.partition("\n")[0].strip().strip("|").count("|") + 1
    rows = read_draft(f"|{' |' * columns}\n|{'---|' * columns}\n{text}", excerpts)
    return tuple(replace(block, header=()) if isinstance(block, Table) else block for block in rows)


def _fitted(former: Piece, written: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return a new head or row of a table with what it has from the former one."""
    match former.blocks[0], written[0]:
        case Table(rows=()) as table, Table(header=(), rows=[head, *rows]):
            return (replace(table, header=head, rows=tuple(rows)), *written[1:])
    return written


def _joined(pieces: Sequence[Piece]) -> list[Block]:
    """Return the blocks of pieces; items of one list and rows of one table, and those that were added behind them, are one block."""
    blocks: list[Block] = []
    group = 0
    for piece in pieces:
        first, *rest = piece.blocks
        before = blocks[-1] if blocks and piece.group in {group, _ADDED} else None
        match before, first:
            case Listing(), Listing() if before.ordered == first.ordered:
                blocks[-1] = replace(before, items=(*before.items, *first.items))
            case Table(), Table(header=()):
                rows = ((*row, *((),) * len(before.header))[: len(before.header)] for row in first.rows)
                blocks[-1] = replace(before, rows=(*before.rows, *rows))
            case _, Table(header=(), rows=[head, *others]):
                side: Alignment = ""
                blocks.append(Table(head, tuple(others), (side,) * len(head)))
                group = piece.group
            case _:
                blocks.append(first)
                group = piece.group
        blocks += rest
    return blocks


def _place(order: Sequence[str], key: str) -> int | None:
    return order.index(key) if key in order else None


def _end(order: Sequence[str], place: int, until: str) -> int:
    """Return the index behind a range; a range that ends before it begins is its first piece."""
    return max(place, _place(order, until) or place) + 1


def _behind(order: Sequence[str], key: str, ends: Mapping[str, str]) -> int:
    """Return the index behind a piece and what was put behind it before."""
    last = ends.get(key, key)
    return order.index(last if last in order else key) + 1


def views_of(pieces: Sequence[Piece]) -> list[BlockView]:
    """Return pieces as an editor sees them."""
    return [BlockView(id=piece.id, text=inferences_in_words(to_draft(piece.blocks))) for piece in pieces]


async def edited(
    draft: ReportInputs,
    objections: Sequence[Claim],
    reasons: Mapping[str, str],
    *,
    tone: str = "",
    unused: Sequence[Excerpt] | None = None,
    only_mend: bool = False,
    unmet: Sequence[str] = (),
    found: Sequence[Excerpt] = (),
    omitted: Collection[Omitted] = (),
) -> tuple[Block, ...] | None:
    """Let a model edit a draft.

    Args:
        draft: the draft.
        objections: its statements that are not proved, with reasons.
        reasons: the verifier's reasons by a statement's words.
        tone: tone of the report.
        unused: excerpts that the draft should use; by default those of high relevance that it does not cite.
        only_mend: whether the model is asked to change only what does not hold, and what refers to that, unless the draft lacks what is asked for.
        unmet: what the draft as a whole lacks of what is asked for, in words.
        found: excerpts of the check, which no writer has seen.
        omitted: words of passages that narrow statements and that these do not have; the model decides what a reader needs.

    Returns:
        The new blocks; None if nothing needs a change, or if the answer keeps less than half of the draft although `unmet` is empty.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    pieces = pieces_of(draft.blocks)
    views = views_of(pieces)
    wanted: set[str] = set()
    known = [excerpt for excerpt in draft.excerpts if excerpt.content_hash in draft.sources]
    held = held_by(known)
    whole = [excerpt for excerpt in known if excerpt.id not in held]
    for claim in {claim.text: claim for claim in objections}.values():
        reason = " ".join(filter(None, [claim.reason, reasons.get(claim.text, "")]))
        if (view := holder_of(claim.text, views)) is not None:
            view.objections.append(Objection(text=claim.text, reason=reason))
            cited = cited_in(next(piece.blocks for piece in pieces if piece.id == view.id))
            wanted.update([*cited, *beside({held.get(key, key) for key in cited}, whole)])
            sources = {excerpt.content_hash for excerpt in known if excerpt.id in cited}
            of_cited = [excerpt for excerpt in whole if excerpt.content_hash in sources]
            for among in (whole, of_cited):
                wanted.update(excerpt.id for excerpt in nearest(claim.text, among, draft.sources, NEAREST))
            decisive = claim.judgement.words if claim.judgement else ""
            wanted.update([excerpt.id for excerpt in whole if decisive and decisive in excerpt.quote][:NEAREST])
    for lost in omitted:
        if (view := holder_of(lost.statement, views)) is not None:
            view.omitted.append(lost)
    unused = [] if only_mend else _unused(draft) if unused is None else unused
    unused = [excerpt for excerpt in unused if excerpt.id not in wanted]
    if not wanted and not unused and not unmet and not any(view.objections or view.omitted for view in views):
        return None
    wanted.update(cited_in(draft.blocks) if unmet else [])
    unused = [excerpt for excerpt in unused if excerpt.id not in wanted]
    prompt = ReporterEditingPrompt(
        question=draft.asked or draft.question,
        locale=draft.locale,
        tone=tone,
        blocks=views,
        evidence=_shown(draft, wanted, held, 0 if only_mend else CITED_TOKENS),
        unused=evidence_views(unused, draft.sources),
        wishes=draft.wishes,
        unmet=list(unmet),
        only_mend=only_mend,
        found=[excerpt.id for excerpt in found],
        missing_aspects=[] if only_mend else draft.missing_aspects,
    )
    answer = await ask("reporter", prompt, Editing, template=TEMPLATE)
    blocks = with_edits(pieces, answer.edits[:MAX_EDITS], {excerpt.id: excerpt for excerpt in draft.excerpts})
    min_words = 0.0 if unmet else LEAST_LEFT * words_in(to_draft(draft.blocks))
    if not blocks or blocks == draft.blocks or words_in(to_draft(blocks)) < min_words:
        return None
    return blocks


def beside(ids: Collection[str], excerpts: Iterable[Excerpt]) -> set[str]:
    """Return the ids of the excerpts that stand next before and behind some in their sources, where little stands between."""
    ordered = sorted(excerpts, key=lambda excerpt: (excerpt.content_hash, excerpt.start))
    near = [(a, b) for a, b in pairwise(ordered) if a.content_hash == b.content_hash and b.start - a.end <= BETWEEN]
    return {other.id for pair in near for one, other in (pair, pair[::-1]) if one.id in ids}


def holder_of(statement: str, views: Sequence[BlockView]) -> BlockView | None:
    """Return the first block that holds a statement, whose cells or sentences may stand apart in it."""
    parts = list(map(letters, statement.split(" | ")))
    texts = (letters(_CITATION.sub("", view.text)) for view in views)
    return next((view for view, text in zip(views, texts, strict=True) if all(part in text for part in parts)), None)


def _shown(draft: ReportInputs, wanted: set[str], held: Mapping[str, str], room: int) -> list[EvidenceView]:
    """Show the wanted excerpts and, as far as there is room, those that the draft cites, in the order of the draft; each text once."""
    known = {excerpt.id: excerpt for excerpt in draft.excerpts}
    shown: dict[str, list[str]] = {}  # the ids whose texts an excerpt holds, by its id
    for key in [*sorted(wanted & known.keys()), *cited_in(draft.blocks)]:
        holder = held.get(key, key)
        if key not in wanted and key in known and holder not in shown:
            room -= estimate(known[holder].quote)
        if room < 0:
            break
        shown.setdefault(holder, []).append(key)
    views = evidence_views((excerpt for excerpt in draft.excerpts if excerpt.id in shown), draft.sources)
    return [view.model_copy(update={"also": sorted({*shown[view.id]} - {view.id})}) for view in views]


def _unused(draft: ReportInputs) -> list[Excerpt]:
    """Return the latest excerpts of high relevance that a draft does not cite, the first of each quote: they were searched to close gaps."""
    cited = set(cited_in(draft.blocks))
    quoted = {excerpt.quote for excerpt in draft.excerpts if excerpt.id in cited}
    fresh = {
        excerpt.quote: excerpt
        for excerpt in reversed(draft.excerpts)
        if excerpt.relevance == "high" and excerpt.id not in cited and excerpt.quote not in quoted
    }
    return list(reversed([*fresh.values()][:MAX_UNUSED]))


def headings_of(blocks: Sequence[Block]) -> list[str]:
    """Return the headings of a report's sections, without the title."""
    return [words(block.content) for block in blocks if isinstance(block, Heading) and block.level > 1]


def without_section(blocks: Sequence[Block], heading: str) -> tuple[Block, ...] | None:
    """Return a report without a section, those inside it, and one that held nothing else; None if no section has this heading."""
    remaining: list[Block] = []
    dropped = 0
    """Level of the section that is left out; 0 outside of it."""
    for block in blocks:
        if isinstance(block, Heading) and (not dropped or block.level <= dropped):
            dropped = block.level if block.level > 1 and words(block.content) == heading.strip() else 0
        if not dropped:
            remaining.append(block)
    return without_empty_sections(remaining) if len(remaining) < len(blocks) else None


def shortened(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the title, the text before the first section, and of each section the beginning of its first block.

    Labels stay above what they name; a section that holds only labels goes.
    """
    shown: list[Block] = []
    waiting: list[Block] = []
    """A heading and labels, until a block below them is kept."""
    complete = in_section = False
    for block in blocks:
        if isinstance(block, Heading):
            in_section, complete = block.level > 1, False
            waiting = [block] if in_section else []
            shown += [] if in_section else [block]
        elif not in_section:
            shown.append(block)
        elif not complete and isinstance(block, Paragraph) and is_label(block.content):
            waiting.append(block)
        elif not complete:
            shown += [*waiting, _beginning(block)]
            complete = True
    return tuple(shown)


def _beginning(block: Block) -> Block:
    """Return the first sentences of a paragraph up to a citation, or the first items of a list; other blocks stay whole."""
    if isinstance(block, Listing):
        return replace(block, items=block.items[:ITEMS])
    if not isinstance(block, Paragraph):
        return block
    beginning: list[Units] = []
    for sentence in sentences_of(units_of(block.content)):
        beginning.append(sentence)
        if len(beginning) >= SENTENCES and ids_in(sentence):
            return Paragraph(join_sentences(beginning))
    return block
