"""Digests: reports on broad questions, such as `Tell me all about …` or `Overview of these documents`.

Each source has a section with its kind, its date where that is known, and the sentences that say most of it. A sentence is central where its words are
those that the source uses most (SumBasic: Nenkova and Vanderwende, "The impact of frequency on summarization", 2005).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import fsum

from schemas.evidence_view import EvidenceView
from services.models.offline.cited_sentences import cite
from services.models.offline.opening_phrases import DIGEST, FOREIGN, KINDS_CHINESE
from services.models.offline.ranked_sentences import Piece, Sentence, alike, rank, sentences_of
from services.text.languages import locale_of, name_of_language
from services.text.questions import EVERYTHING
from services.text.terms import GENERIC, content, terms
from services.text.tokens import tokens

OF_PASSAGE, OF_SOURCE = 2, 4
"""Maximum sentences quoted of a passage, and written of a source."""
MAX_SOURCES = 25
"""Maximum number of sources in a digest."""
FIRST = 1.3
"""Factor on the score of a passage's first sentence: it mostly states the passage's subject."""
ON_TOPIC = 0.6
"""Minimum share of the best sentence's topic score that a passage's best sentence must reach for the passage to be on topic."""
OFF_TOPIC = 0.3
"""Base factor of a sentence without words of the topic, in a passage on the topic."""
FACETS = "introduction; history and dates; methods and places; results and figures; conclusions and advice".split("; ")
FACETS_CHINESE = "介绍 历史和时间 方法和地点 数据和费用 结论和建议".split()
"""Search terms of a digest of all documents."""
_BROAD = (
    re.compile(
        r"^(?:please )?(?:(?:can|could) you )?(?:please )?(?:tell|teach) me (?:all|everything|all there is|more|something|what you know)(?: there is)? (?:about|on) (?P<topic>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:please )?(?:(?:can|could) you )?(?:please )?tell me (?:about|of) (?P<topic>(?!how\b|why\b|when\b|wh\w+\b|if\b).+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:please )?(?:(?:can|could) you )?(?:please )?(?:(?:give|write|show|make)(?: me| us)? )?(?:an? |the )?(?:\w+ ){0,2}?"
        r"(?:overview|summary|digest|introduction|survey|outline|report)(?: (?:of|on|to|about) (?P<topic>.+))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:please )?(?:(?:can|could) you )?(?:please )?(?:summari[sz]e|sum up|introduce) (?P<topic>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^what (?:do|does) (?:all )?(?:these|those|the|my|our) (?:documents?|sources?|files?|papers?|texts?|notes|pages?|folder)"
        r" (?:say|tell(?: us)?|contain|hold|cover)(?: (?:about|on|of) (?P<topic>.+))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^what(?: is|['’]s| are) (?:in |inside )?(?:this|these|those|the|my|our) (?:documents?|sources?|files?|papers?|texts?|notes|pages?|folder)(?: about)?(?P<topic>)$",
        re.IGNORECASE,
    ),
    re.compile(r"^what (?:is known|do we know|is there(?: to know)?) (?:about|on|of) (?P<topic>.+)$", re.IGNORECASE),
    re.compile(
        r"^(?:请|帮我|请帮我|能否|请你)?(?:全面|详细|简要|简单|系统|整体|大致)?地?(?:介绍|概述|综述|总结|概括|梳理|归纳|汇总)(?:一下|下)?(?P<topic>.*)$"
    ),
    re.compile(r"^(?P<topic>.*?)的?(?:概述|综述|概况|概览|总结|摘要|全面介绍|简介)$"),
    re.compile(
        r"^(?P<topic>(?:这些|这几[份篇个]|所有|全部|本|该)?(?:文件|资料|文档|材料|文章))(?:都|主要)?(?:讲|说|写|谈|包含|有)了?(?:些|哪些)?(?:什么|内容|什么内容)$"
    ),
    re.compile(
        r"^(?P<topic>)这?个?(?:文件夹|目录)(?:里面?|中)?(?:都|主要)?(?:有|是|讲|写)了?(?:些|哪些)?(?:什么|内容|什么内容)$"
    ),
    re.compile(
        r"^(?P<topic>(?:这些|这几[份篇个]|所有|全部)(?:文件|资料|文档|材料|文章))的?主要内容(?:是什么|有哪些)?$"
    ),
)
_SAYS = re.compile(
    r"^(?:what )?(?:all )?(?:of )?(?:these|those|the|my|our) (?:documents?|sources?|files?|papers?|texts?|notes)(?: (?:say|tell(?: us)?|contain|hold))?(?: (?:about|on|of))?\s*"
    r"|^(?:这些|这几[份篇个]|所有|全部)(?:文件|资料|文档|材料|文章)(?:中|里)?(?:关于|对)?",
    re.IGNORECASE,
)
_EVERYTHING = frozenset(
    terms(
        "document documents source sources file files paper papers text texts note notes page folder everything material people person subject topic"
    )
)


def digest_topic(question: str) -> str | None:
    """Return the topic of a broad question; empty if it asks about all documents, None if the question is not broad."""
    bare = " ".join(question.split()).strip(" ?？。.!！")
    if any(mark in bare for mark in '“"「《'):
        return None
    match = next(filter(None, (pattern.match(bare) for pattern in _BROAD)), None)
    if match is None:
        return None
    topic = _SAYS.sub("", (match["topic"] or "").strip())
    return topic if set(content(topic)) - GENERIC - _EVERYTHING else ""


def queries_for(question: str, topic: str, *, chinese: bool) -> list[str]:
    """Return the search queries: the topic, or general facets of documents if there is no topic."""
    return [topic, question] if topic else [EVERYTHING, *(FACETS_CHINESE if chinese else FACETS)]


def central_sentences(topic: str, sentences: Sequence[Sentence]) -> dict[Sentence, float]:
    """Return the most central sentences of each passage with their scores, best first.

    Args:
        topic: passages without its words are left out; empty to accept every passage.
        sentences: the sentences of all passages.
    """
    prose = [sentence for sentence in sentences if not sentence.cells] or sentences
    shares = rank(topic, topic, prose).shares if topic else dict.fromkeys(prose, 1.0)
    least = ON_TOPIC * max(shares.values(), default=0.0)
    by_source: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_passage: defaultdict[str, list[Sentence]] = defaultdict(list)
    for sentence in prose:
        by_source[sentence.title].update(sentence.held)
        by_passage[sentence.id].append(sentence)
    chosen: dict[Sentence, float] = {}
    for own in by_passage.values():
        if max(shares.get(sentence, 0.0) for sentence in own) < least or (topic and not shares):
            continue
        scores = {
            sentence: _centrality(sentence, by_source[sentence.title])
            * (FIRST if sentence is own[0] else 1.0)
            * (OFF_TOPIC + shares.get(sentence, 0.0))
            for sentence in own
        }
        best = sorted(own, key=lambda sentence: -scores[sentence])[:OF_PASSAGE]
        chosen |= {sentence: scores[sentence] for sentence in best}
    return dict(sorted(chosen.items(), key=lambda pair: -pair[1]))


def _centrality(sentence: Sentence, counts: Counter[str]) -> float:
    return fsum(counts[term] for term in sentence.held) / (len(sentence.held) or 1)


def digest(question: str, evidence: Sequence[EvidenceView], *, chinese: bool, brief: bool = False) -> str:
    """Write the digest: a section for each source, most relevant first, without repeated sentences."""
    topic = digest_topic(question) or ""
    by_title: defaultdict[str, list[EvidenceView]] = defaultdict(list)
    for excerpt in evidence:
        if excerpt.kind != "computation":
            by_title[excerpt.title].append(excerpt)
    said: set[str] = set()
    blocks: list[str] = []
    for title in _by_relevance(topic, by_title)[: 3 if brief else MAX_SOURCES]:
        told = cite([(sentence, key) for sentence, key in _told(by_title[title])], said)
        if told:
            blocks += [f"## {title}", *_kind_and_date(by_title[title][0], chinese), told]
    foreign = (locale_of(" ".join(item.quote for item in evidence)[:2_000])[:2] == "zh") != chinese
    name = name_of_language(" ".join(item.quote for item in evidence)[:2_000], chinese=chinese)
    note = [FOREIGN[chinese].format(language=name)] if foreign else []
    return "\n\n".join([*note, DIGEST[chinese], *blocks])


def _kind_and_date(excerpt: EvidenceView, chinese: bool) -> list[str]:
    """Return the source's kind and date as an introduction; nothing for a document without a date."""
    if not excerpt.published and excerpt.source_kind not in KINDS_CHINESE and excerpt.kind != "database":
        return []
    kinds = [kind for kind in (excerpt.kind, excerpt.source_kind) if kind in KINDS_CHINESE]
    known = [*(KINDS_CHINESE[kind] if chinese else kind for kind in kinds), excerpt.published]
    line = ("，" if chinese else ", ").join(filter(None, known))
    return [f"{line[:1].upper()}{line[1:]}{'：' if chinese else ':'}"]


