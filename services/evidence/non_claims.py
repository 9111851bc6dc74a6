"""Sentences that make no claim: labels, introductions of what follows, and words on missing evidence."""

import re

from services.run.ui_text import LABELS, MESSAGES
from services.text.held_numbers import missing_quantities
from services.text.names import names
from services.text.numbers import quantities
from services.text.polarity import negated
from services.text.tokens import tokens

SMALL_NUMBER = re.compile(r"\d|1[0-2]|[a-z]+|[一-十两]", re.IGNORECASE)
"""A number that counts what stands in the report itself: three things, 5 causes."""
MAX_INTRODUCTION = 12
"""Most terms of a sentence that only introduces what follows, by a colon or `as follows`."""

_SUMMARIES = "|".join(re.escape(own["summary"]) for own in LABELS.values())
_LABEL = re.compile(
    rf"^(?:{_SUMMARIES}|tl;dr|tldr|summary|in short|conclusions?|evidence|answer|short answer|key points|note|overview|background|details|"
    r"要点|摘要|概要|结论|总结|证据|依据|答案|简短回答|一句话总结|说明|注|概述|背景|详情)"
    r"(?:\s*+(?:[:：.。—-]+\s*|$)|\s++(?=(?-i:[^\W_a-zà-ÿа-яё]))|(?<=tl;dr)\s*+|(?<=[\u4e00-\u9fff])\s++)",
    re.IGNORECASE,
)
_OF_EVIDENCE = re.compile(
    r"\b(?:evidence|sources?|excerpts?|documents?|material|passages?|tables?|quotes?|this report|no (?:information|data|answer|figures?))\b|"
    r"证据|资料|来源|材料|摘录|文献|文档|本报告|表格|信息|数据",
    re.IGNORECASE,
)
"""What a sentence on missing evidence speaks of."""
_STOPS = ".。।"
_NOTHING_CLOSE = frozenset(text.rstrip(_STOPS) for text in MESSAGES["nothing_close"].values())
"""What a report without a model says where it shows nothing, in every language."""
_LACKS = re.compile(r"\b(?:lacks?|silent)\b|缺[乏少]|无法", re.IGNORECASE)
_NOT_KNOWN = re.compile(
    r"(?:it|this|that) (?:is|was|remains) (?:still )?(?:not known|unknown|unclear)\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"^(?:what|which|how|why|when|where|whom?|whose|whether)\b|哪|什么|多少|多[大深长高久]|如何|怎[么样]|为[何什]|是否|何时|谁|几",
    re.IGNORECASE,
)
"""A question, which the rest of the sentence says to be open."""
_TURN = re.compile(
    r"\b(?:but|although|though|however|yet|because|since|while|whereas|so|therefore|thus|hence)\b|[,，]\s?(?:and|which)\b|"
    r"但|然而|不过|虽然|尽管|因为|却|因此|所以|因而|可见",
    re.IGNORECASE,
)
"""Words with which a sentence goes on to claim something."""
_CLAUSE = re.compile(r"[,，;；:：—–]")
_ASKED = re.compile(r"[“「]([^“”「」]{1,400}+)[”」]|[:：]\s?([^:：]{1,400}+)$")
"""What is not told, in quotation marks or behind a colon: a part of the question, whatever words it has."""
_YEAR = re.compile(r"[12]\d{3}年?")
_INTRODUCES = re.compile(
    r"(?:[:：]|\b(?:as follows|as shown below|in the (?:following table|table below))\.|(?:如下|见下表|如下表所示)。)$"
)


def claims_nothing(words: str, *, cites: bool, evidence: str) -> bool:
    """Tell whether a sentence makes no claim and so needs no citation.

    Args:
        words: the sentence without Markdown and citations.
        cites: whether it cites anything; then only a word on missing evidence counts.
        evidence: all quotes and the question; a sentence on missing evidence may use their numbers and no others.
    """
    if words.rstrip(_STOPS) in _NOTHING_CLOSE or says_nothing_known(words, evidence):
        return True
    if cites:
        return False
    if not (_LABEL.sub("", words) and (tokens(words) or quantities(words))):
        return True
    introduces = _INTRODUCES.search(words) is not None and len(tokens(words)) <= MAX_INTRODUCTION
    if not introduces or names(words):
        return False
    numbers = (number.text for number in quantities(words))
    return all(SMALL_NUMBER.fullmatch(number) or (_YEAR.fullmatch(number) and number in evidence) for number in numbers)


def says_nothing_known(words: str, evidence: str) -> bool:
    """Tell whether a sentence only says that the evidence lacks something: each of its clauses says so, or asks what is lacking."""
    lower_evidence = evidence.lower()
    bare = _ASKED.sub(
        lambda part: "" if (part[1] or part[2]).rstrip(".。 ").lower() in lower_evidence else part[0],
        words.strip(".。 "),
    )
    clauses = [clause.strip() for clause in _CLAUSE.split(bare) if tokens(clause)]
    lacks = [
        bool(_NOT_KNOWN.match(clause) or (_OF_EVIDENCE.search(clause) and (negated(clause) or _LACKS.search(clause))))
        for clause in clauses
    ]
    all_clauses = all(lack or _OPEN.search(clause) for clause, lack in zip(clauses, lacks, strict=True))
    return any(lacks) and all_clauses and not _TURN.search(bare, 1) and not missing_quantities(words, [evidence])


def without_label(words: str) -> str:
    """Take a label off the front of a sentence: `TL;DR`, `结论：`."""
    return _LABEL.sub("", words) or words
