"""Whether quotes support a sentence: its numbers and dates, its names, enough of its words. Code, not a model."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from services.evidence.numbers import missing_quantities, quantities
from services.normal_form import normal_form
from services.search.tokens import CJK_STOP, STOP_WORDS, has_cjk, stem, tokens

SUPPORT = 0.45
"""Least share of a sentence's terms that its quotes and their sources' titles must hold. On WiCE's development part
(oracle chunks, supported against the rest) balanced accuracy with the other checks is flat from 0.3 to 0.5."""
SUPPORT_CHINESE = 0.35
"""The same for bigrams of Chinese, of which a harmless change of wording breaks more."""

MEANING = 0.55
"""Least cosine of a sentence and the sentence of a quote in another language that comes nearest to it, by the local model
`use`. On half of XQuAD's parallel paragraphs balanced accuracy with the other checks is flat from 0.5 to 0.6."""

Failing = Literal["", "uncited", "numbers", "untraced", "names", "words", "language", "meaning", "negation", "opposite"]
Likeness = Callable[[str, Sequence[str]], float | None]
"""Tells how near a sentence comes to quotes in meaning, as a cosine; None where no model can tell."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check came to; without a failing part, the sentence is supported."""

    failing: Failing = ""
    what: tuple[str, ...] = ()
    """The numbers or names that are not there, as the sentence writes them."""
    likeness: float | None = None
    """By which the sentence was judged, where it was judged by meaning."""


_LETTER = r"A-Za-z\u00c0-\u024f\u0370-\u052f"
_PART = re.compile(rf"[{_LETTER}\d]+")
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}\d]*(?:['’.&-][{_LETTER}\d]+)*\.?|\d[\w.,]*|[^\w\s]|[^\W{_LETTER}\d_]+")
_JOINING_WORDS = "of the de la le du des von van der den di da del al el bin ibn and & y e"
_COMMON_WORDS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr prof tl tldr "
    "however moreover further furthermore although though while since because before despite according first second "
    "third finally later today overall once until unlike like one two three four five six seven eight nine ten many "
    "several few some most both another every bc ad ce bce"
)
_JOINING = frozenset(_JOINING_WORDS.split())
NOT_NAMES = STOP_WORDS | frozenset(_COMMON_WORDS.split())
"""Words, in lower case, that are no names although they may have a capital."""
_NATIONAL = re.compile(r"(?:ian|ean|an|n|ese|ish|i)$")
_SUBJECT = re.compile(
    r"^([A-Z][a-z]{3,})(?:['’]s [a-z]|\s(?:(?:later|first|then|also|once|soon|never|again)\s)?"
    r"(?:is|was|had|has|wrote|found|led|made|took|became|began|went|gave|saw|built|won|lost|said|came|left|died|sent|held|ran|drew|thought|knew|told|sank|kept|got|[a-z]{2,}ed)\b)"
)
_COMMON_SUBJECTS = (
    "research study analysis data evidence work growth production demand progress interest development nobody "
    "everyone someone nothing everything anyone people government water light sound depth speed time weather "
    "temperature pressure "
    "science technology money help part half much little such what nature history life"
)
_COMMON_ENDING = re.compile(r"(?:ing|ed|ly|s|ion|ment|ness|ity|ance|ence|ship|ure)$")
_NOT_SUBJECTS = NOT_NAMES | frozenset(_COMMON_SUBJECTS.split())
_CHINESE_TITLE = re.compile(r"《([^《》]{2,40})》")
_CHINESE_PLACE = re.compile(
    r"([\u4e00-\u9fff]{2})(大学|学院|医院|研究所|研究院|公司|集团|委员会|海沟|海峡|海盆|群岛|半岛|运河|省|市|县|洲|洋|号)"
)
_NOT_OF_A_NAME = CJK_STOP | frozenset("一各每某本该此两几等多大小全内外新老名所家第前后同另任省市县洲国年种哪些")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|fail(?:s|ed)?|un(?:able|known|likely))\b|n['’]t\b|[不没未无非]",
    re.IGNORECASE,
)
_OPPOSITES = [
    tuple(re.compile(rf"\b(?:{side})\b" if side.isascii() else side, re.IGNORECASE) for side in pair)
    for pair in (
        (
            r"increas\w+|rose|ris(?:e|es|en|ing)|gr[eo]w\w*",
            r"decreas\w+|fell|fall(?:s|en|ing)?|declin\w+|dropp?(?:s|ed|ing)?|reduc\w+",
        ),
        (r"higher|more|greater|larger|deeper|longer|faster", r"lower|less|fewer|smaller|shallower|shorter|slower"),
        (
            r"highest|most|greatest|largest|deepest|longest|fastest",
            r"lowest|least|fewest|smallest|shallowest|shortest|slowest",
        ),
        (r"before|earlier than", r"after|later than"),
        ("增加|上升|提高|升高|增长|上涨|扩大|加快", "减少|下降|降低|减慢|下跌|缩小|减缓|减轻"),
        ("高于|大于|多于|超过|早于", "低于|小于|少于|不足|晚于"),
        ("有效|有益|支持", "无效|无益|反对"),
    )
]
_NOT_NEGATION = re.compile(
    r"\bnot only\b|\bno\.? \d|不仅|不但|不同|不断|不少|无论|不过|未来|非常|非洲|无线|不久|不等|不良", re.IGNORECASE
)


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
    if quantities(text) or any(_can_be_found(name, around) for name in names(text)):
        return Verdict()
    near = likeness(text, quotes) if likeness else None
    if near is None:
        return Verdict("language")
    return Verdict("" if near >= MEANING else "meaning", likeness=near)


