"""The outline of a deck: the content of each slide, short enough to fit, with the sources in the notes. Pages that a model wrote take the place of rules."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, zip_longest

from schemas.deck import DeckCard, DeckPage
from schemas.document import Block, Code, Drawing, Listing, Mark, Paragraph, Quotation, Table
from services.reports.added_sections import why_marked
from services.reports.document import KeyFigure, ParsedReport, Section, letters, words
from services.reports.labels import Labels, labels_for
from services.reports.slides.layout import (
    TABLE_SIZE,
    beside,
    block_slides,
    card_slides,
    figure_slides,
    headed,
    limited,
    main_cards,
    quote_cards,
    readable_picture,
)
from services.reports.slides.slide import (
    BESIDE,
    HIGH,
    ShownCard,
    Slide,
    block_cards,
    cards_height,
    introduction,
    numbers_in,
    sentence_cards,
    shortened,
    value_on_card,
)

BESIDE_SIZE = 18
"""Smallest font size in points of cards beside a chart."""
MAX_SLIDES = 20
"""Approximate maximum of slides; of a longer report only the main points are shown, and the rest is in the notes."""
MIN_FIGURES = 3
"""Minimum charts, diagrams and tables in such a deck, if the report has them."""
MAX_SECTION_SLIDES = 3
"""Maximum slides of cards for a section of such a deck."""
CONTENTS = 14
"""Entries of one slide of contents or sources; if more than two slides of contents were needed, there are none."""
SINGLE_COLUMN = 8
"""Maximum entries in one column, in larger type."""
DIVIDED = 3
"""Minimum parts of a report's own text for a slide of contents."""
AT_FOOT = 4
"""Maximum sources on the last slide; more sources have their own slides before it."""
_DARK = frozenset({"cover", "end"})
_COVER_LINE = 140
"""Length of a line at the foot of the cover, in half-width characters."""


def figures_of(report: ParsedReport) -> list[tuple[Section, tuple[Block, ...]]]:
    """Return the charts and tables of a report's own sections, in order, and then its code with the marks behind it."""
    found = [(section, figure) for section in report.body for figure in _figures(section.blocks)]
    return sorted(found, key=lambda each: isinstance(each[1][0], Code))


