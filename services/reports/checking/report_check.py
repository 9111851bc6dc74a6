"""Checks a report block by block and sentence by sentence: each is kept, marked or removed, and counted."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from schemas.evidence import Claim, Status
from services.check.verdict import Verdict
from services.evidence.model_markdown import (
    CITATION,
    CLOSE,
    OPEN,
    URL,
    Shelter,
    cited_ids,
    escape_block_starts,
    is_inference,
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
from services.evidence.non_claims import claims_nothing, lacks_only_form, says_nothing_known, without_label
from services.reports.checking.block_markdown import fenced, language_of, list_item, table_row
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.claim_check import ClaimCheck
from services.reports.checking.coverage import LABEL_LINE, Coverage, cells_with_heads, covering, with_citations
from services.reports.checking.empty_sections import without_empty_sections
from services.reports.checking.inference_quota import InferenceQuota
from services.reports.checking.quotations import find_quotation, unquoted
from services.reports.signs import SIGNS, without_signs
from services.text.markdown_escape import escape_markdown, plain_line
from services.text.numbers import quantities
from services.text.quotable import without_markup

MAX_COLUMNS = 40
"""Maximum columns of a table; wider tables are checked as text, since each row is padded with cells."""
SECTION_LEVEL = 2
"""Level of the headings of separately written sections."""
_RULES = {"right": "---:", "center": ":---:"}
"""Markdown below a column's heading, by alignment."""
_PARSER = MarkdownIt("commonmark").enable("table")
_LEAD = re.compile(r"(\*\*[^*\n]{1,200}[.!?。！？]\*\*)([ \t]{0,9})(?=\S)")
"""A sentence in bold that heads a paragraph: like a heading it is judged by what stands below."""


