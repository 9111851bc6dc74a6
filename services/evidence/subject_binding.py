"""Whether the quotes say of a claim's subject what the claim says of it, or of another subject.

Each segment of the quotes is about the words before its verb; without such words, about those of the segment before. What a
claim's segment says is looked for in the segments that hold most of it: if none of them is about the claim's subject, and
they have another that the claim does not name, the claim has given it to the wrong bearer.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from services.evidence.readings import Reading, read, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.polarity import direction, negated
from services.text.tokens import CJK_STOP, has_cjk

SAID = 0.4
"""Least share of what a claim's segment says, weighed by rarity, that the segment must hold which says it of another. On the
claims that may be looked at the result is flat from 0.35 to 0.5."""
WHOLLY = 0.75
"""The same for a Chinese segment that begins with no subject of its own."""
LONGEST = 12
"""Characters of a Chinese subject."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|cannot|(?!minutes|miles|times|degrees|metres|litres|tonnes|inches|centuries)\w{2,30}(?:ed|es)|"
    r"became|began|bought|broke|brought|built|came|chose|costs?|cut|died|drew|drove|fed|fell|felt|fought|found|gave|got|grew|grows?|held|hit|"
    r"kept|knew|laid|lay|lays|led|left|lent|lies?|lost|made|met|paid|put|ran|read|rode|rose|said|sang|sat|saw|sent|set|shot|sold|spent|spoke|"
    r"stands?|stood|struck|swam|taught|thought|told|took|went|won|wore|wrote|needs?|takes?|makes?|carr(?:y|ies)|gives?|holds?|says?|runs?|"
    r"stops?|opens?|belongs?|contains?|feeds?|lives?|uses?|conducts?|eats?|drops?|shows?|suggests?|points?|believes?|argues?|thinks?|wants?)\b",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"(?:(?:and|but|while|whereas|although|though|yet|because|since|when|after|before|if|as|so|then|however|moreover|also|instead)\b\s*){1,3}",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|they|he|she|this|that|these|those|which|who|whose|both|its|his|her|their|one|the (?:former|latter|figure|number|share|rate|total)(?! of\b))\b",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\b[Tt]he (?:[a-z]{1,30} )?([a-z]{3,30})\s*$")
"""A subject that is known already, such as `the ship`."""
_NAMED = re.compile(
    r"\b([a-z]{3,30}) [A-Z][\w-]|\b[A-Z][\w-]{1,30}(?: [\w.-]{1,10}){0,2}, (?:an?|the) (?:[\w-]{1,30} ){0,3}?([a-z]{3,30})\b(?! [a-z])"
)
"""Where a text gives a noun its name: `the survey ship Meteor`, `Meteor, a survey ship`."""
_ADVERBS = frozenset(word_keys("however therefore meanwhile moreover instead indeed today now then later earlier"))
_PREPOSITION = re.compile(
    r"(?:in|on|at|by|under|after|before|for|with|from|to|during|unlike|like|of|among|between|over|within|without|according|despite|as)\b",
    re.IGNORECASE,
)
"""With which a piece of a sentence begins that is no subject."""
_STANDARD = re.compile(r"\b(?:than|as)\b")
"""Before what something is compared with: that is no subject."""
_PRONOUN_CHINESE = re.compile(r"[他她它其该此这]|前者|后者|两者|双方")
_JOINS_CHINESE = re.compile(
    r"(?:但|而|并|且|却|也|则|又|还|因此|所以|由于|因为|虽然|不过|然而|同时|同[年月日]|[次翌当]年|其中|另外|此外|随后|后来|之后|当时|目前|现在|到|从|在|\d{4}年|\d{1,2}[月日]){1,6}"
)
_TOPIC = re.compile(r"[^是为有被把了占达]{0,60}的[^的是为有被把了占达]{2,8}")
"""A segment that is a noun with what qualifies it."""
_PAIR = re.compile(r"[\u4e00-\u9fff]{2}")
_NUMBER = re.compile(r"\d[\d.]*")


class _Statement(NamedTuple):
    """A segment of the quotes with what it says and what it is about."""

    text: str
    keys: frozenset[str]
    subject: Sequence[str]
    """Words of its own subject, or of the one that it goes on with."""
    around: frozenset[str]
    """All that it may be about."""


