"""Citation verification: every sentence that states a fact is checked against the excerpts that it cites.

The check is code, not a model: cited ids exist; numbers and dates of the sentence occur in the cited quotes; so do its
names; and enough of its words do. What fails is marked or dropped. Links and HTML that a model wrote never survive.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from schemas.evidence import Claim, Excerpt
from services.evidence.locate import locate
from services.evidence.numbers import missing_quantities, quantities
from services.evidence.passages import sentences
from services.evidence.plain import plain
from services.search.tokens import has_cjk, tokens

SUPPORT = 0.35
"""Least share of a sentence's terms that the cited quotes and their sources' titles must hold."""
_ID = r"E\d+-\d+"
_GROUP = re.compile(rf"[\[【(（]\s*({_ID}(?:\s*[,，、;；]\s*{_ID})*)\s*[\]】)）]")
_STOP_THEN_CITATION = re.compile(rf"([.!?。！？；]+[\"”’」』*]*)[ \t]*((?:\[{_ID}\][ \t]*)+)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]]*)\]\[[^\[\]]*\]")
_DEFINITION = re.compile(r"(?m)^\s{0,3}\[(?!E\d+-\d+\])[^\]]+\]:\s.*$")
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z!][^>]*>|<[a-z][a-z0-9+.-]*:[^>]*>", re.DOTALL)
_URL = re.compile(r"\b(?:https?|ftp|javascript|data|file|vbscript):[^\s)\]】]+|\bwww\.[^\s)\]】]+", re.IGNORECASE)
_LIST_ITEM = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+)(.*)$", re.DOTALL)
_NO_CLAIM = re.compile(
    r"\b(?:no (?:evidence|source|information|answer)|(?:do|does|did) not (?:say|tell|state|mention|cover|give|answer|name)|"
    r"not (?:found|known|stated|answered))\b|没有(?:找到|说明|提及|提供|回答|给出)|未(?:能?找到|说明|提及|提供|给出|回答)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]+(?:\s+(?:of|the|de|von|van)?\s*[A-Z][\w’'-]+)+")


@dataclass(slots=True)
class CheckedReport:
    """A report's Markdown after the check; citations are still excerpt ids, each in brackets of its own."""

    markdown: str
    claims: list[Claim] = field(default_factory=list)
    marked: int = 0
    dropped: int = 0


@dataclass(slots=True)
class Checker:
    """Checks one report."""

    excerpts: Mapping[str, Excerpt]
    titles: Mapping[str, str]
    """Title of an excerpt's source, by the source's id."""
    context: str
    """The question: words that a sentence may take up from it without proof."""
    unsupported: Literal["mark", "drop"]
    mark: str
    """What follows an unverified sentence."""

    def check(self, markdown: str) -> CheckedReport:
        """Check every block of a report."""
        report = CheckedReport("")
        blocks = [self._block(block, report) for block in _blocks(_sanitised(markdown))]
        report.markdown = "\n".join(block for block in blocks if block is not None)
        report.markdown = re.sub(r"\n{3,}", "\n\n", report.markdown).strip()
        return report

    def _block(self, block: str, report: CheckedReport) -> str | None:
        if not block.strip() or _FENCE.match(block) or re.match(r"\s*(?:---+|\*\*\*+)\s*$", block):
            return block
        if block.lstrip().startswith("#"):
            return self._heading(block)
        if block.lstrip().startswith(">"):
            return self._quotation(block, report)
        if block.lstrip().startswith("|"):
            return self._row(block, report)
        item = _LIST_ITEM.match(block)
        lead, text = (item.group(1), item.group(2)) if item else ("", block)
        kept = [self._sentence(sentence, report) for sentence in _sentences(text)]
        body = _joined([one for one in kept if one])
        return lead + body if body else None

    def _heading(self, block: str) -> str:
        block = _GROUP.sub("", block).rstrip()
        everything = [excerpt.quote for excerpt in self.excerpts.values()] + list(self.titles.values())
        missing = missing_quantities(block.lstrip("# "), [*everything, self.context])
        return f"{block} ({self.mark})" if missing else block

    def _quotation(self, block: str, report: CheckedReport) -> str | None:
        text = "\n".join(re.sub(r"^\s*>\s?", "", line) for line in block.split("\n"))
        bare = _GROUP.sub("", text).strip()
        if not bare:
            return None
        cited = [one for one in _ids(text) if one in self.excerpts] or list(self.excerpts)
        for one in cited:
            quote = self.excerpts[one].quote
            span = locate(bare, quote)
            if span is not None:
                report.claims.append(Claim(text=bare, citations=[one], verified=True))
                return f"> {plain(quote[span[0] : span[1]])} [{one}]"
        return self._unsupported(f"> {' '.join(bare.split())}", bare, [], "it is not a verbatim quote of an excerpt", report)

    def _row(self, block: str, report: CheckedReport) -> str | None:
        cells = [cell.strip() for cell in block.strip().strip("|").split("|")]
        if all(re.fullmatch(r":?-+:?", cell) for cell in cells) or not (_ids(block) or quantities(_GROUP.sub("", block))):
            return block
        text = _GROUP.sub("", " ; ".join(cells))
        cited = [one for one in _ids(block) if one in self.excerpts]
        reason = self.reason(text, cited)
        if not reason:
            report.claims.append(Claim(text=text, citations=cited, verified=True))
            return _known_only(block, self.excerpts)
        marked = self._unsupported(f"{_known_only(block, self.excerpts).rstrip().rstrip('|').rstrip()}", text, cited, reason, report)
        return f"{marked} |" if marked else None

    def _sentence(self, sentence: str, report: CheckedReport) -> str | None:
        text = _GROUP.sub("", sentence).strip()
        bare = re.sub(r"[*_`]|\s+(?=[.,;!?。，；！？])", "", text).strip()
        cited = [one for one in _ids(sentence) if one in self.excerpts]
        if not cited and _states_nothing(bare):
            return _known_only(sentence, self.excerpts)
        reason = self.reason(bare, cited)
        if not reason:
            report.claims.append(Claim(text=bare, citations=cited, verified=True))
            return _known_only(sentence, self.excerpts)
        return self._unsupported(_known_only(sentence, self.excerpts), bare, cited, reason, report)

    def reason(self, text: str, cited: list[str]) -> str:
        """Return why cited excerpts do not support a sentence; empty when they do."""
        if not cited:
            return "it cites nothing"
        quotes = [self.excerpts[one].quote for one in cited]
        titles = [self.titles.get(self.excerpts[one].source_id, "") for one in cited]
        return unsupported_reason(text, quotes, titles, self.context)

    def _unsupported(self, shown: str, text: str, cited: list[str], reason: str, report: CheckedReport) -> str | None:
        report.claims.append(Claim(text=text, citations=cited, verified=False, reason=reason))
        if self.unsupported == "drop":
            report.dropped += 1
            return None
        report.marked += 1
        return f"{shown} ({self.mark})"