def _by_relevance(topic: str, by_title: dict[str, list[EvidenceView]]) -> list[str]:
    """Order sources by their relevance to the topic, without hardly relevant ones; without a topic, keep their order."""
    if not topic:
        return list(by_title)
    pieces = sentences_of(Piece(item.id, title, item.quote) for title, items in by_title.items() for item in items)
    sums: defaultdict[str, float] = defaultdict(float)
    highest: defaultdict[str, float] = defaultdict(float)
    for sentence, share in rank(topic, topic, pieces).shares.items():
        sums[sentence.title] += share
        highest[sentence.title] = max(highest[sentence.title], share)
    least = ON_TOPIC * max(highest.values(), default=0.0)
    return sorted((title for title in sums if highest[title] >= least), key=lambda title: -sums[title]) or list(
        by_title
    )


def _told(excerpts: Sequence[EvidenceView]) -> list[tuple[str, str]]:
    """Return the sentences to write of one source, with the ids of their excerpts."""
    chosen: list[tuple[str, str]] = []
    for excerpt in excerpts:
        for sentence in sentences_of([Piece(excerpt.id, excerpt.title, excerpt.quote)]):
            again = any(alike(sentence.said, other) for other, _ in chosen) or _names_only(sentence.said, excerpt.title)
            if len(chosen) < OF_SOURCE and not again:
                chosen.append((sentence.text, excerpt.id))
    return chosen


def _names_only(said: str, title: str) -> bool:
    """Tell whether a sentence only repeats its source's title: part of the title, or all of it without a final stop."""
    own, named = set(tokens(said)), set(tokens(title))
    return own <= named or (said[-1:] not in ".!?。！？" and named <= own)
