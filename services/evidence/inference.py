"""Whether a sentence that is marked as inference follows from its premises, as far as code can tell.

A conclusion is in no source, so most of its words may be its own. What it may not do: bring numbers, dates, units or names that
its premises do not give, say what a premise denies, turn a trend or a comparison round, or speak of something else. And it must
be a conclusion: worded as one, and drawn from two statements, or from one that gives two values of a kind. What only says again
what the premises say, in whole or with a part changed, is a statement like any other and is judged as one.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, repeat
from typing import Literal

from services.embedding.cross_lingual import Likeness
from services.evidence.predicates import comparisons
from services.evidence.readings import Number, Reading, read, word_keys
from services.evidence.support import MAX_CLAIM, check_support, lexical_share
from services.evidence.verdict import Failing, Verdict, unproved_on_fault
from services.text.measures import MEASURED_KINDS
from services.text.names import names
from services.text.numbers import is_held, missing_quantities, quantities
from services.text.passages import sentences
from services.text.polarity import direction, negated
from services.text.tokens import has_cjk, tokens

Marked = Literal["statement", "conclusion"]
"""What a sentence that is marked as inference is by its words."""

RESTATED = 0.45
"""Share of a sentence's terms from which on one sentence of a premise says most of it. On the half of `benchmarks/inferences.jsonl`
that may be looked at conclusions have 0.36 at most; two thirds of the wrong claims of the benchmark, each one fact changed, have more."""
ABOUT = 2
"""Terms, numbers and names of a conclusion that its premises and the question must hold, one of them the premises."""
PREMISES = 2
"""Statements from which something follows, at least."""
MAX_NUMBERS = 12
"""Numbers of a statement that are compared with each other."""
_WORKED_OUT = frozenset({"percent", "time"})
"""Kinds of numbers that follow from numbers of other kinds."""
_OWN: frozenset[Failing] = frozenset({"", "words"})
"""What of the check of statements a conclusion need not pass: most of its words are its own."""
_LEADS = re.compile(
    r"^(?:therefore|thus|hence|so|consequently|accordingly|overall|in short|taken together|all in all|as a result|it follows that|"
    r"it is (?:therefore |thus )?(?:likely|probable|possible|plausible|clear) that|"
    r"(?:this|that|these|which|it|all this|the evidence|the figures?|the data|the numbers?)(?: \w+)? "
    r"(?:suggests?|impl(?:y|ies)|means?|shows?|indicates?|points? to)(?: that)?)\b[,:]?\s*|"
    r"^(?:因此|因而|所以|可见|由此可见|由此看来|由此推断|总之|综上(?:所述)?|总的来看|相比之下|"
    r"(?:这|由此|上述\w{0,4}|两者\w{0,4})?也?(?:表明|说明|意味着|提示|显示|反映出?|可以看出|可知))[，,：:]?(?:很?可能)?",
    re.IGNORECASE,
)
"""Words before a conclusion, which say nothing of it."""
_EXPLICIT = (
    r"\b(?:therefore|thus|hence|so|consequently|accordingly|suggest\w*|impl(?:y|ies|ied|ication)|mean(?:s|ing)|(?:that|this|which) makes|"
    r"follows?|conclu\w+|infer\w*|likely|unlikely|probabl\w+|plausibl\w+|possibl\w+|perhaps|apparently|evidently|seem\w*|may|might|could|"
    r"taken together|than|unlike|whereas|in contrast|compared)\b|"
    r"因此|因而|所以|可见|看来|推断|推测|表明|说明|意味|提示|可能|也许|或许|恐怕|似乎|相比|比|[高低大小多少长短早晚快慢]于"
)
_IMPLICIT = (
    r"\b(?:show(?:s|ing)?|indicat\w+|explain\w*|explanation|reasons?|because|since|due to|cause[sd]?|effects?|result\w*|depend\w*|"
    r"consistent with|would|can hardly|clearly|if|unless|whether|together|overall|both|neither|while|although|though|despite|but|yet|however|"
    r"instead|rather|contrast|compar\w+|differ\w*|similar\w*|same|more|less|fewer|most|least|alike|trend\w*|growing|"
    r"speed\w* up|slow\w* down|caught up|overtak\w+|outweigh\w*|exceed\w*|too|enough|no longer|becom\w+|(?:fall|fell|split|divid\w+) into|compensat\w+|offset\w*|(?:under|over)estimat\w+|when)\b|"
    r"显示|反映|大概|应当|很大程度|因为|由于|导致|原因|造成|取决于|有关|如果|即使|只有|除非|是否|而不是|反而|却|虽然|尽管|但|然而|不过|"
    r"对照|差[异距别]|弥补|抵消|一旦|[低高]估|有利于|不利于|相同|同样|一致|吻合|更|最|越|都|均|趋势|逐[渐步]|加[快速]|放缓|超过|不足以|足以"
)
_PRONOUN = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|these|that|those|both|neither)\b|[它他她这]|[该此其两]者?", re.IGNORECASE
)
"""With which a conclusion goes on about what the sentence before it names."""
_NO_NAME = re.compile(r"^[A-Z](?=[a-z]+(?:ing|s|ion|ment|ness|ity|ance|ence|ure|age) (?:of|and)\b)")
"""A capital that only begins a sentence, before a word that would make a name with what follows: `Readers of the Ulver library`."""
_CONCLUDES = re.compile(f"{_EXPLICIT}|{_IMPLICIT}", re.IGNORECASE)
"""Words of a comparison, a trend, a cause, an implication or a guess: what a conclusion is."""
_CONCLUDES_EXPLICITLY = re.compile(_EXPLICIT, re.IGNORECASE)
"""Those that hardly stand in a plain statement."""


def without_lead(text: str) -> str:
    """Return a sentence without the words that only announce a conclusion: `Therefore, …`, `由此可见，…`."""
    return _LEADS.sub("", text) or text


def kind_of(text: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> Marked:
    """Tell a conclusion from a statement that is only marked as one.

    A statement says most of what one sentence of the premises says, and either that sentence alone supports it or no word of it
    announces a conclusion.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: of the premises. Those in another language share no words with it; only a conclusion can be told from them.
        titles: of their sources.
    """
    bare = without_lead(text)
    near = [
        (part, title)
        for quote, title in _titled(quotes, titles)
        for part in _statements([quote])
        if lexical_share(bare, part) >= RESTATED
    ]
    if not near:
        return "conclusion"
    explicit = bare != text or _CONCLUDES_EXPLICITLY.search(text)
    stated = any(not check_support(bare, [part], [title]).failing for part, title in near)
    return "conclusion" if explicit and not stated and len(quotes) > 1 else "statement"


def check_marked(
    text: str,
    quotes: Sequence[str],
    titles: Sequence[str] = (),
    *,
    question: str = "",
    likeness: Likeness | None = None,
    untraced: Sequence[str] = (),
    heads: Sequence[str] = (),
) -> tuple[Marked, Verdict]:
    """Check a sentence that is marked as inference by what it is: a conclusion, or a statement with and without its lead.

    Args: as of `check_inference`.
    """
    if untraced or kind_of(text, quotes, titles) == "conclusion":
        verdict = check_inference(
            text, quotes, titles, question=question, likeness=likeness, untraced=untraced, heads=heads
        )
        return "conclusion", verdict
    verdict = check_support(text, quotes, titles, likeness, heads=heads)
    if not verdict.failing:
        verdict = check_support(without_lead(text), quotes, titles, likeness, heads=heads)
    return "statement", verdict


@unproved_on_fault
def check_inference(
    text: str,
    quotes: Sequence[str],
    titles: Sequence[str] = (),
    *,
    question: str = "",
    likeness: Likeness | None = None,
    untraced: Sequence[str] = (),
    heads: Sequence[str] = (),
) -> Verdict:
    """Check a conclusion against its premises.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: of its premises.
        titles: of their sources, one each; names may stand in them.
        question: that the report answers; names may stand in it, too.
        likeness: asked where premises are in another language, as in `check_support`.
        untraced: premises that are the output of programs whose numbers no source gives: nothing follows from these.
        heads: titles and header lines of their sources, as of `check_support`.
    """
    if untraced:
        numbers = (quantity.text for quote in untraced for quantity in quantities(quote))
        return Verdict("untraced", tuple(dict.fromkeys(numbers)))
    text = _NO_NAME.sub(lambda found: found.group().lower(), text)
    verdict = check_support(text, quotes, [*titles, question], likeness, heads=heads, concludes=True)
    if verdict.failing not in _OWN:
        return verdict
    if (bare := without_lead(text)) != text:
        said = check_support(bare, quotes, [*titles, question], likeness, heads=heads, concludes=True)
        if said.failing not in _OWN | {"hedge"}:  # a guess may follow from a guess
            return said
    if not _CONCLUDES.search(text) and not _works_out(text, quotes):
        return Verdict("plain")
    across = has_cjk(text) != has_cjk("\n".join(quotes))
    if stranger := "" if across else _stranger(text, quotes, titles, question):
        return Verdict("unrelated", (stranger,))
    if not _enough(text, quotes, across=across):
        return Verdict("premises")
    if len(text) <= MAX_CLAIM:
        claim, readings = read(text), [read(quote) for quote in quotes]
        if foreign := _foreign_unit(claim, readings):
            return Verdict("unit", (foreign,))
        if turned := _against_trend(claim, readings) or _against_numbers(claim, readings):
            return Verdict("opposite", (turned,), sure=False)
    return Verdict(likeness=verdict.likeness)


def _works_out(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a sentence has a number that no premise has: a sum, a difference or a count, which the check of numbers has followed."""
    return bool(missing_quantities(text, quotes))


