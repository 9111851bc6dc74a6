"""Whether quotes support a sentence: its numbers and dates, its names, enough of its words. Code, not a model."""

from collections.abc import Sequence
from itertools import takewhile

from services.embedding.cross_lingual import Likeness
from services.evidence.long_quotes import held_together, is_long
from services.evidence.number_binding import equal, misbound
from services.evidence.number_check import missing_numbers
from services.evidence.readings import Reading, read, with_title
from services.evidence.source_dates import without_source_dates
from services.evidence.source_heads import not_in_heads
from services.evidence.table_claims import wrong_reading
from services.evidence.table_reading import labels_in
from services.evidence.table_trends import wrong_trend
from services.evidence.verdict import Verdict, unproved_on_fault
from services.evidence.wording import turned
from services.text.measures import UNIT_WORDS
from services.text.names import can_be_found, missing_names, names
from services.text.numbers import missing_quantities, quantities
from services.text.passages import sentences
from services.text.shares import shares_of
from services.text.tokens import CJK_STOP, has_cjk, tokens

SUPPORT = 0.3
"""Least share of a sentence's terms that its quotes and their sources' titles must hold. On the claims that may be looked at
(`benchmarks/claims.py`) what passes is flat from 0.2 to 0.35."""
SUPPORT_CHINESE = 0.2
"""The same for bigrams of Chinese, of which a harmless change of wording breaks more."""
CHARACTERS = 0.6
"""Least share of single Chinese characters that is enough as well: other words for a thing often share one with it. Of sentences of other
passages that pass every other check, one in 260 has it."""
SUPPORT_ANCHORED = 0.15
"""The same for a sentence with numbers, dates or row labels that the quotes hold: they tie it to them where its wording is its own."""
TELLING = 3
"""Digits from which on a number that both hold ties a sentence to its quotes."""
MAX_CLAIM = 2_000
"""Characters of a sentence whose numbers and words are bound; of a longer one, numbers, names and words are looked for only."""
_BEGINNING = 4
"""Letters that forms of one word have in common at least."""

MEANING = 0.55
"""Least cosine of a sentence and the sentence of a quote in another language that comes nearest to it, by the local model
`use`. On half of XQuAD's parallel paragraphs balanced accuracy with the other checks is flat from 0.5 to 0.6."""


@unproved_on_fault
def check_support(
    text: str,
    quotes: Sequence[str],
    titles: Sequence[str] = (),
    likeness: Likeness | None = None,
    untraced: Sequence[str] = (),
    *,
    heads: Sequence[str] = (),
    concludes: bool = False,
) -> Verdict:
    """Check one sentence against what it cites.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: the cited quotes; numbers, dates and negation are looked for here only.
        titles: titles of their sources; they count for names and words.
        untraced: cited output of programs whose numbers no source gives; it proves no number.
        heads: titles and header lines of the sources (`source_heads.py`); their numbers, dates and names count as evidence.
        likeness: asked only where quotes in another language hold no number or name of the sentence to check it by.
        concludes: the sentence is marked as inference and may give a cause where the quotes give none.
    """
    traced, quotes = quotes, [*quotes, *untraced]
    if not quotes:
        return Verdict("uncited")
    readings = [read(quote) for quote in quotes]
    if len(titles) == len(quotes):
        readings = [with_title(reading, title) for reading, title in zip(readings, titles, strict=True)]
    if len(text) <= MAX_CLAIM:
        text = without_source_dates(text, quotes, titles)
    claim = read(text) if len(text) <= MAX_CLAIM else None
    missing = missing_quantities(text, quotes) if claim is None else missing_numbers(claim, readings)
    if missing := not_in_heads(missing, heads):
        return Verdict("numbers", tuple(missing))
    if untraced and (nowhere := not_in_heads(missing_quantities(text, traced), heads)):
        return Verdict("untraced", tuple(nowhere))
    if claim and (wrong := misbound(claim, readings)):
        return Verdict(wrong.fault, (wrong.number,), wrong.instead)
    around = "\n".join([*quotes, *titles, *heads])
    strangers = missing_names(text, around)
    if strangers:
        return Verdict("names", tuple(strangers))
    if has_cjk(text) != has_cjk("\n".join(quotes)):
        return _across(text, around, quotes, likeness)
    if claim and (wrong_cell := wrong_reading(claim, readings) or wrong_trend(claim, readings)):
        return Verdict("table", (wrong_cell.said,), wrong_cell.instead)
    if claim and (turn := turned(claim, readings, concludes=concludes)):
        return Verdict(turn.turn, turn.what, sure=turn.sure)
    anchors = _anchors(claim, readings) if claim else 0
    return Verdict() if _told(text, quotes, titles, anchors) else Verdict("words")