def opposite(text: str, around: str) -> tuple[str, ...]:
    """Return the words by which a sentence turns a direction round: `rose` where the text has only `fell`."""
    turned = []
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            found = one.search(text)
            if found and not other.search(text) and not one.search(around) and other.search(around):
                turned.append(found.group())
    return tuple(turned)


def lexical_share(text: str, around: str) -> float:
    """Return which share of a sentence's terms (stemmed words, Chinese bigrams) a text holds; 1 if there are none."""
    terms = [term for term in dict.fromkeys(tokens(text)) if not term[0].isdigit()]
    held = set(tokens(around, keep_stop_words=True))
    return sum(term in held for term in terms) / len(terms) if terms else 1.0


def negated(text: str) -> bool:
    """Tell whether a text denies something."""
    return _NEGATION.search(_NOT_NEGATION.sub(" ", text)) is not None


def missing_names(text: str, around: str) -> list[str]:
    """Return the names of a sentence, as written, that do not occur in a text."""
    held = {stem(_plain(word)) for word in _PART.findall(around)}
    squeezed = re.sub(r"\W+", "", _plain(around))
    missing = []
    for name in names(text):
        if not _can_be_found(name, around):
            continue
        if has_cjk(name):
            if re.sub(r"\W+", "", _plain(name)) not in squeezed:
                missing.append(name)
            continue
        words = [_plain(word) for word in _PART.findall(re.sub(r"['’]s\b", "", name))]
        if not all(_occurs(word, held, squeezed) for word in words if word not in _JOINING):
            missing.append(name)
    return missing


def _can_be_found(name: str, around: str) -> bool:
    """Tell whether a name could stand in a text at all: a Chinese one is another in a text without Chinese."""
    return not has_cjk(name) or has_cjk(around)


def _occurs(word: str, held: set[str], squeezed: str) -> bool:
    """Tell whether a name's word is among stems, is part of a word, or is the adjective of a country that is."""
    if stem(word) in held or (len(word) > 3 and word in squeezed):
        return True
    nation = _NATIONAL.sub("", word)
    return nation != word and len(nation) > 3 and any(one.startswith(nation) for one in held)


def names(text: str) -> list[str]:
    """Return the proper names of a sentence.

    English: runs of capitalised words; a lone one that begins the sentence only where it acts as a person does (`Murray
    wrote`), for any word may begin one. Chinese: titles in 《》 and what ends like an institution or a place.
    """
    found: list[str] = []
    subject = _SUBJECT.match(text)
    if subject and subject.group(1).lower() not in _NOT_SUBJECTS and not _COMMON_ENDING.search(subject.group(1)):
        found.append(subject.group(1))
    run: list[str] = []
    first = True
    begins = False
    for word in [*_WORD.findall(normal_form("NFC", text)), "."]:
        bare = word.rstrip(".")
        if _is_capitalised(bare) and (bare.lower() not in NOT_NAMES or (bare.isupper() and len(bare) > 2)):
            begins = begins if run else first
            run.append(bare)
        elif run and word.lower() in _JOINING and word not in {"and", "&"}:
            run.append(word)
        else:
            found.extend(_closed(run, begins))
            run = []
        first = word in {".", "!", "?", ":", "|", ";", "•"} or (first and not bare[:1].isalnum())
        if first and run:
            found.extend(_closed(run, begins))
            run = []
    found.extend(match.group(1) for match in _CHINESE_TITLE.finditer(text))
    places = _CHINESE_PLACE.finditer(text)
    found.extend(match.group() for match in places if not _NOT_OF_A_NAME.intersection(match.group(1)))
    return list(dict.fromkeys(found))


def _closed(run: list[str], begins: bool) -> list[str]:
    while run and run[-1].lower() in _JOINING:
        run = run[:-1]
    lone = len(run) == 1 and begins and not (run[0].isupper() and len(run[0]) > 1)
    return [" ".join(run)] if run and not lone else []


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper() and len(word) > 1


def _plain(word: str) -> str:
    """Return a word in lower case without accents."""
    decomposed = normal_form("NFKD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).lower()
