"""Suspicions against a statement whose numbers the texts give: another subject, period, row or unit, a denial, a direction."""

from collections.abc import Sequence

from services.check.compared_text import YEARS, ComparedText, Figure, Period, conflicting, name_parts, named, word_keys
from services.check.numbers import equal, follows
from services.check.verdict import Fault, Verdict
from services.text.measures import MEASURED_KINDS, Measure, digits_of
from services.text.polarity import negated, opposite
from services.text.tables import TableRead
from services.text.tokens import has_cjk, tokens

SMALL = range(13)
"""Numbers that many computations give, and that counts of what is listed have: if they follow, where they stand does not matter."""
MAX_CLAIMED = 30
"""Figures of a statement that are compared."""
MAX_SAME = 30
"""Places of the texts with the same value that are looked at."""
ALIKE = 0.65
"""Share of the words of either of two clauses that the other must hold to be compared for a denial or a direction."""
ALIKE_CHINESE = 0.55
"""The same for pairs of Chinese characters."""


def suspicion(claim: ComparedText, evidence: Sequence[ComparedText], cards: Sequence[ComparedText] = ()) -> Verdict:
    """Return the first suspicion against a statement whose numbers the cited texts give."""
    dated = frozenset(period for card in cards for year in card.years for period in year.periods)
    held = [figure for reading in evidence for figure in (*reading.figures, *reading.years)]
    known = frozenset(name for reading in evidence for name in reading.subjects)
    words = word_keys(claim.text)
    for figure in (*claim.figures, *claim.years)[:MAX_CLAIMED]:
        same = [other for other in held if _can_be(figure, other)][:MAX_SAME]
        faults = [_misbound(figure, other, words, known, held, dated) for other in same]
        if not same and any(_same_digits(figure.measure, other.measure) for other in held):
            return Verdict("unit", (figure.measure.text,))
        if faults and all(faults) and not (figure.measure.value in SMALL and follows(figure.measure, evidence)):
            return Verdict(faults[0], (figure.measure.text,), _instead(figure, held, known))
    return _turned(claim, evidence)


def _can_be(figure: Figure, other: Figure) -> bool:
    """Tell whether a figure of the texts can be a statement's; a number that is no year is not the year of a date with its month."""
    dated = figure.measure.kind == YEARS and any(month for _, month, _ in figure.periods)
    return equal(figure.measure, other.measure) and not (dated and other.measure.kind != YEARS)


def _same_digits(former: Measure, other: Measure) -> bool:
    """Tell whether two measures are written with the same digits in different units or scales."""
    return (
        former.kind in MEASURED_KINDS
        and other.kind in MEASURED_KINDS
        and digits_of(former.text) == digits_of(other.text) > 0
    )


def _misbound(
    figure: Figure,
    other: Figure,
    words: frozenset[str],
    known: frozenset[str],
    held: Sequence[Figure],
    dated: frozenset[Period],
) -> Fault:
    """Return in what two equal figures differ, or an empty text where they may be the same."""
    kinds = {figure.measure.kind, other.measure.kind}
    if len(kinds) > 1 and kinds <= MEASURED_KINDS:
        return "unit"
    if other.table is not None:
        if _other_cell(figure, other, other.table, words):
            return "row"
    elif _other_subject(figure, other, known, held) or _other_clause(figure, other, held):
        return "subject"
    apart = figure.measure.kind not in {YEARS, "time"} and conflicting(figure.periods, other.periods | dated)
    return "period" if apart and other.periods else ""


def _other_cell(figure: Figure, cell: Figure, table: TableRead, words: frozenset[str]) -> bool:
    """Tell whether a statement names other rows or columns of a table than those of a cell."""
    labels = [table.label(place) for place in range(len(table.rows))]
    rows = named(labels, figure.words) or named(labels, words)
    columns = named(table.heads, figure.words) & table.number_columns
    if any(figure.measure.text in tokens(head) and word_keys(head) <= words for head in table.heads):
        return False  # it is part of a column's name: `12 months`
    return bool(rows and cell.row not in rows) or bool(columns and cell.column not in columns)


def _other_subject(figure: Figure, other: Figure, known: frozenset[str], held: Sequence[Figure]) -> bool:
    """Tell whether the texts bind a figure to a name that the statement lacks, and another figure of its kind to the statement's."""
    mine = name_parts(figure.subjects & known)
    theirs = name_parts(other.subjects)
    if not mine or not theirs or mine & theirs:
        return False
    return any(
        mine & name_parts(third.subjects) and third.measure.kind == other.measure.kind
        for third in held
        if third is not other
    )


def _other_clause(figure: Figure, other: Figure, held: Sequence[Figure]) -> bool:
    """Tell whether the clause of another figure of the kind says only what the statement's clause says, and this one's says more."""
    return bool(other.clause - figure.clause) and any(
        third.clause
        and third.clause <= figure.clause
        and third.clause - other.clause
        and third.measure.kind == other.measure.kind
        and not equal(third.measure, figure.measure)
        for third in held
    )


def _instead(figure: Figure, held: Sequence[Figure], known: frozenset[str]) -> str:
    """Return the figure that the texts bind to the statement's subject and period, if there is exactly one value."""
    mine = name_parts(figure.subjects & known)
    alternatives = {
        other.measure.text
        for other in held
        if other.measure.kind == figure.measure.kind
        and not equal(other.measure, figure.measure)
        and (other.periods & figure.periods or mine & name_parts(other.subjects))
        and not conflicting(other.periods, figure.periods)
    }
    return alternatives.pop() if len(alternatives) == 1 else ""


def _turned(claim: ComparedText, evidence: Sequence[ComparedText]) -> Verdict:
    """Compare each clause of a statement with the clause that says nearly the same, for a denial and the opposite direction."""
    for clause in claim.clauses:
        counterpart = nearest_clause(clause, evidence)
        if counterpart and negated(counterpart) is not negated(clause):
            return Verdict("negation", instead=counterpart)
        if counterpart and (turned := opposite(clause, counterpart)):
            return Verdict("opposite", turned, counterpart)
    return Verdict()


def nearest_clause(clause: str, evidence: Sequence[ComparedText]) -> str:
    """Return the clause of the texts that shares most words with a clause, if each holds enough of the other's; else an empty text."""
    wanted = word_keys(clause)
    min_share = ALIKE_CHINESE if has_cjk(clause) else ALIKE
    best, nearest = 0.0, ""
    for reading in evidence:
        for other in reading.clauses:
            words = word_keys(other)
            common = len(wanted & words)
            share = common / max(len(wanted), len(words), 1)
            if share > best and share >= min_share and common > 1:
                best, nearest = share, other
    return nearest