def unsupported_reason(text: str, quotes: list[str], titles: list[str], context: str) -> str:
    """Say why quotes do not support a sentence.

    Args:
        text: the sentence without its citation marks.
        quotes: the cited quotes.
        titles: titles of their sources, which count for names and words and not for numbers.
        context: the question, likewise.

    Returns:
        The reason; empty when every number, name and enough of the words are there.
    """
    missing = missing_quantities(text, quotes)
    missing = [one for one in missing if one not in {q.text for q in quantities(" ".join([context, *titles]))}]
    if missing:
        return f"{', '.join(missing)} does not occur in what it cites"
    around = " ".join([*quotes, *titles, context])
    held = set(tokens(around, keep_stop_words=True))
    for name in _NAME.findall(text):
        words = tokens(name)
        if words and sum(word in held for word in words) * 2 < len(words):
            return f"the name {name} does not occur in what it cites"
    terms = tokens(text)
    same_script = has_cjk(text) == has_cjk(" ".join(quotes))
    if same_script and terms and sum(term in held for term in terms) < SUPPORT * len(terms):
        return "too few of its words occur in what it cites"
    return ""


def _states_nothing(text: str) -> bool:
    """Tell whether a sentence makes no claim: a question, a label, an introduction, or a word on missing evidence."""
    if not tokens(text) or text.endswith(("?", "？")):
        return True
    if quantities(text):
        return False
    return text.endswith((":", "：")) or _NO_CLAIM.search(text) is not None


def _ids(text: str) -> list[str]:
    return list(dict.fromkeys(one for group in _GROUP.findall(text) for one in re.findall(_ID, group)))


def _known_only(text: str, excerpts: Mapping[str, Excerpt]) -> str:
    """Keep citations of excerpts that exist, each in brackets of its own."""
    return _GROUP.sub(lambda found: "".join(f"[{one}]" for one in re.findall(_ID, found.group(1)) if one in excerpts), text)


def _sanitised(markdown: str) -> str:
    """Take out everything that could link, load or run: HTML, links, images, addresses."""
    markdown = _GROUP.sub(lambda found: "".join(f"[{one}]" for one in re.findall(_ID, found.group(1))), markdown)
    markdown = _DEFINITION.sub("", markdown)
    for _ in range(3):
        markdown = _IMAGE_OR_LINK.sub(r"\1", markdown)
    markdown = _REFERENCE_LINK.sub(lambda found: found.group() if re.match(rf"\[{_ID}\]", found.group()) else found.group(1), markdown)
    markdown = _URL.sub("", _TAG.sub("", markdown))
    return markdown.replace("<", "&lt;")


def _blocks(markdown: str) -> list[str]:
    """Return lines, with those of a paragraph, of a quotation and of a fenced block together."""
    blocks: list[str] = []
    fenced = False
    previous = ""
    for line in markdown.split("\n"):
        kind = _kind(line)
        if fenced:
            blocks[-1] += f"\n{line}"
            fenced = _FENCE.match(line) is None
        elif _FENCE.match(line):
            blocks.append(line)
            fenced, kind = True, ""
        elif kind and kind == previous and kind in {"text", ">"}:
            blocks[-1] += ("\n" if kind == ">" else " ") + line.strip()
        elif kind == "text" and previous == "item":
            blocks[-1] += f" {line.strip()}"
            kind = "item"
        else:
            blocks.append(line)
        previous = kind
    return blocks


def _kind(line: str) -> str:
    stripped = line.lstrip()
    if not stripped:
        return ""
    if stripped[0] in ">|#":
        return stripped[0]
    return "item" if _LIST_ITEM.match(line) else "text"


def _sentences(text: str) -> list[str]:
    """Split into sentences; citations behind a full stop belong to the sentence before it."""
    text = _STOP_THEN_CITATION.sub(lambda found: f" {found.group(2).strip()}{found.group(1)} ", text)
    return [text[span.start : span.end] for span in sentences(text)]


def _joined(parts: list[str]) -> str:
    joined = ""
    for part in parts:
        joined += part if not joined or has_cjk(joined[-1]) or joined[-1] in "。！？；" else f" {part}"
    return joined
