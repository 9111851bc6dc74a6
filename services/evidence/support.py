"""Whether quotes support a sentence: its numbers and dates, its names, enough of its words. Code, not a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from services.embedding.cross_lingual import Likeness
from services.text.names import can_be_found, missing_names, names
from services.text.numbers import missing_quantities, quantities
from services.text.polarity import negated, opposite
from services.text.tokens import has_cjk, tokens

SUPPORT = 0.45
"""Least share of a sentence's terms that its quotes and their sources' titles must hold. On WiCE's development part
(oracle chunks, supported against the rest) balanced accuracy with the other checks is flat from 0.3 to 0.5."""
SUPPORT_CHINESE = 0.35
"""The same for bigrams of Chinese, of which a harmless change of wording breaks more."""

MEANING = 0.55
"""Least cosine of a sentence and the sentence of a quote in another language that comes nearest to it, by the local model
`use`. On half of XQuAD's parallel paragraphs balanced accuracy with the other checks is flat from 0.5 to 0.6."""

Failing = Literal["", "uncited", "numbers", "untraced", "names", "words", "language", "meaning", "negation", "opposite"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check came to; without a failing part, the sentence is supported."""

    failing: Failing = ""
    what: tuple[str, ...] = ()
    """The numbers or names that are not there, as the sentence writes them."""
    likeness: float | None = None
    """By which the sentence was judged, where it was judged by meaning."""


def check_support(
    text: str,
    quotes: Sequence[str],
    titles: Sequence[str] = (),
    likeness: Likeness | None = None,
    untraced: Sequence[str] = (),
) -> Verdict:
    """Check one sentence against what it cites.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: the cited quotes; numbers, dates and negation are looked for here only.
        titles: titles of their sources; they count for names and words.
        untraced: cited output of programs whose numbers no source gives; it proves no number.
        likeness: asked only where quotes in another language hold no number or name of the sentence to check it by.
    """
    traced, quotes = quotes, [*quotes, *untraced]
    if not quotes:
        return Verdict("uncited")
    missing = missing_quantities(text, quotes)
    if missing:
        return Verdict("numbers", tuple(missing))
    if untraced and (nowhere := missing_quantities(text, traced)):
        return Verdict("untraced", tuple(nowhere))
    around = "\n".join([*quotes, *titles])
    strangers = missing_names(text, around)
    if strangers:
        return Verdict("names", tuple(strangers))
    if has_cjk(text) != has_cjk("\n".join(quotes)):
        return _across(text, around, quotes, likeness)
    if lexical_share(text, around) < (SUPPORT_CHINESE if has_cjk(text) else SUPPORT):
        return Verdict("words")
    if negated(text) and not any(negated(quote) for quote in quotes):
        return Verdict("negation")
    turned = opposite(text, around)
    return Verdict("opposite", turned) if turned else Verdict()


def _across(text: str, around: str, quotes: Sequence[str], likeness: Likeness | None) -> Verdict:
    """Judge a sentence by quotes in another language: by numbers and names that both hold, else by meaning."""
    if quantities(text) or any(can_be_found(name, around) for name in names(text)):
        return Verdict()
    cosine = likeness(text, quotes) if likeness else None
    if cosine is None:
        return Verdict("language")
    return Verdict("" if cosine >= MEANING else "meaning", likeness=cosine)


def lexical_share(text: str, around: str) -> float:
    """Return which share of a sentence's terms (stemmed words, Chinese bigrams) a text holds; 1 if there are none."""
    terms = [term for term in dict.fromkeys(tokens(text)) if not term[0].isdigit()]
    held = set(tokens(around, keep_stop_words=True))
    return sum(term in held for term in terms) / len(terms) if terms else 1.0
