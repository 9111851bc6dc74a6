"""Broad questions, such as `Tell me all about …` or `Overview of these documents`: they get a digest, not an answer."""

import re

from services.text.terms import GENERIC, content, terms

FACETS = "introduction; history and dates; methods and places; results and figures; conclusions and advice".split("; ")
FACETS_CHINESE = "介绍 历史和时间 方法和地点 数据和费用 结论和建议".split()
"""What is searched for where a digest is of everything at hand."""
_POLITE = r"^(?:please )?(?:(?:can|could) you )?(?:please )?"
_THESE = (
    r"(?:all )?(?:of )?(?:these|those|the|my|our) (?:documents?|sources?|files?|papers?|texts?|notes|pages?|folder)"
)
_THESE_CHINESE = "(?:这些|这几[份篇个]|所有|全部|本|该)?(?:文件|资料|文档|材料|文章)"
_BROAD = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_POLITE}(?:tell|teach) me (?:all|everything|all there is|more|what you know)(?: there is)? (?:about|on) (?P<topic>.+)$",
        rf"{_POLITE}(?:(?:give|write|show|make)(?: me| us)? )?(?:an? |the )?(?:\w+ ){{0,2}}?"
        r"(?:overview|summary|digest|introduction|survey|outline|report)(?: (?:of|on|to|about) (?P<topic>.+))?$",
        rf"{_POLITE}(?:summari[sz]e|sum up|introduce) (?P<topic>.+)$",
        rf"^what (?:do|does|is|are) (?:in )?{_THESE}(?: (?:say|tell(?: us)?|contain|hold|cover))?(?: (?:about|on|of)(?: (?P<topic>.+))?)?$",
        r"^what (?:is known|do we know|is there(?: to know)?) (?:about|on|of) (?P<topic>.+)$",
        r"^(?:请|帮我|请帮我|能否|请你)?(?:全面|详细|简要|简单|系统|整体|大致)?地?(?:介绍|概述|综述|总结|概括|梳理|归纳|汇总)(?:一下|下)?(?P<topic>.*)$",
        r"^(?P<topic>.*?)的?(?:概述|综述|概况|概览|总结|摘要|全面介绍|简介)$",
        rf"^(?P<topic>{_THESE_CHINESE})(?:都|主要)?(?:讲|说|写|谈|包含|有|的)了?(?:些|哪些|主要)?(?:什么|内容)(?:内容|是什么|有哪些)?$",
    )
]
_SAYS = re.compile(
    rf"^(?:what )?{_THESE}(?: (?:say|tell(?: us)?|contain|hold))?(?: (?:about|on|of))?\s*|^{_THESE_CHINESE}(?:中|里)?(?:关于|对)?",
    re.IGNORECASE,
)
_EVERYTHING = frozenset(terms("document source file paper text note page folder everything material"))


def digest_topic(question: str) -> str | None:
    """Return what a broad question is about; empty where it is about everything at hand, None where the question is not broad."""
    bare = " ".join(question.split()).strip(" ?？。.!！")
    match = next(filter(None, (pattern.match(bare) for pattern in _BROAD)), None)
    if match is None or any(mark in bare for mark in '“"「《'):
        return None
    topic = _SAYS.sub("", (match["topic"] or "").strip())
    return topic if set(content(topic)) - GENERIC - _EVERYTHING else ""


def queries_for(question: str, topic: str, *, chinese: bool) -> list[str]:
    """Return what is searched for: the topic, or where there is none what most documents have."""
    return [topic, question] if topic else list(FACETS_CHINESE if chinese else FACETS)
