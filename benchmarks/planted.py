"""Planted errors: right statements of a report, each made wrong in one way.

Code makes what is certain: another number, another year, another source named or cited. A model writes the others from the
benchmark's own prompt: another actor, the opposite direction, a generalisation.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from benchmarks.report_prompts import rendered, say
from schemas.context import RunContext
from schemas.evidence import EXCERPT_ID, Claim, Excerpt, Source
from services.check.support import lexical_share
from services.models.structured_output import parse
from services.reports.document import letters
from services.text.held_numbers import missing_quantities
from services.text.names import missing_names
from services.text.tokens import has_cjk

BY_CODE = ("number", "year", "document")
BY_MODEL = ("actor", "direction", "generalisation")
KINDS = (*BY_CODE, *BY_MODEL)
SURE = frozenset({"quoted", "supported"})
"""Statuses of the statements that are made wrong."""
CITATIONS = re.compile(rf"[ ]?\[(?:(?:inferred|推断)[:：] ?)?{EXCERPT_ID}(?:, ?{EXCERPT_ID})*\]")
_END = re.compile(rf"[*_]*(?:{CITATIONS.pattern})*[^\w\s\[|]*(?:{CITATIONS.pattern})*")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,]\d)", re.ASCII)
_YEAR = re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w]|[.,]\d)", re.ASCII)
_OPENING = '"“‘(（「《'


@dataclass(frozen=True, slots=True)
class Statement:
    """A right statement and its place in the draft: `draft[start:end]` with its citations."""

    text: str
    citations: tuple[str, ...]
    start: int
    end: int
    raw: str
    block: int
    """Number of its line in the draft; a paragraph, an item and a row are a line each."""

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return " | " in self.text


@dataclass(frozen=True, slots=True)
class Plant:
    """A statement made wrong."""

    kind: str
    statement: Statement
    changed: str
    """What stands in its place, with citations."""

    @property
    def key(self) -> str:
        """Letters of what stands in its place, by which the check's claim is found."""
        return letters(CITATIONS.sub("", self.changed))


class _Changed(BaseModel):
    number: int
    kind: str
    text: str


class Changes(BaseModel):
    """The model's wrong statements."""

    changed: list[_Changed] = Field(default_factory=list)


def statements_of(draft: str, claims: Iterable[Claim]) -> list[Statement]:
    """Return the statements of a draft that the check supported, each with its place; unclear places are left out."""
    shown, places = _letters_with_places(draft)
    found = []
    for claim in claims:
        key = letters(claim.text)
        if claim.status not in SURE or len(key) < 8 or shown.count(key) != 1:
            continue
        at = shown.index(key)
        start, end = places[at], places[at + len(key) - 1] + 1
        while start and draft[start - 1] in _OPENING:
            start -= 1
        if tail := _END.match(draft, end):
            end = tail.end()
        raw = draft[start:end]
        if "\n" not in raw and raw.count("**") % 2 == 0:
            found.append(Statement(claim.text, tuple(claim.citations), start, end, raw, draft.count("\n", 0, start)))
    return found


def _letters_with_places(draft: str) -> tuple[str, list[int]]:
    hidden = {place for match in CITATIONS.finditer(draft) for place in range(*match.span())}
    places = [place for place, char in enumerate(draft) if char.isalnum() and place not in hidden]
    return "".join(draft[place] for place in places), places


def by_code(
    statements: Sequence[Statement], excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> dict[str, list[Plant]]:
    """Return all errors that code can plant, by kind: at most one of each kind a statement."""
    made: dict[str, list[Plant]] = {kind: [] for kind in BY_CODE}
    for statement in statements:
        changes = {
            "number": _other_figure(statement, excerpts, sources, _NUMBER),
            "year": _other_figure(statement, excerpts, sources, _YEAR),
            "document": _other_document(statement, excerpts, sources),
        }
        for kind, changed in changes.items():
            if changed:
                made[kind].append(Plant(kind, statement, changed))
    return made


def _other_figure(
    statement: Statement, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source], pattern: re.Pattern[str]
) -> str:
    """Return a statement with one figure exchanged for another of what it cites, else of any excerpt; empty without one."""
    barred = [*CITATIONS.finditer(statement.raw), *_names_in(statement.raw, sources.values())]
    written = [
        match
        for match in pattern.finditer(statement.raw)
        if not any(name.start() <= match.start() < name.end() for name in barred)
        and (pattern is _YEAR or not _YEAR.fullmatch(match.group()))
    ]
    own = {match.group() for match in _NUMBER.finditer(statement.raw)}
    cited = [excerpts[key].quote for key in statement.citations if key in excerpts]
    for quotes in (cited, [excerpt.quote for excerpt in excerpts.values()]):
        others = [
            other for quote in quotes for other in _figures(quote, pattern, sources.values()) if other[0] not in own
        ]
        pairs = [
            (_likeness(_with_unit(match), other), -place, match, other[0])
            for match in written
            for place, other in enumerate(others)
        ]
        if pairs:
            _, _, match, other = max(pairs, key=lambda pair: pair[:2])
            return f"{statement.raw[: match.start()]}{other}{statement.raw[match.end() :]}"
    return ""


def _figures(quote: str, pattern: re.Pattern[str], sources: Iterable[Source]) -> Iterator[tuple[str, str]]:
    barred = _names_in(quote, sources)
    for match in pattern.finditer(quote):
        inside = any(name.start() <= match.start() < name.end() for name in barred)
        if not inside and (pattern is _YEAR or not _YEAR.fullmatch(match.group())):
            yield _with_unit(match)


