"""Keeps, marks or removes one statement of a report, a sentence or a row of a table, and counts it; and finds the citations that cover one without its own."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from schemas.document import Block, Citation, Formula, Heading, Inline, Inlines, Mark, Paragraph, Text
from schemas.evidence import Claim
from services.check.verdict import Verdict
from services.evidence.non_claims import claims_nothing, says_nothing_known, without_label
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.claim_check import ClaimCheck, check_summary
from services.reports.document import contents, is_label, letters, within
from services.reports.markdown_blocks import joined
from services.reports.sentences import (
    Units,
    ids_in,
    text_of,
    trimmed,
    units_of,
    with_citations,
    with_mark,
    words_of,
)
from services.reports.statuses import SIGNS
from services.text.tables import cells_with_heads

_LABEL = re.compile(r"[^*_.。!！\n]{1,60}")


def is_label_line(content: Inlines) -> bool:
    """Tell whether a paragraph is a short label that cites nothing and is no sentence."""
    return is_label(content) and not ids_in(content) and bool(_LABEL.fullmatch(words_of(content)))


class Coverage:
    """The citations of a report in the order of its blocks, up to the next heading or label."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._places: dict[int, int] = {}
        self._ends: list[int] = []
        self._cited: list[tuple[int, str]] = []
        for place, block in enumerate(chain.from_iterable(map(within, blocks))):
            self._places[id(block)] = place
            if isinstance(block, Heading) or (isinstance(block, Paragraph) and is_label_line(block.content)):
                self._ends.append(place)
            self._cited += [(place, key) for content in contents(block) for key in ids_in(content)]

    def below(self, block: Block) -> list[str]:
        """Return the ids cited from a block to the next heading or label, each once, in order."""
        place = self._places.get(id(block), 0)
        ends = self._ends[bisect_right(self._ends, place) :][:1]
        first = bisect_left(self._cited, (place, ""))
        last = bisect_left(self._cited, (ends[0], "")) if ends else len(self._cited)
        return list(dict.fromkeys(key for _, key in self._cited[first:last]))

    def sums_up(self, opening: Sequence[Block]) -> bool:
        """Tell whether a paragraph of the opening cites nothing, and something below the opening does."""
        parts = [part for block in opening for part in within(block)]
        paragraphs = [part.content for part in parts if isinstance(part, Paragraph) and not is_label_line(part.content)]
        below = self._cited[-1:] and self._cited[-1][0] >= len(parts)
        return bool(below) and any(not ids_in(content) for content in paragraphs)


def covering(
    sentences: Sequence[Units], ids_of: Callable[[Units], list[str]], below: Callable[[], list[str]], *, leads: bool
) -> list[list[str]]:
    """Return the covering citation ids for each sentence of a paragraph.

    A sentence that cites is covered by what it cites, the first of a paragraph by all that the paragraph cites, and if it `leads` a section by
    what stands below, too, any other by the next sentence that cites; an introduction with a colon at its end behind the last of these, and a
    paragraph that cites nothing, are covered by what stands below the paragraph.
    """
    covers: list[list[str]] = []
    following: list[str] = []
    if sentences and (words_of(sentences[-1]).endswith((":", "：")) or not any(map(ids_in, sentences))):
        following = below()
    for sentence in reversed(sentences):
        own = ids_of(sentence)
        if not own and ids_in(sentence):  # all of its citations are unknown
            covers.append([])
            continue
        following = own or following
        covers.append(following)
    if covers and not ids_in(sentences[0]):
        covers[-1] = list(dict.fromkeys([*chain.from_iterable(reversed(covers)), *(below() if leads else ())]))
    return covers[::-1]