def _figures(blocks: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    for block, after in zip_longest(blocks, blocks[1:]):
        match block:
            case Table() | Drawing():
                yield (block,)
            case Code(is_diagram=False):
                is_mark = isinstance(after, Paragraph) and all(isinstance(each, Mark) for each in after.content)
                yield (block, after) if is_mark else (block,)
            case Listing(items=items):
                yield from chain.from_iterable(map(_figures, items))
            case Quotation(blocks=inner):
                yield from _figures(inner)


def written_slides(section: Section, pages: Sequence[DeckPage], report: ParsedReport) -> list[Slide]:
    """Lay out a section's pages from the model, each figure after the page that names it, the others at the end, code in the notes."""
    figures = {number: figure for number, (own, figure) in enumerate(figures_of(report), 1) if own is section}
    numbers = {quote.id: reference.number for reference in report.references for quote in reference.quotes}
    charted = any(isinstance(block, Drawing) for block in section.blocks)
    slides: list[Slide] = []
    for page in pages:
        cards = [_proved(card, numbers) for card in page.cards]
        made = _page(page.title, cards, figures.pop(page.figure, ()), report, charted=charted)
        over = "" if letters(page.title) == letters(words(section.title)) else words(section.title)
        slides += [replace(slide, subtitle=over) for slide in made]
    drawn = [block for block in section.blocks if readable_picture(block, report)]
    others = [figure[0] for figure in figures.values() if not isinstance(figure[0], Code)]
    slides += block_slides(words(section.title), [*others, *drawn], report)
    code = chain.from_iterable(figure for figure in figures.values() if isinstance(figure[0], Code))
    notes = beside(_code_cards([*code], report))
    return [*slides[:-1], *(replace(slide, notes=(*slide.notes, *notes)) for slide in slides[-1:])]


def _code_cards(blocks: Sequence[Block], report: ParsedReport) -> list[ShownCard]:
    return [card for slide in block_slides("", blocks, report) for card in slide.cards]


def _page(
    title: str, cards: Sequence[ShownCard], figure: Sequence[Block], report: ParsedReport, *, charted: bool
) -> list[Slide]:
    """Lay out a page: its cards beside its chart, above its code, or above a part of its table, if they fit there, else before it."""
    block = figure[0] if figure else None
    if not isinstance(block, Table | Drawing):
        return card_slides(title, [*cards, *_code_cards(figure, report)])
    shown = ShownCard(title)
    if isinstance(block, Drawing) and cards_height(cards, BESIDE_SIZE, BESIDE) <= HIGH:
        [chart] = figure_slides(title, block, report, shown)
        return [replace(chart, cards=tuple(cards))]
    slides = figure_slides(title, block, report, shown, charted=charted)
    for place, slide in enumerate(slides):
        together = replace(slide, cards=tuple(cards))
        if slide.kind == "table" and together.holds_cards(TABLE_SIZE):
            return [*slides[:place], together, *slides[place + 1 :]]
    return [*card_slides(title, cards), *slides]


def _proved(card: DeckCard, numbers: Mapping[str, int]) -> ShownCard:
    cited = tuple(dict.fromkeys(numbers[key] for key in card.citations if key in numbers))
    mark = Mark("inferred") if card.inferred else None
    reasons = ((card.text, mark),) if mark else ()
    return ShownCard(card.text, value_on_card(card.value), cited, "figure" if card.value else "plain", mark, reasons)


def outline(report: ParsedReport) -> list[Slide]:
    """Lay a report out as slides: cover, summary, contents, sections, sources, end.

    Content of the summary slides is not repeated.
    """
    labels = labels_for(report.locale)
    opening = _opening(report, labels)
    shown = {letters(card.text) for slide in opening for card in slide.cards}
    parts = list(_parts(section for section in report.sections if section.role not in {"computations", "references"}))
    own = [section for part in parts if not part[0].role for section in part]
    numbered = enumerate(report.body, 1)
    deck = {section.anchor: [page for page in report.deck if page.section == number] for number, section in numbered}
    full = {one.anchor: _section(one, report, shown, deck.get(one.anchor, ())) for part in parts for one in part}
    divided = sum(not part[0].role for part in parts) >= DIVIDED
    contents = list(_contents(parts, labels)) if divided and len(parts) <= 2 * CONTENTS else []
    in_sections = sum(len(full[section.anchor]) for section in own)
    room = MAX_SLIDES - 1 - len(opening) - len(contents) - (sum(map(len, full.values())) - in_sections)
    if in_sections > room and not any(deck.values()):
        full |= _briefly(own, full, report, shown, room)
    slides = [*opening, *contents, *chain.from_iterable(full[section.anchor] for part in parts for section in part)]
    slides += _sources(report, labels)
    return [replace(slide, notes=(*slide.notes, *_notes(slide, report))) for slide in _counted(slides)]


def _counted(slides: Sequence[Slide]) -> Iterator[Slide]:
    """Yield slides, those in a row with one title and one heading above it counted behind the title."""
    for _, alike in groupby(slides, key=lambda slide: (slide.title, slide.subtitle, slide.kind in _DARK)):
        row = [*alike]
        for place, slide in enumerate(row, 1):
            yield replace(slide, title=f"{slide.title} ({place}/{len(row)})") if len(row) > 1 else slide


def _opening(report: ParsedReport, labels: Labels) -> list[Slide]:
    """Return the slides of cover, notes, summary, and the content before the first section."""
    title = words(report.title)
    lead, remark = list(report.lead), introduction(report.lead[-1]) if report.lead else None
    if remark:
        lead.pop()  # it introduces the sections, and has no other content
    cover = [(report.counts.shown,), (labels.author, report.created)]
    if remark:
        cover.insert(0, (shortened(remark.signed, _COVER_LINE),))
    slides = [Slide("cover", title, report.subtitle, rows=tuple(cover), reasons=remark.reasons if remark else ())]
    slides += block_slides(title, report.opening, report)
    if report.summary:
        points = chain.from_iterable(map(block_cards, report.points))
        cards = _with_values(chain(sentence_cards(report.summary), points), report.figures)
        slides += card_slides(labels.summary, cards)
    for slide in block_slides(labels.summary if report.summary else title, lead, report):
        slides.append(replace(slide, cards=tuple(_with_values(slide.cards, report.figures))))
    return slides


def _with_values(cards: Iterable[ShownCard], figures: Iterable[KeyFigure]) -> list[ShownCard]:
    values = {letters(figure.claim): value_on_card(figure.value) for figure in figures}
    named = ((card, values.get(letters(card.text))) for card in cards)
    return [replace(card, heading=value, kind="figure") if value else card for card, value in named]


def _without_number(title: str, number: int) -> str:
    rest = title.removeprefix(str(number))
    return rest[1:].lstrip() if rest != title and rest.startswith((".", "．", "、", ")")) else title


def _contents(parts: Sequence[Sequence[Section]], labels: Labels) -> Iterator[Slide]:
    titles = [words(part[0].title) for part in parts]
    entries = [(str(number), shortened(_without_number(title, number), 64)) for number, title in enumerate(titles, 1)]
    for start in range(0, len(entries), CONTENTS):
        yield Slide("contents", labels.contents, rows=tuple(entries[start : start + CONTENTS]))


def _sources(report: ParsedReport, labels: Labels) -> list[Slide]:
    """Return the last slides with all cited sources, at its foot or on slides of their own: printed slides have no notes."""
    end = labels.references if report.by_rules else labels.the_end  # passages thank nobody
    thanks = Slide("end", end, labels.origin(by_rules=report.by_rules))
    named = [(str(cited.number), shortened(" · ".join([cited.title, *cited.by]), 84)) for cited in report.cited]
    if len(named) <= AT_FOOT:
        return [replace(thanks, rows=tuple((f"[{number}] {title}",) for number, title in named))]
    each = -(-len(named) // -(-len(named) // CONTENTS))
    rows = (tuple(named[start : start + each]) for start in range(0, len(named), each))
    return [*(Slide("sources", labels.references, rows=part) for part in rows), thanks]


def _parts(sections: Iterable[Section]) -> Iterator[list[Section]]:
    """Group sections below those of the second level."""
    part: list[Section] = []
    for section in sections:
        if section.level == 2 and part:
            yield part
            part = []
        part.append(section)
    if part:
        yield part


def _section(section: Section, report: ParsedReport, shown: Collection[str], pages: Sequence[DeckPage]) -> list[Slide]:
    title = words(section.title)
    if section.role == "contradictions":
        return _disagreements(title, report)
    if section.role:
        return limited(block_slides(title, section.blocks, report), 1)
    if pages:
        return written_slides(section, pages, report)
    return block_slides(title, section.blocks, report, shown)


def _disagreements(title: str, report: ParsedReport) -> list[Slide]:
    slides = []
    for disagreement in report.disagreements:
        cards = [ShownCard(words(side), numbers=numbers_in(side), kind="quote") for side in disagreement.sides]
        shown = card_slides(f"{title} · {disagreement.topic}" if disagreement.topic else title, cards)
        slides += [replace(each, notes=(disagreement.note,)) if disagreement.note else each for each in shown]
    return limited(slides, MAX_SECTION_SLIDES)


def _briefly(
    sections: Sequence[Section],
    full: Mapping[str, list[Slide]],
    report: ParsedReport,
    shown: Collection[str],
    room: int,
) -> dict[str, list[Slide]]:
    """Shorten sections to the beginnings of their paragraphs, within the number of slides, with charts and tables as far as they fit.

    If there are more sections than slides, sections with one card share slides.
    """
    count = max(1, min(MAX_SECTION_SLIDES, room // len(sections)))
    brief = {section.anchor: _main_points(section, report, shown, count) for section in sections}
    if len(sections) > room:
        brief = _together(sections, brief, words(report.title), max(1, room - MIN_FIGURES))
    left = max(MIN_FIGURES, room - sum(map(len, brief.values())))
    drawn = [(anchor, slide) for anchor in brief for slide in full[anchor] if slide.kind != "cards"]
    chosen = sorted(range(len(drawn)), key=lambda place: drawn[place][1].kind == "table")[:left]
    anchors = [*brief]
    for place, (anchor, slide) in enumerate(drawn):
        before = reversed(anchors[: anchors.index(anchor) + 1])
        home = next((key for key in (*before, *anchors) if brief[key]), anchor)
        if place in chosen or not brief[home]:
            brief[anchor].append(slide)
        else:
            brief[home][-1] = _with_rows_in_notes(brief[home][-1], slide)
    return brief


def _with_rows_in_notes(slide: Slide, dropped: Slide) -> Slide:
    """Put the rows of a dropped slide into the notes, counted if they continue the slide's own table."""
    rows = [" | ".join(row) for row in dropped.rows]
    if slide.kind == "table" and slide.rows[0] == dropped.rows[0]:
        return replace(slide, more=slide.more + len(rows) - 1, notes=(*slide.notes, *rows[1:]))
    return replace(slide, notes=(*slide.notes, dropped.title, *rows))


def _main_points(section: Section, report: ParsedReport, shown: Collection[str], count: int) -> list[Slide]:
    """Return a section's slides of cards: all of its content if there is room, else the beginnings of its paragraphs."""
    title = words(section.title)
    whole = [slide for slide in block_slides(title, section.blocks, report, shown) if slide.kind == "cards"]
    if len(whole) <= count or len(section.blocks) <= count + 1 or all(source for source, _ in headed(section.blocks)):
        return limited(whole, count)
    first, rest = [], []
    pairs = [*headed(section.blocks)]
    for (source, block), after in zip(pairs, [*(block for _, block in pairs[1:]), None], strict=False):
        quoted = quote_cards(source, block, title) if source and isinstance(block, Quotation) else []
        main, more = (quoted, []) if quoted else main_cards(block, after, report)
        first += [card for card in main if letters(card.text) not in shown]
        rest += more
    slides = limited(card_slides(title, first), count)
    return [*slides[:-1], *(replace(slide, notes=(*slide.notes, *beside(rest))) for slide in slides[-1:])]


def _together(
    sections: Sequence[Section], points: Mapping[str, list[Slide]], title: str, count: int
) -> dict[str, list[Slide]]:
    """Put the first point of each section under its title, several on a slide; all others go into the notes."""
    brief: dict[str, list[Slide]] = {section.anchor: [] for section in sections}
    waiting: list[tuple[ShownCard, tuple[str, ...]]] = []
    for section in sections:
        slides = points[section.anchor]
        cards = [card for slide in slides for card in slide.cards]
        if cards:
            notes = (*beside(cards[1:]), *(note for slide in slides for note in slide.notes))
            waiting.append((replace(cards[0], heading=words(section.title)), notes))
    made = limited(card_slides(title, [card for card, _ in waiting]), count)
    notes_of = {card.heading: notes for card, notes in waiting}
    for slide in made:
        added_notes = tuple(chain.from_iterable(notes_of.pop(card.heading, ()) for card in slide.cards))
        brief[sections[0].anchor].append(replace(slide, notes=(*slide.notes, *added_notes)))
    return brief


def _notes(slide: Slide, report: ParsedReport) -> Iterator[str]:
    labels = labels_for(report.locale)
    for sentence, mark in dict.fromkeys([*slide.reasons, *chain.from_iterable(card.reasons for card in slide.cards)]):
        yield why_marked(sentence, mark.status, mark.reason, labels)
    cited = dict.fromkeys([*slide.numbers, *(number for card in slide.cards for number in card.numbers)])
    for reference in report.references:
        if reference.number in cited:
            yield f"[{reference.number}] {reference.title} — {' · '.join(reference.parts)}"
            yield from (f"    “{quote}”" for quote in reference.printed_quotes)