def _with_unit(match: re.Match[str]) -> tuple[str, str]:
    """Return a figure with the beginning of the word behind it, or with the Chinese character."""
    behind = match.string[match.end() : match.end() + 12].lstrip()
    return match.group(), behind[: 1 if has_cjk(behind[:1]) else 3]


def _likeness(figure: tuple[str, str], other: tuple[str, str]) -> int:
    """Count in what two figures are alike: unit, decimals, digits."""
    return 2 * (figure[1] == other[1]) + (("." in figure[0]) == ("." in other[0])) + (len(figure[0]) == len(other[0]))


def _names_in(text: str, sources: Iterable[Source]) -> list[re.Match[str]]:
    """Return where a text names sources: by the number or short name that their cards have."""
    names = dict.fromkeys(source.card.name for source in sources if len(source.card.name) > 2)
    return [match for name in names for match in re.finditer(rf"{re.escape(name)}(?!\w)", text)]


def _other_document(statement: Statement, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]) -> str:
    """Return a statement that names another source, else cites the nearest one that does not prove it; empty without one."""
    named = _names_in(statement.raw, sources.values())
    held = {match.group() for match in named}
    others = [source.card.name for source in sources.values() if source.card.name and source.card.name not in held]
    if named and others:
        return f"{statement.raw[: named[0].start()]}{others[0]}{statement.raw[named[0].end() :]}"
    cited = {excerpts[key].content_hash for key in statement.citations if key in excerpts}
    foreign = [excerpt for excerpt in excerpts.values() if excerpt.content_hash not in cited]
    if not foreign or not CITATIONS.search(statement.raw):
        return ""
    lacking = [excerpt for excerpt in foreign if _lacks(excerpt, statement.text)]
    nearest = max(lacking, key=lambda excerpt: (lexical_share(statement.text, excerpt.quote), excerpt.id), default=None)
    return _cited(CITATIONS.sub("", statement.raw), [nearest.id]) if nearest else ""


def _lacks(excerpt: Excerpt, text: str) -> bool:
    """Tell whether an excerpt certainly does not prove a text: it lacks one of its numbers or names."""
    return bool(missing_quantities(text, [excerpt.quote]) or missing_names(text, excerpt.quote))


async def by_model(
    statements: Sequence[Statement], excerpts: Mapping[str, Excerpt], context: RunContext, each: int
) -> dict[str, list[Plant]]:
    """Let the connected model write about `each` errors of each kind that code cannot plant.

    Raises:
        ValueError: the answer is no JSON of the form that was asked for.
    """
    told = [statement for statement in statements if not statement.is_row]
    made: dict[str, list[Plant]] = {kind: [] for kind in BY_MODEL}
    if not told:
        return made
    views = [
        {
            "number": number,
            "text": statement.text,
            "quotes": [excerpts[key].quote for key in statement.citations if key in excerpts],
        }
        for number, statement in enumerate(told, 1)
    ]
    said = await say(rendered("planted_errors", statements=views, each=each), context)
    answer = Changes.model_validate(parse(said.text, Changes))
    for change in answer.changed:
        if 1 <= change.number <= len(told) and change.kind in made:
            statement = told[change.number - 1]
            cites = statement.citations if CITATIONS.search(statement.raw) else ()
            if letters(change.text) != letters(statement.text):
                made[change.kind].append(Plant(change.kind, statement, _cited(" ".join(change.text.split()), cites)))
    return made


def _cited(text: str, ids: Sequence[str]) -> str:
    """Put citations before the end mark of a sentence."""
    told = text.rstrip(".!?。！？…")
    return f"{told}{' ' if ids else ''}{''.join(f'[{key}]' for key in ids)}{text[len(told) :]}"


def chosen(made: Mapping[str, Sequence[Plant]], wanted: int) -> list[Plant]:
    """Return up to so many errors, the kinds in turn, and of a kind first those of statements that are used least."""
    used: Counter[str] = Counter()
    left = {kind: list(made.get(kind, ())) for kind in KINDS}
    taken: list[Plant] = []
    while len(taken) < wanted and any(left.values()):
        for kind in KINDS:
            if left[kind] and len(taken) < wanted:
                plant = min(left[kind], key=lambda each: used[each.statement.text])
                left[kind].remove(plant)
                used[plant.statement.text] += 1
                taken.append(plant)
    return taken


def copies_of(plants: Sequence[Plant], most: int) -> list[list[Plant]]:
    """Deal errors out to copies of the report: a statement once in each, and one a paragraph as far as so many copies allow."""
    copies: list[list[Plant]] = [[] for _ in range(most)]
    for plant in plants:
        ways = ("block", "start")
        free = (
            copy for way in ways for copy in copies
            if all(getattr(other.statement, way) != getattr(plant.statement, way) for other in copy)
        )  # fmt: skip
        if (copy := next(free, None)) is not None:
            copy.append(plant)
    return [copy for copy in copies if copy]


def planted_in(draft: str, plants: Iterable[Plant]) -> str:
    """Return a draft with errors in place of their originals."""
    for plant in sorted(plants, key=lambda each: -each.statement.start):
        draft = f"{draft[: plant.statement.start]}{plant.changed}{draft[plant.statement.end :]}"
    return draft
