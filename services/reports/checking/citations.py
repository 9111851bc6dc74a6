"""Citation verification: every sentence of a report that makes a claim is checked against the excerpts that it cites.

The report is parsed as Markdown and written anew from what is understood of it. What a model wrote that links, loads or
runs does not survive; a sentence whose citations do not support it is marked or dropped; a blockquote must be verbatim.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from schemas.evidence import Claim, Excerpt, Status
from services.embedding.cross_lingual import Likeness
from services.evidence.model_markdown import (
    CITATION,
    CLOSE,
    OPEN,
    URL,
    Shelter,
    cited_ids,
    escape_block_starts,
    join_sentences,
    lines_of,
    make_inert,
    restore_citations,
    sentences_of,
    strip_markup,
    with_marks,
    without_marks,
    words_of,
)
from services.evidence.non_claims import claims_nothing, without_label
from services.evidence.support import Verdict, check_support
from services.reports.labels import Labels, labels_for
from services.text.markdown_escape import escape_markdown, plain_line
from services.text.numbers import missing_quantities, quantities
from services.text.quote_location import locate

MAX_COLUMNS = 40
"""Of a table; what has more is checked as text, as each of its rows is filled up with cells."""
_PARSER = MarkdownIt("commonmark").enable("table")
_ATTRIBUTION = re.compile(
    r"(?<!\s)\s*+(?:[—–―]{1,2}|--?|（出处|（来源|\((?:source|from)\b)[^\n]{1,160}+$", re.IGNORECASE
)
_SMALL = re.compile(r"\d|1[0-2]|[a-z]+|[一-十两]", re.IGNORECASE)


@dataclass(slots=True)
class CheckedReport:
    """A report's Markdown after the check; citations are still excerpt ids, each in brackets: `[E2-1][E3-2]`."""

    markdown: str
    claims: list[Claim] = field(default_factory=list)
    """What the report says, in its order; dropped sentences are not in it."""
    marked: int = 0
    dropped: int = 0


def check_citations(
    markdown: str,
    excerpts: Mapping[str, Excerpt],
    *,
    titles: Mapping[str, str] | None = None,
    untraced: Collection[str] = (),
    unsupported: Literal["mark", "drop"] = "mark",
    locale: str = "en-US",
    question: str = "",
    likeness: Likeness | None = None,
) -> CheckedReport:
    """Check every sentence of a report, and mark or drop what is not supported.

    Args:
        markdown: as the model wrote it; it cites excerpts as `[E2-1]`.
        excerpts: all that may be cited, by id.
        titles: titles of the sources, by the excerpts' `content_hash`; names may occur in them instead of the quotes.
        untraced: `content_hash`s of computations whose numbers no source gives; they prove no number.
        unsupported: mark unsupported sentences with the locale's label, or drop them.
        locale: language of labels and reasons.
        question: numbers in headings may be the question's.
        likeness: compares sentences with quotes in another language by meaning.
    """
    check = _Check(
        excerpts, titles or {}, unsupported == "drop", labels_for(locale), question, likeness, frozenset(untraced)
    )
    return check.report(markdown)


