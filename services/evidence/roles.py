"""Whether a claim gives the roles of its quotes to others: who says, who acts, and who stands beside which words."""

import re
from collections.abc import Sequence
from itertools import islice

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Keyed, Segments, Turned
from services.text.tokens import has_cjk

_SPEAKER = re.compile(
    r"\b(?:[Aa]ccording to|[Ii]n the words of|[Ii]n (?=[\w ]{2,40}['’]s (?:view|opinion|words)))\s*((?:the |its |their )?[\w.-]+(?: [\w.-]+){0,2})|"
    r"((?:[Tt]he |[A-Z])[\w.-]+(?: [\w.-]+){0,2}?) (?:said|says|believes?|thinks?|argues?|claims?|warned|told|point(?:s|ed) out|called|blamed?)\b|"
    r"([\u4e00-\u9fff]{2,8}?)(?:则|也|还)?(?:认为|表示|指出|称|强调|介绍说|分析说)",
)


def speaker(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes attribute the claim's statement to another speaker."""
    found = _SPEAKER.search(claim.text)
    if found is None:
        return None
    who = frozenset(word_keys(next(filter(None, found.groups()))))
    said = frozenset(word_keys(claim.text[: found.start()] + " " + claim.text[found.end() :])) - who
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    told = [(clause, keys) for clause, keys in clauses if said and len(said & keys) >= len(said) / 2]
    named = any(who & keys for _, keys in clauses)
    if not told or not named or not who or any(who & keys for _, keys in told):
        return None
    speakers = (next(filter(None, match.groups())) for clause, _ in told if (match := _SPEAKER.search(clause)))
    other = next(filter(word_keys, speakers), None)  # a pronoun may stand for the claim's own
    return Turned("roles", (other,)) if other else None


_GIVEN_TO = re.compile(r"\b(?:to|from|under|against)\s(?:the |its |his |her |a )?(?:[a-z]{1,30} ){0,2}$")
_AGENT = re.compile(r"(?:^|\bby\s)(?:[Tt]he |[Ii]n [12]\d{3},? |[A-Z][a-z]{0,30} ){0,4}(?:the )?(?:[a-z]{1,30} ){0,2}$")


def role_by_preposition(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether who acts in the claim is who is acted on in the quotes, by the preposition before the name."""
    for name in sorted(claim.names)[:MAX_SEGMENTS]:
        for segment in claim.segments:
            place = segment.lower().find(name)
            if (
                place < 0
                or not _AGENT.search(segment[:place])
                or re.search(r"\b(?:was|were|been|is|are|be)\b", segment[place:])
            ):
                continue
            verb = re.match(r"(?:\s\w+ly)?\s(\w+)", segment[place + len(name) :])
            for text, _keys in keyed.near if verb else ():
                there = text.lower().find(name)
                if (
                    there > 0
                    and verb
                    and re.search(rf"\b{re.escape(verb.group(1))}\b", text[:there])
                    and _GIVEN_TO.search(text[:there])
                ):
                    return Turned("roles", (text,))
    return None


_VERB = re.compile(
    r"\b(?:\w{2,}ed|sold|bought|won|beat|lost|gave|took|led|wrote|made|found|built|taught|fought|met|sent|left|saw|held|paid|drove|overtook|"
    r"outgrew|succeeds?|follows|leads|owns|teaches|supplies|employs|feeds|eats|hosts|contains|(?:more|less|fewer)|\w{2,}er(?= than)|"
    r"(?:(?<=will )|(?<=would )|(?<=could )|(?<=can )|(?<=must )|(?<=should ))(?!be\b|have\b|not\b)[a-z]{3,})\b"
)
_BE = re.compile(r"\b(?:was|were|been|being|is|are|be|get|got)\s(?:(?:not|never|\w+ly)\s)?$|\bever\s$")


def order(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether two names stand round a verb, or a comparison, the other way than in the quotes, in the same voice."""
    for segment in claim.segments:
        for verb in islice(_VERB.finditer(segment), MAX_SEGMENTS):
            before, after = (set(word_keys(part)) for part in (segment[: verb.start()], segment[verb.end() :]))
            passive = _BE.search(segment[: verb.start()]) is not None
            for text, _keys in keyed.near:
                there = re.search(_forms(verb.group()), text)
                if there is None or passive is not (_BE.search(text[: there.start()]) is not None):
                    continue
                their_before, their_after = (
                    set(word_keys(part)) for part in (text[: there.start()], text[there.end() :])
                )
                left, right = before & their_after - after - their_before, after & their_before - before - their_after
                if left & _actors(segment) and right & _actors(text):
                    return Turned("roles", (text,))
    return None


_FROM_TO = re.compile(
    r"\bfrom (?P<left>[^,.;\d]{2,40}?) (?:in)?to (?P<right>[^,.;\d]{2,40}?)(?=$|[,.;]| (?:in|on|at|by|for|with|and|after|since)\b)|"
    r"[由从自](?P<former>[^，。；\d]{1,16}?)(?:换成|改成|改为|变为|变成|转为|转成|迁至|迁往|搬到|搬至|调整为|升级为|更换为|替换为|换为|改用|转向|转到)了?(?P<other>[^，。；\d]{1,16})",
    re.IGNORECASE,
)


def changed_places(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim has the ends of a change the other way round than the quotes: `from buses to trams`."""
    theirs = [
        (_ends(found), found.group())
        for quote in quotes
        for found in islice(_FROM_TO.finditer(quote.text), MAX_SEGMENTS)
    ]
    for found in islice(_FROM_TO.finditer(claim.text), MAX_SEGMENTS):
        left, right = _ends(found)
        for (their_left, their_right), text in theirs:
            crossed = left & their_right and right & their_left
            if crossed and not (left & their_left or right & their_right):
                return Turned("roles", (text,))
    return None


def _ends(found: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    left, right = (
        frozenset(word_keys(part)) for part in (found["left"] or found["former"], found["right"] or found["other"])
    )
    return left - right, right - left


_VERB_CHINESE = re.compile(
    r"击败|战胜|打败|胜过|淘汰|收购|并购|兼并|起诉|控告|邀请|资助|取代|接替|超过|领先|继承|娶|嫁给|师从|拜师?|收养|供应|捕食|借给|卖给|赠给|捐给|委托|聘请|指控|批评|感谢|访问|击沉|攻占"
)
_PASSIVE_CHINESE = re.compile(r"被|由|遭|受|为[^，,。；;]{1,8}所")


def order_chinese(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a Chinese claim has on both sides of a verb what a clause of the quotes has the other way round."""
    for segment in claim.segments:
        for verb in islice(_VERB_CHINESE.finditer(segment), MAX_SEGMENTS):
            before, after = (set(word_keys(part)) for part in (segment[: verb.start()], segment[verb.end() :]))
            for clause in (clause for quote in quotes for clause in quote.clauses):
                place = clause.find(verb.group())
                if place < 0 or _PASSIVE_CHINESE.search(segment) or _PASSIVE_CHINESE.search(clause):
                    continue
                their_before, their_after = (
                    set(word_keys(part)) for part in (clause[:place], clause[place + len(verb.group()) :])
                )
                if before & their_after - after - their_before and after & their_before - before - their_after:
                    return Turned("roles", (clause,))
    return None


def _forms(verb: str) -> str:
    """Return a pattern of a verb as it stands; of a regular one in the past, also as a participle of what somebody does: `replacing`."""
    root = verb.removesuffix("ed")
    return rf"\b{re.escape(verb)}\b" + (rf"|\b{re.escape(root)}ing\b" if root != verb else "")


SWAPPED = 2
"""How many words more, or pairs of Chinese characters, must stand beside the other of two actors in the quotes."""
SWAPPED_CHINESE = 3


def swapped(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether two actors of a claim have changed places: the quotes have the words beside each beside the other."""
    parts = [(frozenset(word_keys(segment)), _actors(segment)) for segment in claim.segments]
    held = frozenset(word for _, keys in keyed.near for word in keys)
    for first, (former, actors) in enumerate(parts):
        for two, others in parts[first + 1 :]:
            for mine in (actors - two) & held:
                for other in (others - former) & held:
                    # A name of Chinese characters is several pairs, none of which stands beside it
                    names = (actors, others) if has_cjk(mine) else ({mine}, {other})
                    if _exchanged(
                        mine, other, (former - two - names[0]) & held, (two - former - names[1]) & held, keyed.near
                    ):
                        return Turned("roles", (mine, other))
    return None


_AFTER_BY = re.compile(r"\bby (?:the |its )?((?:[\w&-]+ ?){1,3})|[由被让]([\u4e00-\u9fff]{2,6})")
_CAPITALISED = re.compile(r"(?<=\s)[A-Z][\w-]+")


def _actors(segment: str) -> frozenset[str]:
    """Return the words of a segment that may name who acts: its first ones, names, and what follows `by`."""
    keys = word_keys(segment)
    named = " ".join(_CAPITALISED.findall(f" {segment}"))
    agents = " ".join(next(filter(None, found)) for found in _AFTER_BY.findall(segment))
    return frozenset([*keys[: 3 if has_cjk(segment) else 2], *word_keys(named), *word_keys(agents)])


def _exchanged(mine: str, other: str, beside_mine: frozenset[str], beside_other: frozenset[str], keyed: Keyed) -> bool:
    with_mine = frozenset(word for _, keys in keyed if mine in keys and other not in keys for word in keys)
    with_other = frozenset(word for _, keys in keyed if other in keys and mine not in keys for word in keys)
    crossed = [len(beside_mine & (with_other - with_mine)), len(beside_other & (with_mine - with_other))]
    straight = len(beside_mine & with_mine) + len(beside_other & with_other)
    return all(crossed) and sum(crossed) >= straight + (SWAPPED_CHINESE if has_cjk(mine) else SWAPPED)
