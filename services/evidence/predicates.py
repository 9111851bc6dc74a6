"""Whether a claim keeps what its quotes compare, and in whose words they tell it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.polarity import negated
from services.text.tokens import has_cjk

MAX_CLAUSES = 60
"""Clauses of the quotes that are compared."""


class Comparison(NamedTuple):
    """Two sides of a comparison, and which has more."""

    left: frozenset[str]
    right: frozenset[str]
    measure: str
    sign: int


_MEASURES = (
    ("amount", "more higher larger greater bigger", "less fewer lower smaller", "多高大", "少低小"),
    ("time", "later", "earlier sooner", "晚", "早"),
    ("length", "longer", "shorter", "长", "短"),
    ("depth", "deeper", "shallower", "深", "浅"),
    ("speed", "faster", "slower", "快", "慢"),
    ("weight", "heavier", "lighter", "重", "轻"),
    ("age", "older", "younger", "", ""),
    ("value", "better dearer stronger", "worse cheaper weaker", "好贵强", "差便弱"),
)
_COMPARATIVES = {
    word: (measure, sign)
    for measure, up, down, more, less in _MEASURES
    for sign, words in ((1, [*up.split(), *more]), (-1, [*down.split(), *less]))
    for word in words
}
_THAN = re.compile(
    rf"\b(?P<word>{'|'.join(word for word in _COMPARATIVES if word.isascii())})\b[^.;,]{{0,60}}?\bthan (?P<right>[^.;,]{{2,80}})",
    re.IGNORECASE,
)
_BI = re.compile(
    r"(?<![相对占同环])比(?![例重])(?P<right>[^，,。；;]{2,16}?)[更还要也略明显约]{0,3}(?P<word>[多少高低大小早晚长短深浅快慢重轻])(?![数于度])"
)
_CUT = re.compile(r"[，。；;]|,(?=\s)|(?<=[\u4e00-\u9fff]),")
_WITH = re.compile(
    r"[与和同跟](?P<right>[^，,。；]{2,16}?)相比[，,](?P<left>[^，,。；]{0,24}?)[更还要也略明显约]{0,3}(?P<word>[多少高低大小早晚长短深浅快慢重轻])(?![数于度])"
)
_YU = re.compile(
    r"(?<!不)(?P<word>[多少高低大小早晚长短深浅快慢重轻])于(?P<right>[^，,。；;\d一二三四五六七八九十百][^，,。；;]{1,16})"
)


def compared(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes compare the same two sides in the same measure the other way round."""
    said = Counter(key for quote in quotes for clause in quote.clauses[:MAX_CLAUSES] for key in word_keys(clause))
    for mine in comparisons(claim.text):
        for quote in quotes:
            for clause in quote.clauses[:MAX_CLAUSES]:
                for theirs in comparisons(clause):
                    if mine.measure == theirs.measure and _contradict(mine, theirs, said):
                        return Turned("opposite", (clause,), sure=False)
    return None


_TIMES = re.compile(
    r"\b(?:\w+ times|twice) (?:as \w+(?: \w+){0,3}? as|the \w+(?: \w+)? (?:of|on|in|at|for)|that of|what) (?P<right>[^.;,]{2,80})",
    re.IGNORECASE,
)
_TIMES_CHINESE = re.compile(r"[是为达](?P<right>[^，,。；是为]{2,16}?)的?(?:[\d一二三四五六七八九十两几.]{1,6})倍")
"""A multiple, which cannot hold the other way round."""
_ALIKE = re.compile(
    r"\b(?:no (?:significant |clear |notable |marked |statistical )?(?:difference|change)s?|(?:did|do|does) not (?:significantly )?differ|equally|on a par)\b|"
    r"(?:没有|未见|并无|无)(?:明显|显著|统计学)?的?(?:差别|差异|区别)|持平|不相上下",
    re.IGNORECASE,
)
"""With which a text says that two sides do not differ."""
_DIFFERENT = re.compile(
    r"\b(?:more|less|fewer|\w{3,}er)\b(?=[^.;]{0,80}\bthan\b)|[高低多少大小长短快慢优劣强弱早晚]于|(?<![相对占同环])比(?![例重])[^，。；]{2,16}[更还要][^，。；]",
    re.IGNORECASE,
)
OF_THE_SAME = 0.5
"""Least share of the words of a comparison that the clause must hold which says that there is no difference."""