@dataclass(slots=True)
class ReportCheck:
    """The check of one report, block by block; used once."""

    check: ClaimCheck
    drop: bool
    """Whether to remove unsupported statements."""
    excess: Collection[int] = ()
    """Indexes of inferred sentences beyond the quota of their sections."""
    quota: InferenceQuota = field(default_factory=InferenceQuota)
    result: CheckedReport = field(default_factory=lambda: CheckedReport(""))
    shelter: Shelter = field(default_factory=Shelter)
    lines: list[str] = field(default_factory=list)
    coverage: Coverage = field(default_factory=lambda: Coverage([], []))
    section: str = ""
    """Heading of the current section."""
    beside: list[str] = field(default_factory=list)
    """Ids cited by the last sentence that cites, in the current section."""
    in_opening: bool = True
    """Whether the current block is in the opening."""

    def report(self, markdown: str) -> CheckedReport:
        """Check a report in a model's Markdown."""
        source = self.shelter.formulas(without_signs(with_marks(markdown.replace("\r\n", "\n"), self.check.excerpts)))
        self.lines = source.split("\n")
        root = SyntaxTreeNode(_PARSER.parse(source))
        headings = [(node.map[0], int(node.tag[1])) for node in root.children if node.type == "heading" and node.map]
        self.coverage = Coverage(self.lines, headings)
        blocks = without_empty_sections(
            [(node, self._block(node)) for node in root.children], dropped=bool(self.result.left_out)
        )
        shown = (make_inert(self.shelter.restored(block)) for block in blocks)
        self.result.undecided = list(self.check.undecided)
        self.result.conclusions = frozenset(key for key, doubt in self.check.undecided.items() if doubt.inferred)
        self.result.suspicions = {
            key: doubt.suspicion for key, doubt in self.check.undecided.items() if doubt.suspicion
        }
        self._end_opening()
        self.result.markdown = restore_citations("\n\n".join(block for block in shown if block))
        return self.result

    def _block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "heading":
                return self._heading(node)
            case "paragraph":
                return self._paragraph(node.children[0].content, node)
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
        text = without_marks(strip_markup(" ".join(lines_of(node.children[0].content)), self.shelter, self.check.known))
        level = int(node.tag[1])
        if self.result.claims or self.result.hedged:
            self._end_opening()
        if level <= SECTION_LEVEL:
            self.section = words_of(text, self.shelter)
            self.beside = []
            self.quota.section()
        marked = text if self._is_title(text) else self._headline(text)
        return f"{node.markup if node.markup.startswith('#') else '#' * level} {marked}" if marked else ""

    def _end_opening(self) -> None:
        if self.in_opening:
            self.in_opening, self.result.opening = False, len(self.result.claims)

    def _note_lack(self, words: str) -> None:
        """Record that the opening says that the sources lack information."""
        if self.in_opening:
            self.result.hedged = True
            if self.result.declined is None and not lacks_only_form(words):
                self.result.declined = len(self.result.claims)

    def _below(self, node: SyntaxTreeNode) -> list[str]:
        """Return the ids cited by a block and the text below it, up to the next heading or label."""
        ids = self.coverage.below(node.map[0], self.coverage.LABEL) if node.map else []
        return [key for key in ids if key in self.check.excerpts]

    def _headline(self, text: str) -> str:
        """Keep a heading, label, table header or question unmarked; one with a number from nowhere is left out."""
        claim = self.check.figure(words_of(text, self.shelter))
        if claim is None:
            return text
        self.result.left_out.append(claim)
        return ""

    def _paragraph(self, content: str, node: SyntaxTreeNode | None = None) -> str:
        content = strip_markup(content, self.shelter, self.check.known)
        if self._is_title(content):
            return self._known_only(content)
        below = self._below(node) if node else []
        if LABEL_LINE.fullmatch(content):
            return self._headline(content.strip())
        lead = _LEAD.match(content)
        opening = self._headline(lead.group(1)) if lead else ""
        lines = [list(sentences_of(line)) for line in lines_of(content[lead.end() :] if lead else content)]
        covers = iter(covering([sentence for line in lines for sentence in line], self._known_ids, below))
        before = len(self.check.undecided)
        texts = [join_sentences(self._sentences([(sentence, next(covers)) for sentence in line])) for line in lines]
        if sum(map(len, lines)) > 1:
            paragraph = words_of(content, self.shelter)
            self.result.paragraphs |= dict.fromkeys(list(self.check.undecided)[before:], paragraph)
        text = "  \n".join(text for text in texts if text)
        return escape_block_starts(f"{opening}{lead.group(2)}{text}" if lead and opening and text else text)

    def _sentences(self, sentences: Iterable[tuple[str, list[str]]]) -> list[str]:
        """Check the sentences of a line; if the citing sentence is removed, its citations move to the last one that it covers."""
        kept: list[str] = []
        covered = False
        for sentence, ids in sentences:
            shown = self._sentence(sentence, ids)
            cites = bool(self._known_ids(sentence))
            if shown:
                kept.append(shown)
            elif cites and covered:
                kept[-1] = with_citations(kept[-1], ids)
            covered = bool(ids) and bool(shown) and not cited_ids(shown)
        return kept

    def _is_title(self, content: str) -> bool:
        """Tell whether a paragraph or heading is only the title of a source, which is not a claim of the report."""
        letters = re.sub(r"\W+", "", words_of(content, self.shelter)).lower()
        return bool(letters) and any(
            letters == re.sub(r"\W+", "", title.partition("\n")[0]).lower() for title in self.check.titles.values()
        )

    def _sentence(self, sentence: str, ids: list[str]) -> str:
        """Check a sentence by its own citations, else by those that cover it."""
        words = without_label(words_of(sentence, self.shelter))
        shown, own = self._known_only(sentence), self._known_ids(sentence)
        if not re.search(r"\w", words):
            return ""
        if self.shelter.only_formulas(sentence):
            claim = self.check.figure(words)
            return self._failed(shown, claim) if claim else shown
        evidence = f"{self.check.known}\n{self.check.question}"
        if claims_nothing(words, cites=bool(own), evidence=evidence):
            return self._lack(words, evidence, shown, own or ids or self.beside)
        if not own and words.endswith(("?", "？")):
            return self._headline(shown)
        written = cited_ids(sentence)
        if is_inference(sentence):
            claim = self.check.former.find(words, own) or self._inferred(words, written)
        elif written and not own:
            return self._failed(shown, self.check.unknown(words, written))
        else:
            claim = self._judged(words, own, ids)
        if claim is None:
            self.result.connecting.append(words)
            return shown
        if claim.cited_by == "code":
            shown = with_citations(shown, [key for key in claim.citations if key not in own])
        return self._said(shown, claim)

    def _judged(self, words: str, own: list[str], ids: list[str]) -> Claim | None:
        """Judge a sentence by its own citations, else by those that cover it; one of the former report keeps its judgement."""
        former = self.check.former
        claim, beside = former.find(words, own), ids or self.beside
        if claim is None and (own or words not in former.connecting):
            claim = self.check.sentence(words, ids, covered=not own, section=self.section, beside=beside)
        self.beside = own or self.beside
        return claim

    def _lack(self, words: str, evidence: str, shown: str, ids: Sequence[str]) -> str:
        """Keep a sentence that claims nothing; one on missing evidence goes if a verifier found that evidence."""
        if says_nothing_known(words, evidence):
            claim = None if words in self.check.former.connecting else self.check.lack(words, ids)
            if claim is not None:
                return self._failed(shown, claim)
            self.result.connecting.append(words)
            self._note_lack(words)
        return shown

    def _said(self, shown: str, claim: Claim) -> str:
        """Count a verified statement; mark or remove any other."""
        if not claim.verified:
            return self._failed(shown, claim)
        self.result.claims.append(claim)
        self.quota.count(claim.status)
        return self._marked(shown, "inferred") if claim.status == "inferred" else shown

    def _inferred(self, words: str, ids: Sequence[str]) -> Claim:
        """Judge a statement marked as inference; beyond the quota of its section, it is unverified unless a verifier supports it."""
        claim = self.check.inference(words, ids)
        beyond = claim.status == "inferred" and claim.judgement is None and self.quota.inferred in self.excess
        if beyond:
            self.quota.inferred += 1
        return self.check.too_many(claim) if beyond else claim

    def _marked(self, shown: str, status: Status) -> str:
        return f"{shown.rstrip()}{SIGNS[status]}"

    def _failed(self, shown: str, claim: Claim) -> str:
        """Mark an unsupported statement, or remove a refuted or dropped one, and count it; of a program's output no words are at fault."""
        if not self.check.all_untraced(claim.citations):
            self.result.failed.append(claim)
        if self.drop or claim.status == "contradicted":
            self.result.left_out.append(claim)
            return ""
        self.result.marked += 1
        self.result.claims.append(claim)
        self.quota.count(claim.status)
        return self._marked(shown, "unverified")

    def _known_ids(self, text: str) -> list[str]:
        return [key for key in cited_ids(text) if key in self.check.excerpts]

    def _known_only(self, text: str) -> str:
        text = CITATION.sub(lambda mark: mark.group() if mark.group(1) in self.check.excerpts else "", text)
        return re.sub(r"(?<![ \t])[ \t]++(?=[.,;:!?。，；：！？)）]|$)", "", text).strip()

    def _list(self, node: SyntaxTreeNode) -> str:
        items: list[str] = []
        first = int(node.attrs.get("start", 1) or 1)
        for item in node.children:
            blocks = [block for block in map(self._block, item.children) if block]
            if blocks:
                marker = f"{first + len(items)}. " if node.type == "ordered_list" else "- "
                tight = all(child.hidden for child in item.children if child.type == "paragraph")
                items.append(list_item(marker, blocks, tight=tight))
        return "\n".join(items)

    def _blockquote(self, node: SyntaxTreeNode) -> str:
        """Keep verbatim quotes of excerpts; a blockquote of several quotes is checked by paragraph."""
        quotation = self._quotation(unquoted(self.lines, node.map))
        if quotation or len(node.children) < 2:
            return quotation or self._not_verbatim(unquoted(self.lines, node.map))
        parts = [
            self._quotation(text) or self._not_verbatim(text)
            for text in (unquoted(self.lines, child.map) for child in node.children)
        ]
        return "\n>\n".join(part for part in parts if part)

    def _quotation(self, text: str) -> str:
        found = find_quotation(self.shelter.restored(without_marks(text)), self.check.excerpts, self._known_ids(text))
        return self._verbatim(*found) if found else ""

    def _verbatim(self, quote: str, excerpt_id: str) -> str:
        """Render a quote without links and Markdown; the output of an untraced program is always marked."""
        lines = [plain_line(without_markup(line)) for line in quote.split("\n")]
        shown = "\n".join(f"> {line}".rstrip() for line in lines) + f" {OPEN}{excerpt_id}{CLOSE}"
        numbers = tuple(dict.fromkeys(quantity.text for quantity in quantities(quote)))
        if self.check.excerpts[excerpt_id].content_hash in self.check.untraced and numbers:
            return self._failed(shown, self.check.unverified(quote, [excerpt_id], Verdict("untraced", numbers)))
        return self._said(shown, Claim(text=quote, citations=[excerpt_id], verified=True, status="quoted"))

    def _not_verbatim(self, text: str) -> str:
        words = words_of(strip_markup(text, self.shelter, self.check.known), self.shelter)
        if not words:
            return ""
        ids = self._known_ids(text)
        shown = f"> {escape_markdown(words)} {''.join(f'{OPEN}{key}{CLOSE}' for key in ids)}".rstrip()
        return self._failed(shown, self.check.unverified(words, ids, Verdict("quote")))

    def _table(self, node: SyntaxTreeNode) -> str:
        rows = [row for part in node.children for row in part.children]
        if len(rows[0].children) > MAX_COLUMNS:
            first, last = node.map or (0, 0)
            return self._paragraph("\n".join(self.lines[first:last]))
        header = [self._cell(cell) for cell in rows[0].children]
        over = [key for cell in header for key in cited_ids(cell)]
        heads = [words_of(cell, self.shelter) for cell in header]
        body = [self._row([self._cell(cell) for cell in row.children], over, heads) for row in rows[1:]]
        body = [row for row in body if row]
        if not body:
            return ""
        return "\n".join(
            [table_row(list(map(self._known_only, header))), table_row(list(map(_rule, rows[0].children))), *body]
        )

    def _cell(self, cell: SyntaxTreeNode) -> str:
        text = " ".join(child.content for child in cell.children)
        return re.sub(r"(?<!\\)\|", r"\\|", strip_markup(text, self.shelter, self.check.known))

    def _row(self, cells: list[str], over: list[str], heads: list[str]) -> str:
        written_ids = list(dict.fromkeys([*over, *(key for cell in cells for key in cited_ids(cell))]))
        ids = [identifier for identifier in written_ids if identifier in self.check.excerpts]
        texts = [words_of(cell, self.shelter) for cell in cells]
        words = " | ".join(filter(None, texts))
        shown = [self._known_only(cell) for cell in cells]
        if not re.search(r"\w", words):
            return table_row(shown)
        labelled = (f"{head}: {text}" if head else text for head, text in zip(heads, texts, strict=False) if text)
        self.result.with_heads[words] = " | ".join(labelled)
        claim: Claim | None
        former = self.check.former.find(words, written_ids)
        if former is not None or (not written_ids and words in self.check.former.connecting):
            claim = former
        elif any(map(is_inference, cells)):
            claim = self._inferred(words, written_ids)
        elif written_ids and not ids:
            claim = self.check.unknown(words, written_ids)
        else:
            claim = self.check.sentence(words, ids, cells_with_heads(texts, heads), section=self.section)
            if claim is not None and claim.cited_by == "code":
                shown[-1] = with_citations(shown[-1], [key for key in claim.citations if key not in ids])
        if claim is None:
            self.result.connecting.append(words)
            return table_row(shown)
        before = len(self.result.left_out)
        last = self._said(shown[-1], claim)
        return "" if len(self.result.left_out) > before else table_row([*shown[:-1], last.strip()])

    def _code(self, node: SyntaxTreeNode) -> str:
        """Keep code and diagrams; their addresses and numbers must occur somewhere in the evidence."""
        text = CITATION.sub("", self.shelter.restored(node.content))
        text = URL.sub(lambda match: match.group() if match.group() in self.check.known else "", text).rstrip("\n")
        if not text.strip():
            return ""
        language = language_of(node.info)
        claim = self.check.diagram(text) if language.lower() == "mermaid" else self.check.figure(text)
        shown = fenced(text, language)
        if claim is None:
            return shown
        marked = self._failed("", claim)
        return f"{shown}\n\n{marked.strip()}" if marked else ""


def _rule(cell: SyntaxTreeNode) -> str:
    """Return the Markdown below a column's heading, which gives its alignment."""
    style = str(cell.attrs.get("style", ""))
    return next((rule for side, rule in _RULES.items() if side in style), "---")