@dataclass(slots=True)
class StatementCheck:
    """The statements of one report so far; used once."""

    check: ClaimCheck
    drop: bool
    """Whether to remove unsupported statements."""
    too_many_inferred: bool = False
    """Whether statements that only their writer calls inferred are unproved, since they are too many."""
    result: CheckedReport = field(default_factory=CheckedReport)
    section: str = ""
    """Heading of the current section."""
    beside: list[str] = field(default_factory=list)
    """Ids cited by the last sentence that cites, in the current section."""
    told: list[str] = field(default_factory=list)
    """Ids cited so far in the current section, which code that puts them together rests on."""
    in_opening: bool = True
    """Whether the current block is in the opening."""
    below: Sequence[str] = ()
    """The verified statements and the code below an opening of which a paragraph cites nothing; without such a paragraph none."""

    def end_opening(self) -> None:
        """Count the statements so far as the opening's."""
        if self.in_opening:
            self.in_opening, self.result.opening = False, len(self.result.claims)

    def is_title(self, content: Iterable[Inline]) -> bool:
        """Tell whether a paragraph or heading is only the title of a source, or that with a section, which is not a claim of the report."""
        return letters(words_of(content)).lower() in self.check.evidence.source_names

    def heads(self, content: Iterable[Inline], ids: Sequence[str] = (), *, is_title: bool = False) -> bool:
        """Keep a heading, label, table header or question unmarked; one with a number from nowhere, or that a verifier refutes, is left out.

        A verifier judges a title, which sums up the report, and a sentence in bold that heads a paragraph, by what is cited below it.
        """
        words = words_of(content)
        sums_up = is_title and bool(self.below)
        figure = self.check.figure(words)
        if figure and sums_up and check_summary(words, self.below).fault != "numbers":  # they follow from those below
            figure = None
        claim = figure or self.check.heading(words, ids, sums_up=sums_up)
        if claim is not None and claim.judgement is not None and claim.status != "contradicted":
            self.result.failed.append(claim)  # an editor mends it
            return True
        if claim is not None:
            self.result.left_out.append(claim)
        elif ids or sums_up:
            self.result.connecting.append(words)
        return claim is None

    def sentence(self, sentence: Units, ids: list[str]) -> Units:
        """Check a sentence by its own citations, else by those that cover it; nothing is left of one that is removed."""
        words = without_label(words_of(sentence))
        shown, own = self.known_only(sentence), self.known_ids(sentence)
        if not re.search(r"\w", words):
            return []
        others = (unit for unit in sentence if not isinstance(unit, Formula))
        if all(isinstance(unit, Text) and unit.text in " .,;:。，；：" for unit in others):
            claim = self.check.figure(words)
            return self.failed(shown, claim) if claim else shown
        evidence = f"{self.check.evidence.known}\n{self.check.evidence.question}"
        inferred = is_inference(sentence)
        if not inferred and claims_nothing(words, cites=bool(own), evidence=evidence):
            return self._lack(words, evidence, shown, own or ids or self.beside)
        if not own and words.endswith(("?", "？")):
            return shown if self.heads(shown) else []
        written = ids_in(sentence)
        if inferred:
            claim = self.check.former.find(words, own) or self._inferred(words, written)
        elif written and not own:
            return self.failed(shown, self.check.unknown(words, written))
        elif self.below and not ids:
            claim = self.check.summary(words, self.below)
        else:
            claim = self._judged(words, own, ids)
        self.beside = own or self.beside
        self.told += own
        if claim is None:
            self.result.connecting.append(words)
            return shown
        if claim.cited_by == "code":
            shown = with_citations(shown, [key for key in claim.citations if key not in ids])
        return self.record(shown, claim)

    def _judged(self, words: str, own: list[str], ids: list[str]) -> Claim | None:
        """Judge a sentence by its own citations, else by those that cover it; one of the former report keeps its judgement."""
        former = self.check.former
        claim, beside = former.find(words, own), ids or self.beside
        if claim is None and (own or words not in former.connecting):
            claim = self.check.sentence(words, ids, covered=not own, section=self.section, beside=beside)
        return claim

    def row(self, cells: Sequence[Inlines], over: list[str], heads: list[str]) -> tuple[Inlines, ...]:
        """Check a row of a table; nothing is left of one that is removed, and a conclusion is marked in its cell."""
        written_ids = list(dict.fromkeys([*over, *ids_in(chain.from_iterable(cells))]))
        ids = [identifier for identifier in written_ids if identifier in self.check.evidence.excerpts]
        self.told += ids
        texts = list(map(words_of, cells))
        words = " | ".join(filter(None, texts))
        shown = [self.known_only(units_of(cell)) for cell in cells]
        if not re.search(r"\w", words):
            return tuple(map(joined, shown))
        headed = zip(heads, texts, strict=False)
        labelled = " | ".join(f"{head}: {text}" if head else text for head, text in headed if text)
        before = len(self.check.undecided)
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
        for doubt in list(self.check.undecided.values())[before:]:
            doubt.row = labelled
        if claim is None:
            self.result.connecting.append(words)
            return tuple(map(joined, shown))
        before = len(self.result.left_out)
        concluding = [place for place, cell in enumerate(cells) if claim.status == "inferred" and is_inference(cell)]
        marked = concluding[-1] if concluding else len(cells) - 1
        row: list[Units] = [_settled(cell, claim.model_copy(update={"status": ""})) for cell in shown]
        row[marked] = self.record(shown[marked], claim)
        return () if len(self.result.left_out) > before else tuple(map(joined, row))

    def _lack(self, words: str, evidence: str, shown: Units, ids: Sequence[str]) -> Units:
        """Keep a sentence that claims nothing; one on missing evidence goes if a verifier found that evidence."""
        if says_nothing_known(words, evidence):
            claim = None if words in self.check.former.connecting else self.check.lack(words, ids)
            if claim is not None:
                return self.failed(shown, claim)
            self.result.connecting.append(words)
            if self.in_opening and self.result.declined is None:
                self.result.declined = len(self.result.claims)
        return shown

    def _inferred(self, words: str, ids: Sequence[str]) -> Claim:
        claim = self.check.inference(words, ids)
        beyond = self.too_many_inferred and claim.status == "inferred" and claim.judgement is None
        return self.check.unverified(words, ids, Verdict("share")) if beyond else claim

    def record(self, shown: Units, claim: Claim) -> Units:
        """Count a verified statement; mark or remove any other."""
        if not claim.verified:
            return self.failed(shown, claim)
        self.result.claims.append(claim)
        return _settled(shown, claim)

    def failed(self, shown: Units, claim: Claim) -> Units:
        """Mark an unsupported statement, or remove a refuted or dropped one, and count it; of a program's output no words are at fault."""
        if not self.check.evidence.untraced_numbers(claim.text, claim.citations):
            self.result.failed.append(claim)
        if self.drop or claim.status == "contradicted":
            self.result.left_out.append(claim)
            return []
        self.result.claims.append(claim)
        return _settled(shown, claim)

    def known_ids(self, units: Iterable[Inline]) -> list[str]:
        """Return the cited ids of excerpts that exist."""
        return [key for key in ids_in(units) if key in self.check.evidence.excerpts]

    def known_only(self, units: Units) -> list[Inline]:
        """Return units without marks and citations of excerpts that do not exist."""
        unmarked = (unit for unit in units if not isinstance(unit, Mark))
        return trimmed([unit for unit in unmarked if not isinstance(unit, Citation) or self.known_ids([unit])])


def is_inference(units: Iterable[Inline]) -> bool:
    """Tell whether a sentence or cell is marked as its writer's conclusion."""
    return any(isinstance(unit, Mark) and unit.status == "inferred" for unit in units)


def _settled(units: Units, claim: Claim) -> list[Inline]:
    """Return a statement with its status at its citations, and at its end the mark of one that is not proved."""
    settled = [replace(unit, status=claim.status) if isinstance(unit, Citation) else unit for unit in units]
    if claim.status not in SIGNS:
        return settled
    while settled and text_of(settled[-1:]).isspace():
        settled.pop()
    return with_mark(settled, Mark(claim.status, claim.reason, len(letters(claim.text))))
