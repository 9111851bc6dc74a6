"""Proper names in English and Chinese sentences, and which of them a text does not hold."""

import re
import unicodedata
from functools import lru_cache

from services.text.normal_form import normal_form
from services.text.tokens import CJK_STOP, STOP_WORDS, has_cjk, stem

_LETTER = r"A-Za-z\u00c0-\u024f\u0370-\u052f"
_PART = re.compile(rf"[{_LETTER}\d]+")
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}\d]*(?:['’.&-][{_LETTER}\d]+)*\.?|\d[\w.,]*|[^\w\s]|[^\W{_LETTER}\d_]+")
_JOINING_WORDS = "of the de la le du des von van der den di da del al el bin ibn and & y e"
_COMMON_WORDS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr prof tl tldr "
    "however besides apart among moreover further furthermore although though while since because before despite according first second "
    "third finally later today overall once until unlike like one two three four five six seven eight nine ten many "
    "several few some most both another every bc ad ce bce together combined altogether meanwhile instead nevertheless nonetheless yet still thus hence "
    "therefore accordingly consequently even here now just roughly nearly almost exactly against without within beyond throughout across above below "
    "whether unless either neither all none similarly likewise additionally eventually initially originally previously recently currently formerly "
    "subsequently afterwards ultimately notably specifically particularly especially generally typically usually often sometimes rarely never always "
    "perhaps possibly probably certainly clearly indeed conversely compared given owing following amid alongside including excluding except regarding"
)
_JOINING = frozenset(_JOINING_WORDS.split())
NOT_NAMES = STOP_WORDS | frozenset(_COMMON_WORDS.split())
"""Words, in lower case, that are no names although they may have a capital."""
_NATIONAL = re.compile(r"(?:ian|ean|an|n|ese|ish|i)$")
_COUNTRY = re.compile(r"(?:land|ia|a|y|e)$")
_ADJECTIVE = re.compile(r"[a-z]?(?:ian|an|ish|ese|i)")
_SUBJECT = re.compile(
    r"^([A-Z][a-z]{3,})(?:['’]s [a-z]|\s(?:(?:later|first|then|also|once|soon|never|again)\s)?"
    r"(?:is|was|had|has|wrote|found|led|made|took|became|began|went|gave|saw|built|won|lost|said|came|left|died|sent|held|ran|drew|thought|knew|told|sank|kept|got|[a-z]{2,}ed)\b)"
)
_COMMON_SUBJECTS = (
    "research study analysis data evidence work growth production demand progress interest development nobody "
    "everyone someone nothing everything anyone people government water light sound depth speed time weather "
    "temperature pressure "
    "science technology money size cost price help part half much little such what nature history life"
)
_COMMON_ENDING = re.compile(r"(?:ing|ed|ly|s|ion|ment|ness|ity|ance|ence|ship|ure)$")
_NOT_SUBJECTS = NOT_NAMES | frozenset(_COMMON_SUBJECTS.split())
_CURRENCIES = frozenset("EUR USD GBP CNY RMB JPY CHF".split())
LONGEST_ABBREVIATION = 4
"""Letters of a word that may stand before a full stop within a name: `Prof. Hale`."""
_CHINESE_TITLE = re.compile(r"《([^《》]{2,40})》")
_CHINESE_PLACE = re.compile(
    r"([\u4e00-\u9fff]{2})(大学|学院|医院|研究所|研究院|公司|集团|委员会|海沟|海峡|海盆|群岛|半岛|运河|省(?![下了去出])|市(?![场值价面民])|县|洲|洋|号(?![码召称]))"
)
_CHINESE_COUNTRY = re.compile(
    "美国|英国|法国|德国|俄罗斯|苏联|日本|韩国|朝鲜|印度尼西亚|印度|意大利|西班牙|葡萄牙|荷兰|比利时|瑞士|瑞典|挪威|丹麦|芬兰|冰岛|波兰|捷克|"
    "奥地利|匈牙利|希腊|土耳其|埃及|南非|澳大利亚|新西兰|加拿大|墨西哥|巴西|阿根廷|智利|秘鲁|泰国|越南|缅甸|马来西亚|新加坡|菲律宾|伊朗|伊拉克|以色列|乌克兰"
)
"""Countries without `中国`, which Chinese texts mostly leave unsaid."""
_NOT_OF_A_NAME = CJK_STOP | frozenset(
    "节给让将使跟按据但却还已没是一二三四五六七八九十百千万各每某本该此两几等多大小全内外新老名所家第前后同另任居省市县洲国年种哪些"
)


def missing_names(text: str, around: str) -> list[str]:
    """Return the names of a sentence, as written, that do not occur in a text."""
    vocabulary, squeezed = _vocabulary(around)
    missing = []
    for name in names(text):
        if not can_be_found(name, around):
            continue
        if has_cjk(name):
            is_present = re.sub(r"\W+", "", _plain(name)) in squeezed or _is_a_cell(name, around)
            missing += [] if is_present else [name]
            continue
        words = [_plain(word) for word in _PART.findall(re.sub(r"['’]s\b", "", name))]
        if not all(_occurs(word, vocabulary, squeezed) for word in words if word not in _JOINING):
            missing.append(name)
    return missing


def _is_a_cell(name: str, around: str) -> bool:
    """Tell whether a table has a name without the kind that its heading gives: `星河` under `运营公司`."""
    match = _CHINESE_PLACE.fullmatch(name)
    return match is not None and match.group(2) in around and f"|{match.group(1)}|" in around.replace(" ", "")


@lru_cache(maxsize=8)
def _vocabulary(around: str) -> tuple[frozenset[str], str]:
    return frozenset(stem(_plain(word)) for word in _PART.findall(around)), re.sub(r"\W+", "", _plain(around))


def can_be_found(name: str, around: str) -> bool:
    """Tell whether a text can contain a name at all: a text without Chinese writes a Chinese name differently."""
    return not has_cjk(name) or has_cjk(around)


def _occurs(word: str, held: frozenset[str], squeezed: str) -> bool:
    """Tell whether a name's word is among stems, is part of a word, or is the adjective of a country that is."""
    if stem(word) in held or (len(word) > 3 and word in squeezed):
        return True
    nation = _NATIONAL.sub("", word)
    if nation != word and len(nation) > 3 and any(other.startswith(nation) for other in held):
        return True
    country = _COUNTRY.sub("", word)  # Scotland of Scottish
    return (
        country != word
        and len(country) > 3
        and any(_ADJECTIVE.fullmatch(other[len(country) :]) for other in held if other.startswith(country))
    )


def names(text: str) -> list[str]:
    """Return the proper names of a sentence.

    English: runs of capitalised words; a lone one that begins the sentence only where it acts as a person does (`Murray
    wrote`), for any word may begin one. Chinese: titles in 《》 and what ends like an institution or a place.
    """
    proper_names: list[str] = []
    subject = _SUBJECT.match(text)
    if subject and subject.group(1).lower() not in _NOT_SUBJECTS and not _COMMON_ENDING.search(subject.group(1)):
        proper_names.append(subject.group(1))
    run: list[str] = []
    first = True
    begins = False
    for word in [*_WORD.findall(normal_form("NFC", text)), "."]:
        bare = word.rstrip(".")
        if (
            bare not in _CURRENCIES
            and _is_capitalised(bare)
            and (bare.lower() not in NOT_NAMES or (bare.isupper() and len(bare) > 2))
        ):
            begins = begins if run else first
            run.append(bare)
        elif run and word.lower() in _JOINING and word not in {"and", "&"}:
            run.append(word)
        else:
            proper_names.extend(_closed(run, begins))
            run = []
        ends = word.endswith(".") and len(bare) > LONGEST_ABBREVIATION
        first = ends or word in {".", "!", "?", ":", "|", ";", "•"} or (first and not bare[:1].isalpha())
        if first and run:
            proper_names.extend(_closed(run, begins))
            run = []
    proper_names.extend(match.group(1) for match in _CHINESE_TITLE.finditer(text))
    places = _CHINESE_PLACE.finditer(text)
    proper_names.extend(match.group() for match in places if not _NOT_OF_A_NAME.intersection(match.group(1)))
    proper_names.extend(_CHINESE_COUNTRY.findall(text))
    return list(dict.fromkeys(proper_names))


def _closed(run: list[str], begins: bool) -> list[str]:
    while run and run[-1].lower() in _JOINING:
        run = run[:-1]
    lone = len(run) == 1 and begins and not (run[0].isupper() and len(run[0]) > 1)
    return [" ".join(run)] if run and not lone else []


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper() and len(word) > 1


def _plain(word: str) -> str:
    decomposed = normal_form("NFKD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).lower()