def check_about(
    question: str,
    text: str,
    quotes: Sequence[str],
    titles: Sequence[str],
    likeness: Likeness | None = None,
    untraced: Sequence[str] = (),
    heads: Sequence[str] = (),
) -> Verdict:
    """Check one sentence of a report; the one name of its question is what quotes without any name are about."""
    verdict = check_support(text, quotes, titles, likeness, untraced, heads=heads)
    topic = frozenset(names(question)) if verdict.failing == "names" else frozenset[str]()
    if len(topic) == 1 and topic.issuperset(verdict.what) and not names("\n".join([*quotes, *untraced])):
        return check_support(text, quotes, [*titles, *topic], likeness, untraced, heads=heads)
    return verdict


def _anchors(claim: Reading, quotes: Sequence[Reading]) -> int:
    """Return how firmly a sentence is tied to its quotes by what was checked: 0 by nothing, 1 by a number, a date or the label of a row.

    2 where a row has numbers, or several numbers of three digits and more, or of a time, stand in the quotes: what it says beside them is
    its own wording.
    """
    labelled = any(labels_in(claim.text, quote.labels) for quote in quotes)
    of_a_year = any(quote.tables and claim.periods & quote.periods for quote in quotes)
    figures = bool(claim.numbers or shares_of(claim.text))
    counted = figures or bool(claim.periods) or bool(quantities(claim.text))
    held = [other for quote in quotes for other in quote.numbers]
    firm: set[float] = set()
    for number in claim.numbers:
        same = [other for other in held if equal(number, other)]
        dated = number.near and any(number.periods & other.periods for other in same)
        if same and (dated or sum(map(str.isdigit, number.text)) >= TELLING):
            firm.add(number.measure.value)
    firmly = len(firm) > 1 or (labelled and counted) or (of_a_year and figures)
    return 2 if firmly else int(labelled or counted)


def _across(text: str, around: str, quotes: Sequence[str], likeness: Likeness | None) -> Verdict:
    """Judge a sentence by quotes in another language: by numbers and names that both hold, else by meaning."""
    if quantities(text) or any(can_be_found(name, around) for name in names(text)):
        return Verdict()
    cosine = likeness(text, quotes) if likeness else None
    if cosine is None:
        return Verdict("language")
    return Verdict("" if cosine >= MEANING else "meaning", likeness=cosine)


def _told(text: str, quotes: Sequence[str], titles: Sequence[str], anchors: int) -> bool:
    """Tell whether quotes hold enough of a sentence's words; those of a long text must hold them in one place."""
    parts = [quote[span.start : span.end] for quote in quotes for span in sentences(quote)]
    if is_long(parts):
        return held_together(text, parts, "\n".join(titles))
    if anchors > 1:
        return True
    bar = SUPPORT_ANCHORED if anchors else SUPPORT_CHINESE if has_cjk(text) else SUPPORT
    around = "\n".join([*quotes, *titles])
    return lexical_share(text, around) >= bar or _share_of_characters(text, around) >= CHARACTERS


def lexical_share(text: str, around: str) -> float:
    """Return which share of a sentence's terms a text holds, in any form; 1 if there are none.

    Terms are stemmed words and pairs of Chinese characters; numbers and units, which are checked by themselves, are none.
    """
    terms = [term for term in dict.fromkeys(tokens(text)) if not term[0].isdigit() and term not in UNIT_WORDS]
    held = set(tokens(around, keep_stop_words=True))
    beginnings: dict[str, list[str]] = {}
    for word in held:
        beginnings.setdefault(word[:_BEGINNING], []).append(word)
    found = sum(
        term in held or any(_forms_of_one(term, word) for word in beginnings.get(term[:_BEGINNING], ()))
        for term in terms
    )
    return found / len(terms) if terms else 1.0


def _share_of_characters(text: str, around: str) -> float:
    """Return which share of a sentence's Chinese characters a text holds; 0 if there are none."""
    wanted, held = ({char for char in part if has_cjk(char) and char not in CJK_STOP} for part in (text, around))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _forms_of_one(term: str, word: str) -> bool:
    """Tell whether two words begin alike for most of their length, as `professor` and `professorship` do."""
    shorter = min(len(term), len(word))
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(term, word, strict=False)))
    return shorter >= _BEGINNING and alike >= 0.6 * shorter + 1