@dataclass(slots=True)
class _Check:
    excerpts: Mapping[str, Excerpt]
    titles: Mapping[str, str]
    drop: bool
    labels: Labels
    question: str
    likeness: Likeness | None = None
    untraced: frozenset[str] = frozenset()
    result: CheckedReport = field(default_factory=lambda: CheckedReport(""))
    shelter: Shelter = field(default_factory=Shelter)
    lines: list[str] = field(default_factory=list)
    known: str = ""

    def report(self, markdown: str) -> CheckedReport:
        self.known = "\n".join(
            excerpt.quote for excerpt in self.excerpts.values() if excerpt.content_hash not in self.untraced
        )
        source = self.shelter.formulas(with_marks(markdown.replace("\r\n", "\n")))
        self.lines = source.split("\n")
        root = SyntaxTreeNode(_PARSER.parse(source))
        blocks = _without_empty_sections(
            [(node, self._block(node)) for node in root.children], dropped=self.result.dropped > 0
        )
        shown = (make_inert(self.shelter.restored(block)) for block in blocks)
        self.result.markdown = restore_citations("\n\n".join(block for block in shown if block))
        return self.result

    def _block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "heading":
                return self._heading(node)
            case "paragraph":
                return self._paragraph(node.children[0].content)
            case "bullet_list" | "ordered_list":
                return self._list(node)
            case "blockquote":
                return self._blockquote(node)
            case "table":
                return self._table(node)
            case "fence" | "code_block":
                return self._code(node)
            case "html_block":
                return self._paragraph(node.content)
            case "hr":
                return "---"
        return self._paragraph(node.content) if node.content else ""

    def _heading(self, node: SyntaxTreeNode) -> str:
        text = without_marks(strip_markup(" ".join(lines_of(node.children[0].content)), self.shelter, self.known))
        marked = self._label_line(text)
        return f"{node.markup if node.markup.startswith('#') else '#' * int(node.tag[1])} {marked}" if marked else ""

    def _label_line(self, text: str) -> str:
        """Check a heading: its numbers, except small ones, must stand somewhere in the evidence or in the question."""
        words = words_of(text, self.shelter)
        if words.endswith(("?", "？")):
            return text
        reason = self._strange_numbers(words, *self.titles.values())
        return self._failed(text, words, [], reason) if reason else text

    def _strange_numbers(self, text: str, *titles: str) -> str:
        """Return which numbers stand nowhere in the evidence, the question or the titles, small ones aside; empty for none."""
        missing = missing_quantities(text, [self.known, *titles, self.question])
        missing = [number for number in missing if not _SMALL.fullmatch(number)]
        return self.labels.reasons["numbers"].format(what=", ".join(missing)) if missing else ""

    def _paragraph(self, content: str) -> str:
        content = strip_markup(content, self.shelter, self.known)
        if self._is_title(content):
            return self._known_only(content)
        if re.fullmatch(r"\s*(\*\*|__)[^*_.。!！]{1,60}\1[:：]?\s*", content):
            return self._label_line(content.strip())
        parts = [join_sentences(filter(None, map(self._sentence, sentences_of(line)))) for line in lines_of(content)]
        return escape_block_starts("  \n".join(part for part in parts if part))

    def _is_title(self, content: str) -> bool:
        """Tell whether a paragraph is nothing but the title of a source, which is no claim of the report."""
        letters = re.sub(r"\W+", "", words_of(content, self.shelter)).lower()
        return bool(letters) and any(letters == re.sub(r"\W+", "", title).lower() for title in self.titles.values())

    def _sentence(self, sentence: str) -> str:
        ids = self._known_ids(sentence)
        words = without_label(words_of(sentence, self.shelter))
        shown = self._known_only(sentence)
        if not re.search(r"\w", words):
            return ""
        if self.shelter.only_formulas(sentence) or claims_nothing(
            words, cites=bool(ids), evidence=f"{self.known}\n{self.question}", fixed=self.labels.unverified
        ):
            return shown
        reason, likeness = self._judged(words, ids, cited_ids(sentence))
        if reason:
            return self._failed(shown, words, ids, reason, likeness)
        self._held(words, ids, likeness)
        return shown

    def _held(self, words: str, ids: list[str], likeness: float | None) -> None:
        """Count a sentence that is verified, by what it is: a source's words, or what they bear out."""
        bare = words.strip(" .。“”\"'")
        quoted = any(bare in self.excerpts[identifier].quote for identifier in ids)
        status: Status = "quoted" if quoted else "supported"
        self.result.claims.append(Claim(text=words, citations=ids, verified=True, status=status, likeness=likeness))

    def _judged(self, words: str, ids: list[str], written_ids: list[str]) -> tuple[str, float | None]:
        """Return why a text is not supported, in the reader's language (empty when it is), and its likeness if that told."""
        if written_ids and not ids:
            return self.labels.reasons["unknown"].format(what=", ".join(written_ids)), None
        cited = [self.excerpts[identifier] for identifier in ids]
        quotes = [excerpt.quote for excerpt in cited if excerpt.content_hash not in self.untraced]
        untraced = [excerpt.quote for excerpt in cited if excerpt.content_hash in self.untraced]
        titles = [self.titles.get(excerpt.content_hash, "") for excerpt in cited]
        verdict = check_support(words, quotes, titles, self.likeness, untraced)
        return self.labels.reason(verdict), verdict.likeness

    def _failed(self, shown: str, words: str, ids: list[str], reason: str, likeness: float | None = None) -> str:
        """Mark or drop what is not supported, and count it."""
        if self.drop:
            self.result.dropped += 1
            return ""
        self.result.marked += 1
        self.result.claims.append(
            Claim(text=words, citations=ids, verified=False, status="unverified", reason=reason, likeness=likeness)
        )
        return f"{shown}{'' if shown.endswith('。') else ' '}{self.labels.mark}"

    def _known_ids(self, text: str) -> list[str]:
        return [key for key in cited_ids(text) if key in self.excerpts]

    def _known_only(self, text: str) -> str:
        text = CITATION.sub(lambda mark: mark.group() if mark.group(1) in self.excerpts else "", text)
        return re.sub(r"(?<![ \t])[ \t]++(?=[.,;:!?。，；：！？)）]|$)", "", text).strip()

    def _list(self, node: SyntaxTreeNode) -> str:
        items: list[str] = []
        first = int(node.attrs.get("start", 1) or 1)
        for item in node.children:
            blocks = [block for block in map(self._block, item.children) if block]
            if not blocks:
                continue
            marker = f"{first + len(items)}. " if node.type == "ordered_list" else "- "
            tight = all(child.hidden for child in item.children if child.type == "paragraph")
            text = ("\n" if tight else "\n\n").join(blocks)
            items.append(marker + text.replace("\n", "\n" + " " * len(marker)))
        return "\n".join(re.sub(r"(?m)^[ \t]+$", "", item) for item in items)

    def _blockquote(self, node: SyntaxTreeNode) -> str:
        """Keep what is verbatim an excerpt's quote; a blockquote of several quotes is taken paragraph by paragraph."""
        quotation = self._quotation(_unquoted(self.lines, node))
        if quotation or len(node.children) < 2:
            return quotation or self._not_verbatim(_unquoted(self.lines, node))
        parts = [
            self._quotation(text) or self._not_verbatim(text)
            for text in (_unquoted(self.lines, child) for child in node.children)
        ]
        return "\n>\n".join(part for part in parts if part)

    def _quotation(self, text: str) -> str:
        bare = self.shelter.restored(without_marks(text))
        ids = self._known_ids(text)
        for candidate in dict.fromkeys((bare, _ATTRIBUTION.sub("", bare))):
            for identifier in [*ids, *(other for other in self.excerpts if other not in ids)]:
                quote = self.excerpts[identifier].quote
                span = locate(candidate, quote)
                if span is not None:
                    return self._verbatim(quote[span[0] : span[1]], identifier)
        return ""

    def _verbatim(self, quote: str, excerpt_id: str) -> str:
        """Show a quote as it stands; one that is the output of a program without sources is marked, verbatim or not."""
        lines = [plain_line(line) for line in quote.split("\n")]
        shown = "\n".join(f"> {line}".rstrip() for line in lines) + f" {OPEN}{excerpt_id}{CLOSE}"
        numbers = tuple(dict.fromkeys(quantity.text for quantity in quantities(quote)))
        if self.excerpts[excerpt_id].content_hash in self.untraced and numbers:
            return self._failed(shown, quote, [excerpt_id], self.labels.reason(Verdict("untraced", numbers)))
        self.result.claims.append(Claim(text=quote, citations=[excerpt_id], verified=True, status="quoted"))
        return shown

    def _not_verbatim(self, text: str) -> str:
        words = words_of(strip_markup(text, self.shelter, self.known), self.shelter)
        if not words:
            return ""
        ids = self._known_ids(text)
        shown = f"> {escape_markdown(words)} {''.join(f'{OPEN}{key}{CLOSE}' for key in ids)}".rstrip()
        return self._failed(shown, words, ids, self.labels.reasons["quote"])

    def _table(self, node: SyntaxTreeNode) -> str:
        rows = [row for part in node.children for row in part.children]
        if len(rows[0].children) > MAX_COLUMNS:
            first, last = node.map or (0, 0)
            return self._paragraph("\n".join(self.lines[first:last]))
        header = [self._cell(cell) for cell in rows[0].children]
        over = [key for cell in header for key in cited_ids(cell)]
        body = [self._row([self._cell(cell) for cell in row.children], over) for row in rows[1:]]
        body = [row for row in body if row]
        if not body:
            return ""
        return "\n".join([_row(map(self._known_only, header)), _row(["---"] * len(header)), *body])

    def _cell(self, cell: SyntaxTreeNode) -> str:
        text = " ".join(child.content for child in cell.children)
        return re.sub(r"(?<!\\)\|", r"\\|", strip_markup(text, self.shelter, self.known))

    def _row(self, cells: list[str], over: list[str]) -> str:
        written_ids = list(dict.fromkeys([*over, *(key for cell in cells for key in cited_ids(cell))]))
        ids = [identifier for identifier in written_ids if identifier in self.excerpts]
        words = " | ".join(filter(None, (words_of(cell, self.shelter) for cell in cells)))
        shown = [self._known_only(cell) for cell in cells]
        if not re.search(r"\w", words):
            return _row(shown)
        reason, likeness = self._judged(words, ids, written_ids)
        if reason:
            last = self._failed(shown[-1], words, ids, reason, likeness)
            return _row([*shown[:-1], last.strip()]) if last else ""
        self._held(words, ids, likeness)
        return _row(shown)

    def _code(self, node: SyntaxTreeNode) -> str:
        """Keep code, diagrams included, without addresses; its numbers must stand somewhere in the evidence."""
        text = URL.sub("", CITATION.sub("", self.shelter.restored(node.content))).rstrip("\n")
        if not text.strip():
            return ""
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        language = re.sub(r"[^\w+-].*", "", node.info or "", flags=re.DOTALL)
        shown = f"{fence}{language}\n{text}\n{fence}"
        reason = self._strange_numbers(text)
        if not reason:
            return shown
        marked = self._failed("", text, [], reason)
        return f"{shown}\n\n{marked.strip()}" if marked else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _unquoted(lines: list[str], node: SyntaxTreeNode) -> str:
    first, last = node.map or (0, 0)
    return "\n".join(re.sub(r"^\s*(?:>\s?)+", "", line) for line in lines[first:last]).strip()


def _without_empty_sections(blocks: list[tuple[SyntaxTreeNode, str]], *, dropped: bool) -> list[str]:
    """Leave out blocks that came to nothing and, where sentences were dropped, headings below which nothing is left."""
    texts: list[str] = []
    level_below = 0
    for node, text in reversed(blocks):
        if not text:
            continue
        level = int(node.tag[1]) if node.type == "heading" else 9
        if dropped and 1 < level < 9 and level_below <= level:
            continue
        level_below = level
        texts.append(text)
    return texts[::-1]
