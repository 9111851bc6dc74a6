"""Revises a finished report without a language model: shortens it, removes sections, and adds sections of quotes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemas.evidence_view import EvidenceView
from schemas.reporter_revising import ReporterRevisingPrompt
from services.models.offline.opening_phrases import DISAGREE, OTHERWISE
from services.models.offline.openings import parts_of, write
from services.run.ui_text import is_chinese
from services.text.passages import sentences
from services.text.revision_words import additions, without_additions
from services.text.terms import content
from services.text.tokens import has_cjk

SENTENCES, ITEMS = 2, 2
"""Sentences of a section's first paragraph, or items of its first list, that remain in a shortened report."""
MAX_ADDED = 4
"""Maximum sentences of an added section."""
LEAST_SHARE = 0.5
"""Minimum share of a topic's words that an excerpt must have to be quoted on it."""
LACKING_MARK = "==="
"""The line above the list of topics that the evidence does not cover, as a model writes it."""
_SHORTEN = re.compile(
    r"\b(?:shorten|shorter|brief|briefer|condense|condensed|abridge|tighten|cut it down)\b|缩短|简短|精简|更短|简洁|压缩",
    re.IGNORECASE,
)
_DROP = re.compile(
    r"\b(?:drop|remove|delete|leave out|omit|without|cut out)\b|删除|删去|去掉|删掉|不要|省略", re.IGNORECASE
)
_OTHER = re.compile(
    r"\b(?:translate|translation|tone|readers?|audience|rewrite|rephrase|restructure|reorder|compare|comparison|add|simpler|formal|"
    r"casual|children|experts?|in (?:english|chinese|german|french|spanish|japanese))\b|翻译|译成|语气|读者|改写|重组|比较|对比|增加|添加",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6}) (.*)")
_CITED = re.compile(r"\[[^\[\]]{0,400}[BEMT]\d+-\d+\]")
_LABEL = re.compile(r"\*\*[^*\n]{1,200}\*\*[:：]?(?:\s?\[[^\[\]\n]{1,400}\]){0,20}")
"""A block that only names what stands below it."""
_DISAGREEING = frozenset([*DISAGREE.values(), *OTHERWISE.values()])
"""Blocks of a report by rules with which the sides of a disagreement begin."""
_BEHIND = re.compile(r"\s?(?:\[[^\[\]]{0,400}\])+")


@dataclass(frozen=True, slots=True)
class Change:
    """The changes that rules can make for a request."""

    shorten: bool
    sections: tuple[str, ...] = ()
    """Headings of the sections to remove."""
    additions: tuple[str, ...] = ()
    """Topics of the sections to add."""

    def __bool__(self) -> bool:
        return self.shorten or bool(self.sections) or bool(self.additions)


def change_of(request: str, headings: list[str]) -> Change:
    """Return the changes that rules can make for a request; none if a part of it needs a model.

    Args:
        request: the user's request, English or Chinese.
        headings: headings of the report's sections; a section is removed if the request says so and holds its heading.
    """
    added = tuple(additions(request))
    said = without_additions(request).casefold() if added else " ".join(request.casefold().split())
    named: tuple[str, ...] = ()
    if _DROP.search(said):
        named = tuple(heading for heading in headings if heading and heading.casefold() in said)
    rest = said
    for heading in named:
        rest = rest.replace(heading.casefold(), " ")
    if _OTHER.search(rest) or (_DROP.search(rest) and not named):
        return Change(shorten=False)
    return Change(_SHORTEN.search(rest) is not None, named, added)


def revise(prompt: ReporterRevisingPrompt) -> str:
    """Revise a report by rules; it stays unchanged if they can do nothing of the request."""
    blocks = _blocks(prompt.report)
    headings = [found[2].strip() for block in blocks if (found := _HEADING.match(block)) and len(found[1]) > 1]
    change = change_of(prompt.request, headings)
    blocks = _without(blocks, change.sections)
    blocks = _shortened(blocks) if change.shorten else blocks
    added, lacking = _added(prompt, change.additions)
    text = "\n\n".join([*blocks, *added])
    return "\n".join([text, f"\n{LACKING_MARK}", *(f"- {topic}" for topic in lacking)]) if lacking else text


