"""Whether cited texts support one statement, as far as code can tell; of a conclusion, whether it brings only what its premises give."""

from collections.abc import Sequence
from dataclasses import replace

from services.check.compared_text import read
from services.check.numbers import fault_of, missing
from services.check.suspicions import suspicion
from services.check.verdict import Verdict, unproved_on_fault
from services.embedding.cross_lingual import Likeness
from services.text.held_numbers import missing_quantities
from services.text.measures import UNIT_WORDS
from services.text.names import can_be_found, missing_names, names
from services.text.numbers import quantities
from services.text.tokens import has_cjk, tokens

MAX_CLAIM = 2_000
"""Characters of a statement that is read; of a longer one, only numbers, names and words are looked for."""
SUPPORT = 0.2
"""Least share of a statement's words that the cited texts and cards hold (claims of `benchmarks/`, part `choose`: flat from 0.2 to 0.35)."""
SUPPORT_ANCHORED = 0.1
"""The same for a statement with a number or date, which ties it to its source where the wording is its own."""
MEANING = 0.55
"""Least cosine of a statement with a cited text in another language (half of XQuAD's parallel paragraphs: flat from 0.5 to 0.6)."""


@unproved_on_fault
def check_support(
    text: str,
    quotes: Sequence[str],
    cards: Sequence[str] = (),
    untraced: Sequence[str] = (),
    likeness: Likeness | None = None,
) -> Verdict:
    """Check one statement against what it cites.

    Args:
        text: the statement, without citation marks and Markdown.
        quotes: the cited quotes.
        cards: the cards of their sources, which are evidence as well: their numbers, dates and names count.
        untraced: quotes with the numbers that they lack among the cited ones (`proving`), as no source gives these.
        likeness: asked only where quotes in another language hold no number or name of the statement.
    """
    if not quotes:
        return Verdict("uncited")
    texts = [*quotes, *dict.fromkeys(cards)]
    computed: list[str] = []
    if len(text) > MAX_CLAIM:
        absent = missing_quantities(text, texts)
    else:
        claim, readings = read(text), [read(part) for part in texts]
        absent, computed = missing(claim, readings)
    if absent:
        return fault_of(absent, untraced)
    around = "\n".join(texts)
    if strangers := missing_names(text, around):
        return Verdict("names", tuple(strangers), computed=tuple(computed))
    if has_cjk(text) != has_cjk("\n".join(quotes)):
        return replace(_across(text, around, quotes, likeness), computed=tuple(computed))
    if len(text) <= MAX_CLAIM and (doubt := suspicion(claim, readings[: len(quotes)], readings[len(quotes) :])).fault:
        return replace(doubt, computed=tuple(computed))
    bar = SUPPORT_ANCHORED if quantities(text) else SUPPORT
    return Verdict("" if lexical_share(text, around) >= bar else "words", computed=tuple(computed))


def _across(text: str, around: str, quotes: Sequence[str], likeness: Likeness | None) -> Verdict:
    """Judge a statement by texts in another language: by numbers and names that both hold, else by meaning."""
    if quantities(text) or any(can_be_found(name, around) for name in names(text)):
        return Verdict()
    cosine = likeness(text, quotes) if likeness else None
    if cosine is None:
        return Verdict("language")
    return Verdict("" if cosine >= MEANING else "meaning", likeness=cosine)


def lexical_share(text: str, around: str) -> float:
    """Return which share of a statement's terms a text holds; 1 if there are none.

    Terms are stemmed words and pairs of Chinese characters; numbers and units, which are checked by themselves, are none.
    """
    terms = [term for term in dict.fromkeys(tokens(text)) if not term[0].isdigit() and term not in UNIT_WORDS]
    held = set(tokens(around, keep_stop_words=True))
    return sum(term in held for term in terms) / len(terms) if terms else 1.0


@unproved_on_fault
def check_inference(
    text: str, quotes: Sequence[str], cards: Sequence[str] = (), untraced: Sequence[str] = (), *, question: str = ""
) -> Verdict:
    """Check a conclusion against its premises; whether it follows from them, a verifier decides.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: the premises.
        cards: cards of their sources.
        untraced: premises with the numbers that they lack among the quotes (`proving`), as no source gives these.
        question: question of the report, whose names and numbers may stand in a conclusion.
    """
    if not quotes:
        return Verdict("premises")
    texts = [*quotes, *cards, question]
    absent, computed = missing(read(text), [read(part) for part in texts])
    if absent:
        return fault_of(absent, untraced)
    strangers = missing_names(text, "\n".join(texts))
    return Verdict("names", tuple(strangers)) if strangers else Verdict(computed=tuple(computed))
