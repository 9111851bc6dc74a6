"""Phrases for the opening of a report by rules, mainly about questions that the sources do not answer."""

from typing import Literal

Phrase = Literal["close", "spread", "compared", "missing"]
PHRASES: dict[tuple[Phrase, bool], tuple[str, str]] = {
    ("close", False): (
        "The sources found do not answer this directly. What comes nearest:",
        "The sources found do not answer “{about}” directly. What comes nearest:",
    ),
    ("close", True): (
        "找到的资料没有对这个问题的直接回答。最接近的内容：",
        "找到的资料没有对“{about}”的直接回答。最接近的内容：",
    ),
    ("spread", False): (
        "The sources found do not answer this in a single sentence. What comes nearest:",
        "The sources found do not answer “{about}” in a single sentence. What comes nearest:",
    ),
    ("spread", True): (
        "找到的资料没有用单独一句话回答这个问题。最接近的内容：",
        "找到的资料没有用单独一句话回答“{about}”。最接近的内容：",
    ),
    ("compared", False): (
        "The sources found do not answer this in a single sentence. What they say of each:",
        "The sources found do not answer “{about}” in a single sentence. What they say of each:",
    ),
    ("compared", True): (
        "找到的资料没有用单独一句话回答这个问题。它们分别这样说：",
        "找到的资料没有用单独一句话回答“{about}”。它们分别这样说：",
    ),
    ("missing", False): ("The sources found do not answer this question.", "The sources found do not tell: {about}."),
    ("missing", True): ("找到的资料没有提到这个问题的答案。", "找到的资料没有提到“{about}”的答案。"),
}
"""Phrases about a whole question, and about some of its clauses; `spread` if sections with quotes follow, `compared`
for a comparison."""
DIGEST = {
    False: "A digest of the sources found, not an answer; the sentences of each that say most:",
    True: "以下是资料摘要，不是对问题的回答：",
}
"""The check of claims treats a short line that ends in a colon as an introduction, and a line on missing answers as no claim."""
DISAGREE = {False: "The sources disagree:", True: "资料之间说法不一："}
OTHERWISE = {False: "Another source gives another figure:", True: "另一份资料给出的数字不同："}
FOREIGN = {
    False: "The sources found do not speak of this in English, only in {language}, quoted here untranslated.",
    True: "找到的资料没有中文的，只有{language}的，引文保留原文。",
}
KINDS_CHINESE = {
    "document": "文档",
    "database": "数据库",
    "academic": "学术",
    "news": "新闻",
    "code": "代码",
    "official": "官方",
    "reference": "工具书",
    "forum": "论坛",
    "company": "企业",
    "personal": "个人",
}
"""Kinds of sources that a digest names; a web page is not named."""
