"""Words of a claim that its quotes hold only where they deny something, or only where they say what may be or is planned."""

import re
from collections.abc import Callable, Sequence

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import Keyed, Segments, Turned, nearest
from services.text.polarity import denial, negated
from services.text.tokens import CJK_STOP, has_cjk

SHARED, SHARED_CHINESE = 2, 3
"""Words, or pairs of Chinese characters, that a segment must share with a claim to speak of what the claim does."""
SAID = 0.4
"""Least share of what a claim calls certain that a sentence must hold to be of the same."""
DENIES_TOO = re.compile(
    r"\b(?:unlike|only|alone|less|fewer|lower|instead of|rather than|except\w*|exempt\w*|exclud\w+|lack\w*|miss\w*|refus\w+|reject\w+)\b|"
    r"\b(?:unless|left out|leav(?:es?|ing) out|left outside|outside|omit\w*|den(?:y|ies|ied)|disput\w*|declin(?:e|ed|es) to|spared|unaffected|stopped|ceased|left open|leaves? open|undecided|unresolved|open question|too (?:early|short|soon|little|few|small|late))\b|否认|否定|质疑|驳|仅|只|单独|其中|除|缺|免|拒|排除|例外|以内",
    re.IGNORECASE,
)
"""Words that deny something as well, without a negation."""
HEDGE = re.compile(
    r"\b(?:(?-i:may)|might|could|would|should|suggest\w*|possib\w+|perhaps|probabl\w+|likely|expect\w*|plan(?:s|ned|ning)?|propos\w+|"
    r"forecast\w*|project(?:s|ed|ion)|intend\w*|hop(?:e|es|ed)|believ\w+|assum\w+|appear\w*|seem\w*|estimat\w+|if|aim(?:s|ed)?|"
    r"thought|likel\w+|put forward|submitted|tabled|consider\w*|unclear|unknown|not known|whether|cannot tell|way|think\w*|view|opinion|suspect\w*|presum\w+|alleg\w+|reportedly|"
    r"anticipat\w+|predict\w*|guess\w*|fear\w*|indicat\w+|schedul\w+|said to|can|points? to|disagree\w*|disput\w*|debat\w*|controvers\w*|contested|uncertain\w*|doubt\w*)\b|"
    r"怕|可能|或许|也许|大概|预计|预期|预测|计划|拟|有望|估计|推测|推断|猜|怀疑|疑|据称|据说|初步|设想|争取|力争|认为|看来|仍需|尚需|有待|尚待|"
    r"如果|若|是否|打算|似乎|建议|目标|希望|论证|争议|分歧|不一|存疑|质疑|未定",
    re.IGNORECASE,
)
"""Words with which a sentence says that something is not certain."""
POSSIBLE = re.compile(
    r"\b(?:(?-i:may)|might|could(?! not\b|n['’]t)|suggest\w*|possib\w+|perhaps|probabl\w+|whether|suspect\w*|presum\w+|alleged\w*|reportedly|"
    r"(?:thought|believed|said|assumed) to|(?:cited|credited|regarded|blamed) as)\b|"
    r"可能|或许|也许|推测|推断|猜测|怀疑|疑似|疑为|据称|据说|初步(?:判断|认为|认定|分析|估计)|尚需|有待",
    re.IGNORECASE,
)
"""Those that call it possible only."""
_CERTAIN = re.compile(
    r"\b(?:it is certain|certainly|(?:proves?|demonstrates?|establish(?:es)?|confirms?) that|(?:is|are|was|were) known to|(?:there is |is )?(?:no|beyond|without) doubt|undoubtedly|(?:ha(?:s|ve) )?(?:established|proved|proven|confirmed|shown) that|"
    r"(?:is|was|has been) (?:established|proven|confirmed)|definitely|undisputed|firmly established|conclusive(?:ly)?|settled)\b|可以确定|已确定|肯定是|证实|无疑|毫无疑问|确凿|已经?证明",
    re.IGNORECASE,
)
"""Words with which a sentence says that something is certain."""
_PENDING = re.compile(r"有待|尚待|[仍尚]?需|是否|能否|待[^，。；]{0,12}$")
PENDING_BEFORE = 16
"""Characters before a word of certainty in which it is taken back: `有待实验证实`."""
_HELD_TRUE = re.compile(
    r"\b(?:exploratory|preliminary|tentative|caution|believ|think|thought|suspect|assum|argu|suggest|appear|seem)\w*\b|认为|似乎|看来",
    re.IGNORECASE,
)
"""Verbs of opinion."""
_UNREAL = re.compile(
    r"\b(?:(?-i:may)|might|could|possib\w+|perhaps|probabl\w+|suspect\w*|presum\w+|alleged\w*|reportedly|considers?|considering|discussing|seeks?|"
    r"depends? on|subject to|conditional on|"
    r"aims?|forecasts?|projected|scheduled|anticipat\w+|predict\w*|recommend\w*|propos\w+|expect\w*|plan(?:s|ned)? to|intend\w*|hop(?:e|es|ed) to|(?:fear|worr(?:y|ie)|doubt|hope)(?:s|d|ed)?)\b|"
    r"可能|或许|也许|推测|推断|猜测|担心|担忧|怀疑|疑似|据称|据说|考虑|争取|力争|目标|设想|希望|呼吁|预测|拟|即将|定于|能否|取决于|视[^，。；]{1,12}而定|将[于在会]|有望|打算|预计|计划",
    re.IGNORECASE,
)
"""Words of what is not so yet, or perhaps not so."""