def _titled(quotes: Sequence[str], titles: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return quotes with the titles of their sources, empty where fewer titles are known."""
    return zip(quotes, chain(titles, repeat("")), strict=False)


def _statements(quotes: Sequence[str]) -> Iterator[str]:
    """Yield the sentences and lines of quotes."""
    for quote in quotes:
        for line in quote.split("\n"):
            yield from (line[span.start : span.end] for span in sentences(line))


def _shared(text: str, around: str) -> set[str]:
    """Return what two texts have in common: terms, and numbers and names of the first."""
    held = quantities(around)
    numbers = {quantity.text for quantity in quantities(text) if is_held(quantity, held)}
    lowered = around.lower()
    return (
        numbers | (set(tokens(text)) & set(tokens(around))) | {name for name in names(text) if name.lower() in lowered}
    )


def _stranger(text: str, quotes: Sequence[str], titles: Sequence[str], question: str) -> str:
    """Return how a premise begins that has nothing to do with the conclusion, the question or the other premises.

    Empty where it has, or where enough others have.
    """
    held = [f"{quote}\n{title}" for quote, title in _titled(quotes, titles)]
    goes_on = len(quotes) >= PREMISES and _PRONOUN.match(without_lead(text))  # of what the sentence before says
    if goes_on:
        text = ""
    elif not _shared(text, "\n".join(held)) or len(_shared(text, "\n".join([question, *held]))) < ABOUT:
        return _beginning(quotes[0])
    strangers = [
        quote
        for place, quote in enumerate(quotes)
        if not _shared(held[place], "\n".join([text, question, *held[:place], *held[place + 1 :]]))
    ]
    return _beginning(strangers[0]) if strangers and len(quotes) - len(strangers) < PREMISES else ""


def _beginning(quote: str) -> str:
    return " ".join(quote.split())[:60]


def _enough(text: str, quotes: Sequence[str], *, across: bool) -> bool:
    """Tell whether a conclusion has two premises: two quotes, two statements that share something with it, or two values of a kind."""
    if len(quotes) >= PREMISES:
        return True
    related = [part for part in _statements(quotes) if across or _shared(text, part)]
    return len(related) >= PREMISES or any(
        "" in (former.measure.kind, other.measure.kind) or former.measure.kind == other.measure.kind
        for part in related
        for former, other in combinations(read(part).numbers[:MAX_NUMBERS], 2)
    )


def _foreign_unit(claim: Reading, quotes: Sequence[Reading]) -> str:
    """Return a number, worked out from others, in a unit of another kind than any of theirs: dollars out of euros."""
    held = {number.measure.kind for quote in quotes for number in quote.numbers}
    for number in claim.numbers:
        kind = "" if number.measure.kind == "cent" else number.measure.kind
        if kind in MEASURED_KINDS - _WORKED_OUT and kind not in held:
            return number.text
    return ""


def _against_trend(claim: Reading, quotes: Sequence[Reading]) -> str:
    """Return the segment of a conclusion that has rise what the nearest clauses of its premises have fall, or the other way round."""
    clauses = [clause for quote in quotes for clause in quote.clauses]
    told = [(frozenset(word_keys(clause)), towards) for clause in clauses if (towards := _towards(clause))]
    for segment in claim.segments:
        towards = direction(segment)
        if not towards or negated(segment):
            continue
        keys = frozenset(word_keys(segment))
        best = max((len(keys & words) for words, _ in told), default=0)
        if best and {other for words, other in told if len(keys & words) == best} == {-towards}:
            return segment
    return ""


def _towards(clause: str) -> int:
    """Return 1 where a clause has something rise, -1 where fall, by its words or by two values of one kind in two years."""
    if spoken := direction(clause):
        return spoken
    numbers = [number for number in read(clause).numbers[:MAX_NUMBERS] if len(number.periods) == 1]
    for first, last in combinations(numbers, 2):
        (before,), (after,) = first.periods, last.periods
        if first.measure.kind == last.measure.kind and before[0] and after[0] and before[0] != after[0]:
            return _sign(last.measure.value - first.measure.value) * _sign(after[0] - before[0])
    return 0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _against_numbers(claim: Reading, quotes: Sequence[Reading]) -> str:
    """Return the segment with a comparison that goes against all numbers which the premises give for its two sides."""
    clauses = [(frozenset(word_keys(clause)), read(clause).numbers) for quote in quotes for clause in quote.clauses]
    for compared in comparisons(claim.text):
        if compared.measure in {"time", "speed"}:  # the faster one takes less
            continue
        left, right = compared.left - compared.right, compared.right - compared.left
        sides: dict[int, list[Number]] = {1: [], -1: []}
        for keys, numbers in clauses:
            if side := _sign(len(keys & left) - len(keys & right)):
                sides[side] += numbers[:MAX_NUMBERS]
        signs = {
            _sign(former.measure.value - other.measure.value) * compared.sign
            for former in sides[1]
            for other in sides[-1]
            if former.measure.kind == other.measure.kind
        }
        if signs - {0} == {-1}:
            return claim.text
    return ""