def _added(prompt: ReporterRevisingPrompt, topics: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a section for each topic, and the topics without evidence.

    A section quotes evidence that was searched for the request, else evidence that the report does not cite, else any.
    """
    searched = [view for view in prompt.evidence if view.id in prompt.found]
    unused = [view for view in prompt.evidence if f"[{view.id}]" not in prompt.report]
    blocks: list[str] = []
    lacking: list[str] = []
    for topic in topics:
        telling = [view for view in searched or unused if _tells(view, topic)]
        telling = telling or [view for view in prompt.evidence if _tells(view, topic)]
        parts = parts_of(topic, telling, MAX_ADDED)
        if any(part.quotes for part in parts):
            blocks += [f"## {topic[:1].upper()}{topic[1:]}", write(parts, is_chinese(prompt.locale))]
        else:
            lacking.append(topic)
    return blocks, lacking


def _tells(view: EvidenceView, topic: str) -> bool:
    """Tell whether an excerpt with its title holds enough of a topic's words; always true in another language."""
    if has_cjk(view.quote) != has_cjk(topic):
        return True
    wanted = set(content(topic))
    return len(wanted & set(content(f"{view.title} {view.quote}"))) >= LEAST_SHARE * len(wanted)


def _blocks(markdown: str) -> list[str]:
    """Split Markdown at its empty lines; code blocks stay whole, and a heading is a block of its own."""
    blocks: list[list[str]] = [[]]
    fenced = False
    for line in markdown.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and (not line.strip() or _HEADING.match(line)):
            blocks += [[line], []] if line.strip() else [[]]
        else:
            blocks[-1].append(line)
    return ["\n".join(block) for block in blocks if block]


def _without(blocks: list[str], sections: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    dropped = 0
    for block in blocks:
        if found := _HEADING.match(block):
            level = len(found[1])
            if dropped and level <= dropped:
                dropped = 0
            if not dropped and level > 1 and found[2].strip() in sections:
                dropped = level
        if not dropped:
            kept.append(block)
    return kept


def _shortened(blocks: list[str]) -> list[str]:
    """Keep the title, the text before the first section, and of each section the beginning of its first block and any disagreement.

    Labels stay above what they name; a section that holds only labels goes.
    """
    kept: list[str] = []
    waiting: list[str] = []  # a heading and labels, until a block below them is kept
    in_section, filled = False, False
    for before, block in pairwise(["", *blocks]):
        if found := _HEADING.match(block):
            if len(found[1]) == 1:
                kept.append(block)
                continue
            waiting, in_section, filled = [block], True, False
        elif not in_section:
            kept.append(block)
        elif before in _DISAGREEING:
            kept += [*waiting, before, block]
            waiting, filled = [], True
        elif not filled and _LABEL.fullmatch(block):
            waiting.append(block)
        elif not filled and block not in _DISAGREEING:
            kept += [*waiting, _beginning(block)]
            waiting, filled = [], True
    return kept


def _beginning(block: str) -> str:
    """Return the first sentences of a paragraph up to a citation, or the first items of a list; other blocks stay whole."""
    lines = block.split("\n")
    if re.match(r"\s*(?:[-*+]|\d+[.)])\s", block):
        starts = [place for place, line in enumerate(lines) if re.match(r"(?:[-*+]|\d+[.)])\s", line)]
        return "\n".join(lines[: starts[ITEMS]] if len(starts) > ITEMS else lines)
    if block.startswith(("|", ">", "`", "~", "$")):
        return block
    told = " ".join(lines)
    start = 0
    for place, span in enumerate(sentences(told), 1):
        behind = _BEHIND.match(told, span.end)  # a citation may follow the full stop
        end = behind.end() if behind else span.end
        if place >= SENTENCES and _CITED.search(told, start, end):
            return told[:end].rstrip()
        start = end
    return told
