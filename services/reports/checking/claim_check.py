"""The judgement of one statement of a report: by code, and by what a model said of it where one was asked."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from schemas.evidence import EXCERPT_ID, Claim, Excerpt, Judgement
from services.embedding.cross_lingual import Likeness
from services.evidence.inference import check_marked
from services.evidence.non_claims import SMALL_NUMBER, is_headline_style, states_something
from services.evidence.source_dates import dated_title
from services.evidence.support import check_support
from services.evidence.verdict import Verdict
from services.reports.checking.code_citations import CANDIDATES, CodeCitations
from services.reports.labels import Labels
from services.text.names import missing_names
from services.text.numbers import missing_of, quantities
from services.text.quantity import Quantity

Judgements = Mapping[tuple[str, tuple[str, ...]], Judgement]
"""What a model said of sentences, by their words and the ids of the excerpts that they cite."""
VETO = frozenset({"uncited", "numbers", "untraced", "names", "period", "subject", "unit", "other", "reversed", "table"})
"""Failings that stand whatever a model says: a number or a name is in what is cited, and of what the sentence says, or not."""
_NOT_THERE = frozenset({"uncited", "words", "numbers", "names"})
"""Failings with which what covers a sentence is about something else, so that code may look for what supports it."""
_OF_NUMBERS = frozenset({"untraced", "period", "subject", "unit", "other", "reversed", "table"})
_AROUND = " .。“”\"'"
_DIAGRAM_LABEL = re.compile(r"[\[({|\"]([^\[\](){}|\"\n]{2,200})[\])}|\"]")
_EXCERPT = re.compile(rf"\b{EXCERPT_ID}\b")
_DIGITS = re.compile(r"\d++(?>(?:[.,]\d++)*)")
_BEGINS = re.compile(r"(?:^|[.!?;:|。！？；：\n])[\s“”\"'*|-]{0,4}$")
_ENDS = re.compile(r"[\s“”\"'*]{0,4}(?:$|[.!?;|。！？；\n])")
"""What stands before and behind a whole sentence of a quote."""


@dataclass(frozen=True)
class ClaimCheck:
    """What statements are checked against."""

    excerpts: Mapping[str, Excerpt]
    """All that may be cited, by id."""
    titles: Mapping[str, str]
    """Titles of the sources, by `content_hash`."""
    published: Mapping[str, str]
    """Dates of the sources, ISO, by `content_hash`; those that are not known are missing or empty."""
    untraced: Collection[str]
    """`content_hash`s of computations whose numbers no source gives."""
    question: str
    labels: Labels
    likeness: Likeness | None = None
    judgements: Judgements = field(default_factory=dict)
    citing: CodeCitations | None = None
    """Finds excerpts for sentences that cite nothing."""
    undecided: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    """Statements of which a model may say what they are, in order: neither word for word in what they cite nor refuted by code;
    and whether each is a conclusion from what it cites."""

    @cached_property
    def known(self) -> str:
        """All quotes that may prove a number."""
        return "\n".join(
            excerpt.quote for excerpt in self.excerpts.values() if excerpt.content_hash not in self.untraced
        )

    @cached_property
    def _anywhere(self) -> str:
        """All evidence, with the question and the titles."""
        return "\n".join([self.known, self.question, *self.titles.values()])

    @cached_property
    def _numbers(self) -> list[Quantity]:
        return quantities(self._anywhere)

    @cached_property
    def _digits(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self._anywhere))

    def all_untraced(self, ids: Sequence[str]) -> bool:
        """Tell whether excerpts are all of computations whose numbers no source gives, so that no other words would hold."""
        return bool(ids) and all(self.excerpts[key].content_hash in self.untraced for key in ids)

    def sentence(
        self, words: str, ids: Sequence[str], parts: Sequence[str] = (), *, covered: bool = False, section: str = ""
    ) -> Claim:
        """Judge a sentence or a row of a table; where it cites nothing, by the excerpt that code finds for it.

        A name that what it cites lacks may stand in another excerpt of the same source, which code then cites beside.

        Args:
            words: without citations and Markdown.
            ids: of excerpts that exist.
            parts: cells of the row, each with its row's label and its column's heading; their numbers must be bound so.
            covered: the citations are not its own but stand further on in its paragraph.
            section: heading of the section in which it stands.
        """
        quoted, verdict = self._checked(words, ids, parts, self.likeness)
        by_code = False
        if verdict.failing in _NOT_THERE and (covered or not ids) and self.citing:
            key = self.citing.find(words, section, parts, lambda key: self._is_supported(words, [key], parts))
            if key:
                ids, by_code = (key,), True
                quoted, verdict = self._checked(words, ids, parts, self.likeness)
        if verdict.failing == "names" and (key := self._same_source_with_names(words, ids, parts, verdict.what)):
            ids, by_code = (*ids, key), True
            quoted, verdict = self._checked(words, ids, parts, self.likeness)
        if verdict.failing == "words" and covered:
            verdict, ids = Verdict("uncited"), ()
        if quoted and not verdict.failing:
            claim = Claim(text=words, citations=list(ids), verified=True, status="quoted")
        else:
            claim = self._judged(words, ids, verdict)
        return claim.model_copy(update={"cited_by": "code"}) if by_code else claim

    def inference(self, words: str, ids: Sequence[str]) -> Claim:
        """Judge a sentence or a row that is marked as inference; one that what it cites states is a statement like any other.

        Args:
            words: without citations and Markdown.
            ids: of its premises, as written.
        """
        if unknown := [key for key in ids if key not in self.excerpts]:
            return self.unknown(words, unknown)
        if not ids:
            return self.unverified(words, (), Verdict("premises"))
        if self._is_quoted(words, ids):
            return Claim(text=words, citations=list(ids), verified=True, status="quoted")
        quotes, titles, untraced = self._cited(ids)
        kind, verdict = check_marked(
            words, quotes, titles, question=self.question, likeness=self.likeness, untraced=untraced
        )
        if kind == "statement":
            return self._judged(words, ids, verdict)
        if verdict.failing:
            claim = self.unverified(words, ids, verdict)
            return claim.model_copy(update={"status": "contradicted"}) if verdict.refutes else claim
        self.undecided[words, tuple(ids)] = True
        inferred = Claim(text=words, citations=list(ids), verified=True, status="inferred", likeness=verdict.likeness)
        judgement = self.judgements.get((words, tuple(ids)))
        return self._as_judged(inferred, judgement, self.labels.judged_inference) if judgement else inferred

    def too_many(self, claim: Claim) -> Claim:
        """Return an inferred claim as one beyond what its section may infer."""
        reason = self.labels.reason(Verdict("share"))
        return claim.model_copy(update={"verified": False, "status": "unverified", "reason": reason})

    def heading(self, words: str, ids: Sequence[str]) -> Claim | None:
        """Judge a heading, a label, a head of a table or a question by what it covers; None where it claims nothing or holds.

        Args:
            words: without Markdown.
            ids: of the excerpts cited by it and by what stands below it; without any, its numbers and names must stand
                somewhere in the evidence.
        """
        if not ids:
            return self.figure(words, [] if is_headline_style(words) else [words])
        verdict = self._verdict(words, ids, [self.question], self.likeness)
        if verdict.failing == "numbers":
            verdict = Verdict("numbers", tuple(number for number in verdict.what if not SMALL_NUMBER.fullmatch(number)))
            if not verdict.what:
                return None
        if verdict.failing == "names" and is_headline_style(words):
            return None
        if not words.endswith(("?", "？")) and states_something(words):
            failed = bool(verdict.failing)
        else:
            failed = verdict.failing in _OF_NUMBERS | {"numbers", "names"}
        return self._judged(words, ids, verdict) if failed else None

    def figure(self, text: str, labels: Sequence[str] = ()) -> Claim | None:
        """Judge a formula or code: its numbers, and the names in its labels, must stand somewhere in the evidence."""
        said = _EXCERPT.sub("", text)
        missing = [number for number in missing_of(quantities(said), self._numbers) if number not in self._digits]
        numbers = [number for number in missing if not SMALL_NUMBER.fullmatch(number)]
        if numbers:
            return self.unverified(text, (), Verdict("numbers", tuple(numbers)))
        strangers = missing_names(" | ".join(labels), self._anywhere) if labels else []
        return self.unverified(text, (), Verdict("names", tuple(strangers))) if strangers else None

    def diagram(self, text: str) -> Claim | None:
        """Judge a diagram by its numbers and the names in the labels of its parts."""
        return self.figure(text, _DIAGRAM_LABEL.findall(text))

    def unverified(self, words: str, ids: Sequence[str], verdict: Verdict) -> Claim:
        """Return a claim that fails."""
        return Claim(
            text=words,
            citations=list(ids),
            verified=False,
            status="unverified",
            reason=self.labels.reason(verdict),
            likeness=verdict.likeness,
        )

    def unknown(self, words: str, written_ids: Sequence[str]) -> Claim:
        """Return a claim that cites only what does not exist."""
        reason = self.labels.reasons["unknown"].format(what=", ".join(written_ids))
        return Claim(text=words, verified=False, status="unverified", reason=reason)

    def _judged(self, words: str, ids: Sequence[str], verdict: Verdict) -> Claim:
        """Return a claim with its status: code's where it decides, else the model's, else code's."""
        claim = self.unverified(words, ids, verdict) if verdict.failing else None
        if claim is not None and verdict.refutes:
            return claim.model_copy(update={"status": "contradicted"})
        judgement = None
        if verdict.failing not in VETO:
            self.undecided[words, tuple(ids)] = False
            judgement = self.judgements.get((words, tuple(ids)))
        supported = Claim(text=words, citations=list(ids), verified=True, status="supported", likeness=verdict.likeness)
        if judgement is None:
            return claim or supported
        judged = self._as_judged(supported, judgement, self.labels.judged)
        return judged.model_copy(update={"status": "contradicted"}) if judgement.verdict == "contradicted" else judged

    def _as_judged(self, claim: Claim, judgement: Judgement, reasons: Mapping[str, str]) -> Claim:
        """Return a claim as a model judges it: as it is, where that finds it supported, else unverified."""
        reason = reasons[judgement.verdict].format(words=judgement.words)
        if judgement.verdict == "supported":
            return claim.model_copy(update={"judgement": judgement, "reason": reason})
        changes = {"judgement": judgement, "reason": reason, "verified": False, "status": "unverified"}
        return claim.model_copy(update=changes)

    def _checked(
        self, words: str, ids: Sequence[str], parts: Sequence[str], likeness: Likeness | None
    ) -> tuple[bool, Verdict]:
        """Tell whether a sentence is word for word in what it cites, and what the check of it and its parts comes to."""
        quoted = self._is_quoted(words, ids)
        verdict = Verdict() if quoted else self._verdict(words, ids, likeness=likeness)
        if not verdict.failing:
            cells = (self._verdict(part, ids, likeness=likeness) for part in parts)
            verdict = next((cell for cell in cells if cell.failing in _OF_NUMBERS), verdict)
        return quoted, verdict

    def _same_source_with_names(
        self, words: str, ids: Sequence[str], parts: Sequence[str], wanted: Sequence[str]
    ) -> str:
        """Return the id of an excerpt with which what a sentence cites supports it; empty where there is none.

        Args:
            words: of the sentence.
            ids: that it cites; only excerpts of their sources are looked at.
            parts: of a row.
            wanted: names that they lack.
        """
        sources = {self.excerpts[key].content_hash for key in ids} - set(self.untraced)
        holding = (
            key
            for key, excerpt in self.excerpts.items()
            if excerpt.content_hash in sources and not missing_names(", ".join(wanted), excerpt.quote)
        )
        candidates = islice((key for key in holding if key not in ids), CANDIDATES)
        return next((key for key in candidates if self._is_supported(words, [*ids, key], parts)), "")

    def _is_supported(self, words: str, ids: Sequence[str], parts: Sequence[str]) -> bool:
        return all(key in self.excerpts for key in ids) and not self._checked(words, ids, parts, None)[1].failing

    def _verdict(
        self, words: str, ids: Sequence[str], also: Sequence[str] = (), likeness: Likeness | None = None
    ) -> Verdict:
        quotes, titles, untraced = self._cited(ids)
        return check_support(words, [*quotes, *also], titles, likeness, untraced)

    def _cited(self, ids: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        """Return the quotes of excerpts, all titles with their dates, and what is quoted of computations whose numbers no source gives."""
        cited = [self.excerpts[key] for key in ids]
        quotes = [excerpt.quote for excerpt in cited if excerpt.content_hash not in self.untraced]
        untraced = [excerpt.quote for excerpt in cited if excerpt.content_hash in self.untraced]
        dated = (
            dated_title(self.titles.get(excerpt.content_hash, ""), self.published.get(excerpt.content_hash, ""))
            for excerpt in cited
        )
        return quotes, list(dated), untraced

    def _is_quoted(self, words: str, ids: Sequence[str]) -> bool:
        """Tell whether a sentence stands in a cited quote as a whole sentence, line or cell and not as a part of one."""
        bare = words.strip(_AROUND)
        for key in ids:
            quote = self.excerpts[key].quote
            at = quote.find(bare) if bare and self.excerpts[key].content_hash not in self.untraced else -1
            if at >= 0 and _BEGINS.search(quote[max(0, at - 4) : at]) and _ENDS.match(quote, at + len(bare)):
                return True
        return False