def bearer(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes say of another subject what a segment of the claim says of its own."""
    if any(quote.tables for quote in quotes) or _is_inferred(claim):
        return None
    return _bearer_chinese(claim, quotes) if has_cjk(claim.text) else _bearer(claim, quotes)


_THAN = re.compile(r"\bthan\b(?! (?:\d|one|two|three|half|a (?:third|quarter|fifth)))", re.IGNORECASE)


def _is_inferred(claim: Reading) -> bool:
    """Tell whether a claim compares two things or two times, which the quotes may tell one by one."""
    plain = not re.search("[,;:，；：]", claim.text)
    return _THAN.search(claim.text) is not None or (plain and len(claim.periods) > 1 and direction(claim.text) != 0)


def _bearer(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    named_nouns = _named_nouns(quotes)
    statements = [statement for quote in quotes for statement in _statements(quote, named_nouns)]
    held = Counter(key for statement in statements for key in statement.keys)
    known = frozenset(word_keys("\n".join(quote.text for quote in quotes)))
    named = frozenset(word_keys(_STANDARD.split(claim.text)[0]))
    subject: Sequence[str] = []
    known_as: re.Match[str] | None = None
    for segment in claim.segments:
        parts = _parted(segment)
        if parts is None or _denied(*parts) or worked_out(segment, known):
            continue
        subject, known_as = _words(parts[0]) or subject, _DEFINITE.search(parts[0])
        its_name = named_nouns.get(known_as[1], frozenset()) if known_as else frozenset[str]()
        said = dict.fromkeys(word_keys(parts[1]))
        if not subject or sum(key in known for key in said) < 2:  # one word says too little
            continue
        near = _nearest(said, [statement.keys for statement in statements], held, SAID)
        found = [statements[number] for number in near]
        mine = [key for key in subject if key in known]
        if found and all(
            _rarest_is_strange(mine, statement.around, held)
            and not named.issuperset(statement.subject)
            and its_name.isdisjoint(statement.subject)
            for statement in found
        ):
            return Turned("roles", (found[0].text,))
    return None


_DENIED_VERB = re.compile(r"\w+ (?:not|never|no)\b", re.IGNORECASE)


def _denied(subject: str, said: str) -> bool:
    """Tell whether a segment denies what it says of its subject: by its subject, or right behind its verb."""
    return negated(subject) or _DENIED_VERB.match(said) is not None


def _nearest(
    said: Sequence[str] | dict[str, None], texts: Sequence[frozenset[str]], held: Counter[str], least: float
) -> list[int]:
    """Return the places of the texts that hold most of what is said, if that is enough of it; rare words weigh more."""
    weights = {key: 1 / (1 + held[key]) for key in said}
    scores = [sum(weight for key, weight in weights.items() if key in text) for text in texts]
    best = max(scores, default=0.0)
    enough = best > 0 and best >= least * sum(weights.values())
    return [place for place, score in enumerate(scores) if score > best - 1e-9] if enough else []


def _rarest_is_strange(subject: Sequence[str], around: frozenset[str], held: Counter[str]) -> bool:
    """Tell whether the word that tells a subject from others is not among what a segment may be about."""
    strange = [held[key] for key in subject if key not in around]
    return bool(strange) and min(strange) <= min((held[key] for key in subject if key in around), default=min(strange))


def worked_out(segment: str, held: frozenset[str]) -> bool:
    """Tell whether a segment has a number that no quote has: what is worked out is said in no place."""
    return any(key[0].isdigit() and key not in held for key in word_keys(segment))


def _words(text: str) -> list[str]:
    return [key for key in word_keys(text) if not key[0].isdigit() and key not in _ADVERBS]


def _parted(segment: str) -> tuple[str, str] | None:
    """Return what stands before a segment's verb, and the rest; None without a verb."""
    start = found.end() if (found := _JOINS.match(segment)) else 0
    verb = _VERB.search(segment, start)
    return (segment[start : verb.start()], segment[verb.start() :]) if verb else None


def _named_nouns(quotes: Sequence[Reading]) -> dict[str, frozenset[str]]:
    """Map the nouns to which quotes give a name to the words of the clauses that do so."""
    nouns: dict[str, frozenset[str]] = {}
    for clause in (clause for quote in quotes for clause in quote.clauses):
        keys = frozenset(word_keys(clause))
        for found in _NAMED.finditer(clause):
            noun = found[1] or found[2]
            nouns[noun] = nouns.get(noun, frozenset()) | keys
    return nouns


def _statements(quote: Reading, named_nouns: Mapping[str, frozenset[str]]) -> list[_Statement]:
    statements: list[_Statement] = []
    before: Sequence[str] = []
    last_sentence: frozenset[str] = frozenset()
    for clause in quote.clauses:
        pending: list[str] = []
        sentence: set[str] = set()
        subject: Sequence[str] = []
        for segment in read(clause).segments[:MAX_SEGMENTS]:
            keys = frozenset(word_keys(segment))
            parts = _parted(segment)
            if parts is None:
                pending += [] if _PREPOSITION.match(segment) else _words(segment)
                sentence |= keys
                if statements and subject:
                    statements[-1] = statements[-1]._replace(around=statements[-1].around | keys)
                continue
            own = _words(parts[0])
            pronoun = _PRONOUN.search(parts[0]) is not None
            around = keys | sentence if pending else keys
            if known := _DEFINITE.search(parts[0]):
                around = around | named_nouns.get(known[1], frozenset())
            if pronoun or not own:
                carried = bool(subject or pending) and not pronoun
                around = around.union(sentence, () if carried else last_sentence)
                own = [*own, *(subject or pending or before)]
                around = around.union(own)
            statements.append(_Statement(segment, keys, own, around))
            subject, pending = own, []
            sentence |= keys
        before, last_sentence = subject or before, frozenset(sentence)
    return statements


def _bearer_chinese(claim: Reading, quotes: Sequence[Reading]) -> Turned | None:
    whole = "\n".join(quote.text for quote in quotes)
    units = [unit for quote in quotes for unit in _units(quote)]
    texts = [frozenset([*_pairs(text), *_NUMBER.findall(text)]) for text, _, _ in units]
    held = Counter(pair for text in texts for pair in text)
    named = frozenset(_pairs(claim.text))
    for segment in claim.segments:
        if negated(segment) or worked_out(segment, frozenset(_NUMBER.findall(whole))):
            continue
        bare = segment[found.end() :] if (found := _JOINS_CHINESE.match(segment)) else segment
        length = 0
        while length < min(LONGEST, len(bare)) and not bare[length].isdigit() and bare[: length + 1] in whole:
            length += 1
        subject, rest = _pairs(bare[:length]), bare[length:]
        said = dict.fromkeys([*_pairs(rest), *_NUMBER.findall(rest)])
        if not subject or len(said) < 2 or _TOPIC.fullmatch(segment):  # one pair says too little, and a topic nothing
            continue
        own_words = min((rest.find(key) for key in said if key in whole), default=0)
        near = _nearest(said, texts, held, SAID)
        wholly = _nearest(said, texts, held, WHOLLY)
        if near and all(
            _of_another(subject, units[place], said, named, frozenset(segment), held, place in wholly, own_words)
            for place in near
        ):
            return Turned("roles", (units[near[0]][0],))
    return None


def _of_another(
    subject: Sequence[str],
    unit: tuple[str, str, str],
    said: dict[str, None],
    named: frozenset[str],
    spelled: frozenset[str],
    held: Counter[str],
    wholly: bool,
    own_words: int,
) -> bool:
    """Tell whether a segment says something of another subject, its own or that of the segments before it."""
    text, before, last_sentence = unit
    head = text[: min(place for key in said if (place := text.find(key)) >= 0)]
    head = head[found.end() :] if (found := _JOINS_CHINESE.match(head)) else head
    pronoun = _PRONOUN_CHINESE.search(head) or _PRONOUN_CHINESE.search(before)
    spoken = _PRONOUN_CHINESE.search(head)
    explicit = len(head) > max(1, own_words) and not spoken  # as long as the claim's own verb, it may be a verb, too
    if not explicit and not wholly:
        return False
    around = text if explicit else before + text + (last_sentence if pronoun or not before else "")
    other = _pairs(head if explicit else before)
    if explicit and set(head) <= spelled:
        return False  # the same in other words: 涨价 for 价格上涨
    return not named.issuperset(other) and _rarest_is_strange(
        subject, frozenset(pair for pair in subject if pair in around), held
    )


def _units(quote: Reading) -> Iterator[tuple[str, str, str]]:
    """Yield the segments of a Chinese text, each with its sentence up to it and the sentence before."""
    last = ""
    for clause in quote.clauses:
        before = ""
        for segment in read(clause).segments[:MAX_SEGMENTS]:
            yield segment, before, last
            before += segment
        last = clause


def _pairs(text: str) -> list[str]:
    """Return the pairs of Chinese characters of a text that hold no small word."""
    pairs = (text[place : place + 2] for place in range(len(text) - 1))
    return [pair for pair in pairs if _PAIR.fullmatch(pair) and not (pair[0] in CJK_STOP or pair[1] in CJK_STOP)]