def no_difference(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim compares two sides that the quotes say not to differ, and the quotes compare them nowhere."""
    for segment in claim.segments:
        if not (found := _DIFFERENT.search(segment)) or negated(segment) or _ALIKE.search(segment):
            continue
        words = frozenset(word_keys(f"{segment[: found.start()]} {segment[found.end() :]}"))
        clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
        said = [
            (len(words & keys), clause) for clause, keys in clauses if len(words & keys) >= OF_THE_SAME * len(words)
        ]
        best = max((shared for shared, _ in said), default=0)
        near = [clause for shared, clause in said if shared == best]
        if near and all(_ALIKE.search(clause) and not _DIFFERENT.search(clause) for clause in near):
            return Turned("opposite", (near[0],), sure=False)
    return None


def comparisons(text: str) -> Iterator[Comparison]:
    """Yield what a text compares, in order."""
    for pattern in (_BI, _WITH, _YU, _TIMES_CHINESE) if has_cjk(text) else (_THAN, _TIMES):
        for found in islice(pattern.finditer(text), MAX_SEGMENTS):
            before = _CUT.split(text[: found.start()])
            left = found.groupdict().get("left") or before[-1] or "".join(before[-2:-1])
            measure, sign = _COMPARATIVES[found["word"].lower()] if "word" in found.groupdict() else ("times", 1)
            yield Comparison(frozenset(word_keys(left)), frozenset(word_keys(found["right"])), measure, sign)


def _contradict(mine: Comparison, theirs: Comparison, said: Counter[str]) -> bool:
    """Tell whether two comparisons exclude each other; the sides are known by their rarest words."""
    standard = theirs.right - theirs.left
    straight = (mine.right - mine.left) & standard
    crossed = (mine.left - mine.right) & standard
    rarest = min((said[key] for key in straight | crossed), default=0)
    sides = [
        sum(said[key] == rarest for key in side) / max(1, len(all_of_it))
        for side, all_of_it in ((straight, mine.right - mine.left), (crossed, mine.left - mine.right))
    ]
    if sides[0] == sides[1]:
        return False
    return mine.sign != theirs.sign if sides[0] > sides[1] else mine.sign == theirs.sign


_SAYS = (
    r"(?:said|says|argue[sd]?|believe[sd]?|considers?|considered|thinks?|thought|claim(?:s|ed)|warn(?:s|ed)|fear(?:s|ed)|hope[sd]?|propose[sd]?|moved|"
    r"ask(?:s|ed)|demand(?:s|ed)|blame[sd]?|pointed|maintain(?:s|ed)|report(?:s|ed)|suspect(?:s|ed)|predict(?:s|ed)|attribute[sd]?|dispute[sd]?|told|"
    r"object(?:s|ed)|suggest(?:s|ed)|agree[sd]|recommend(?:s|ed)|promise[sd]|admit(?:s|ted)|den(?:ies|ied)|complain(?:s|ed)|stress(?:es|ed)|add(?:s|ed)|explain(?:s|ed)|estimate[sd]|"
    r"not(?:es|ed)|trace[sd]?|oppose[sd]?|announce[sd]?|insist(?:s|ed)|sees|call(?:s|ed)|describe[sd]?)"
)
_SAYER = re.compile(
    rf"(?:(?<=^)|(?<=[,;.:] )|(?<=and )|(?<=but )|(?<=while )|(?<=whereas ))(?P<who>(?:[Tt]he |[A-Z]|[a-z]{{3,}} )[\w.'’-]{{0,30}}(?: [\w.'’-]{{1,30}}){{0,4}}?(?:, (?:[A-Z]|the |an? )[\w.'’ -]{{1,40}}?)?),?"
    rf"(?: ha[ds]| have)?(?: \w{{2,12}}ly| also| then)? (?P<verb>{_SAYS})\b"
)
_SAYER_CHINESE = re.compile(
    r"(?:^|(?<=[，,。；;、]))(?P<who>[\u4e00-\u9fff·]{2,16}?)(?:则|也|还|却|曾|均|都|昨日|一致)?"
    r"(?P<verb>认为|表示|指出|提出|提议|主张|强调|介绍|透露|坦言|建议|要求|担心|抱怨|批评|提醒|承认|认定|希望|推测|评论|点评|评价|解释|补充|直言|回应|坚称|反对|赞成|呼吁|质疑|汇报|[^名人号简通职]称(?![号为呼职]))"
)
_ACCORDING = re.compile(
    r"^(?:According to|In the view of) (?P<who>[^,]{2,60}),|^(?:据|在)(?P<name>[^，,]{2,16})(?:介绍|透露|看来|称)[，,]"
)


def attributed(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes attribute the claim's statement to another speaker, and another statement to its speaker."""
    sayer = _SAYER_CHINESE if has_cjk(claim.text) else _SAYER
    text = _CLEFT.sub(r"\1 ", claim.text)
    if according := _ACCORDING.match(text):
        who = frozenset(word_keys(next(filter(None, according.groups()))))
        mine = [(who, frozenset(word_keys(text[according.end() :])))]
    else:
        views_of_claim = list(islice(sayer.finditer(text), MAX_SEGMENTS))
        ends = [*(view.start() for view in views_of_claim[1:]), len(text)]
        mine = [
            (frozenset(word_keys(view["who"])), frozenset(word_keys(text[view.end() : end])))
            for view, end in zip(views_of_claim, ends, strict=False)
        ]
    views = [
        (who_says or frozenset(word_keys(before)[:_SUBJECT]), words)
        for quote in quotes
        for before, sentence in pairwise(["", *quote.clauses[:MAX_CLAUSES]])
        for who_says, words in _views(sentence, sayer)
    ]
    if blamed := _BLAMED.search(text):
        mine = [(who, frozenset(word_keys(blamed["what"]))) for who, _ in mine]
    known = frozenset(key for quote in quotes for clause in quote.clauses for key in word_keys(clause))
    for who, words_said in mine:
        said = words_said - who
        own = [len(said & words) for speaker, words in views if speaker & who]
        others = [(len(said & words), speaker) for speaker, words in views if not speaker & who]
        best, speaker = max(others, key=lambda other: other[0], default=(0, frozenset[str]()))
        if (own or who & known) and best >= max(2, len(said) / 2) and best > max(own, default=0):
            return Turned("roles", tuple(sorted(speaker)))
    return None


_BLAMED = re.compile(r"\b(?:blame[sd]?|attribute[sd]?|trace[sd]?|puts?)\b[^.;]{2,80}? (?:on|to) (?P<what>[^.;]{3,})")
_CLEFT = re.compile(r"^It (?:was|is) ([^,.;]{3,60}?) (?:who|that) ")
"""A sentence that puts its subject first: `It was Nair who objected`."""


_SUBJECT = 3
"""First words of a sentence, among which a pronoun in the next one is looked for."""
_ASIDE = 40
"""Characters before a name with a comma before it that may say who that is: `The contractor, Hallam, says`."""


def _views(sentence: str, sayer: re.Pattern[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the speakers of a sentence, each with the words up to the next one."""
    found = list(islice(sayer.finditer(sentence), MAX_SEGMENTS))
    for place, view in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(sentence)
        aside = (
            sentence[max(0, view.start() - _ASIDE) : view.start()] if sentence[: view.start()].endswith(", ") else ""
        )
        yield frozenset(word_keys(f"{aside} {view['who']}")), frozenset(word_keys(sentence[view.end() : end]))