def only_denied(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the quotes hold a word of the claim only where they deny what it is said of, and the claim does not."""
    if negated(claim.text) or DENIES_TOO.search(claim.text):
        return None
    only = _only_behind(
        lambda text: None if denies_something_else(text, claim.text) else denial(text), claim, quotes, keyed.all
    )
    return Turned("negation", (only,), sure=False) if only else None


_OF_A_PART = re.compile(r"(?:and |but )?not (to|by|from|because|for|with|through|due)\b", re.IGNORECASE)
_QUALIFIES = re.compile(r"的(?=[\u4e00-\u9fff])")
"""Where a Chinese denial ends that only qualifies a noun: `未参与研究的专家`."""


def denies_something_else(text: str, claim: str) -> bool:
    """Tell whether what a text denies is nothing that a claim speaks of.

    `and not to the fare rise` denies the part of the rise in what was said, rather than the rise.
    """
    if part := _OF_A_PART.match(text):
        return part.group(1).lower() not in claim.lower().split()
    found = denial(text)
    if found is None:
        return True
    denied = _QUALIFIES.split(text[found.end() :])[0]
    if has_cjk(denied):  # other words for a thing often share a character
        return frozenset(denied).isdisjoint(char for char in claim if char not in CJK_STOP)
    keys = frozenset(word_keys(denied))
    return bool(keys) and keys.isdisjoint(word_keys(claim))


_EXEMPT = re.compile(
    r"\b(?:free of charge|for free|(?:travel|enter|get in|admitted|are|is) free|exempt\w*|waived)\b|免费|免[缴交收征除于]|减免|不收费|不适用",
    re.IGNORECASE,
)
_BURDEN = re.compile(
    r"\b(?:pay|pays|paid|cost|costs|charge[sd]?|fee|fees|appl(?:y|ies)|required|must|have to|has to)\b|支付|付费|缴|交纳|收费|收取|适用|必须|需要?|须",
    re.IGNORECASE,
)
_SUBJECT_WORDS = 3
"""First words of a claim by which its subject is known."""


def exempted(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether a claim puts a burden on those whom the quotes exempt from it: `pensioners travel free`."""
    if (
        negated(claim.text)
        or DENIES_TOO.search(claim.text)
        or _EXEMPT.search(claim.text)
        or not _BURDEN.search(claim.text)
    ):
        return None
    subject = frozenset(key for key in word_keys(claim.text)[:_SUBJECT_WORDS] if not key[0].isdigit())
    of_subject = [text for text, keys in keyed.all if subject & keys]
    for text in of_subject:
        found = _EXEMPT.search(text)
        if found and subject & frozenset(word_keys(text[: found.start()])) and all(map(_EXEMPT.search, of_subject)):
            return Turned("negation", (text,), sure=False)
    return None


def only_guessed(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the quotes hold a word of the claim only where they say what may be or is planned; claims with a hedge are not asked for."""
    only = _only_behind(_UNREAL.search, claim, quotes, keyed.all)
    found = _UNREAL.search(only) if only else None
    return Turned("hedge", (found.group(),)) if found else None


def made_certain(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim calls certain what the sentence that says most of it calls possible, or an opinion."""
    found = _CERTAIN.search(claim.text)
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    before = claim.text[: found.start()] if found else ""
    if (
        found is None
        or negated(before)
        or _PENDING.search(before[-PENDING_BEFORE:])
        or any(_CERTAIN.search(text) for text, _ in clauses)
    ):
        return None
    for text, score in nearest(f"{claim.text[: found.start()]} {claim.text[found.end() :]}", clauses):
        if score >= SAID and (hedge := POSSIBLE.search(text) or _HELD_TRUE.search(text)):
            return Turned("hedge", (hedge.group(),))
    return None


def _only_behind(
    mark: Callable[[str], re.Match[str] | None], claim: Reading, quotes: Sequence[Reading], keyed: Keyed
) -> str:
    """Return a segment about the claim that alone, with others of its sort, holds some word of the claim behind its mark, in Chinese also before it."""
    words = frozenset(key for key in word_keys(claim.text) if not key[0].isdigit())
    marks = [mark(text) for text, _ in keyed]
    elsewhere = frozenset(key for (_, keys), found in zip(keyed, marks, strict=True) if not found for key in keys)
    elsewhere = elsewhere.union(*(word_keys(quote.text) for quote in quotes if quote.tables))
    for (text, keys), found in zip(keyed, marks, strict=True):
        if found and len(keys & words) >= (SHARED_CHINESE if has_cjk(text) else SHARED):
            marked = keys if has_cjk(text) else frozenset(word_keys(text[found.end() :]))
            if marked & words - elsewhere:
                return text
    return ""
