"""Judges one statement of a report: by code, and by a model's judgement if there is one."""

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
from services.evidence.support import check_about
from services.evidence.verdict import Verdict
from services.reports.checking.code_citations import CANDIDATES, CodeCitations
from services.reports.checking.quotations import holds_sentence
from services.reports.labels import Labels
from services.text.names import missing_names
from services.text.numbers import missing_of, quantities
from services.text.quantity import Quantity

Judgements = Mapping[tuple[str, tuple[str, ...]], Judgement]
"""A model's judgements of sentences, by their words and cited excerpt ids."""
VETO = frozenset({"uncited", "numbers", "untraced", "names", "period", "subject", "unit", "other", "reversed", "table"})
"""Failures that a model cannot overrule: a number or a name is in the cited quote, and about the same thing, or not."""
_NOT_THERE = frozenset({"uncited", "words", "numbers", "names"})
"""Failures after which the citation may be about something else, so that code searches for a supporting excerpt."""
_OF_NUMBERS = frozenset({"untraced", "period", "subject", "unit", "other", "reversed", "table"})
_DIAGRAM_LABEL = re.compile(r"[\[({|\"]([^\[\](){}|\"\n]{2,200})[\])}|\"]")
_EXCERPT = re.compile(rf"\b{EXCERPT_ID}\b")
_DIGITS = re.compile(r"\d++(?>(?:[.,]\d++)*)")


@dataclass(frozen=True)
class ClaimCheck:
    """The evidence that statements are checked against."""

    excerpts: Mapping[str, Excerpt]
    """All citable excerpts by id."""
    titles: Mapping[str, str]
    """Titles of the sources, by `content_hash`."""
    published: Mapping[str, str]
    """ISO dates of the sources by `content_hash`; unknown dates are missing or empty."""
    heads: Mapping[str, str]
    """Titles and header lines of the sources, by `content_hash`; without one, the title counts."""
    untraced: Collection[str]
    """`content_hash`s of computations with numbers that no source gives."""
    question: str
    labels: Labels
    likeness: Likeness | None = None
    judgements: Judgements | None = None
    """None where no model verifies."""
    citing: CodeCitations | None = None
    """Finds excerpts for sentences without citations."""
    undecided: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    """Statements for a model to judge, in order: neither verbatim in their citations nor refuted by code; and whether
    each is a conclusion."""

    @cached_property
    def known(self) -> str:
        """All quotes that may prove a number."""
        return "\n".join(
            excerpt.quote for excerpt in self.excerpts.values() if excerpt.content_hash not in self.untraced
        )

    @cached_property
    def _anywhere(self) -> str:
        """All evidence with the question and the titles."""
        return "\n".join([self.known, self.question, *self.titles.values(), *self.heads.values()])

    @cached_property
    def _numbers(self) -> list[Quantity]:
        return quantities(self._anywhere)

    @cached_property
    def _digits(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self._anywhere))

    def all_untraced(self, ids: Sequence[str]) -> bool:
        """Tell whether all excerpts are of untraced computations, so that no rewording would help."""
        return bool(ids) and all(self.excerpts[key].content_hash in self.untraced for key in ids)

    def sentence(
        self, words: str, ids: Sequence[str], parts: Sequence[str] = (), *, covered: bool = False, section: str = ""
    ) -> Claim:
        """Judge a sentence or a table row; without citations, by the excerpt that code finds.

        A name that the citations lack may stand in another excerpt of the same source, which code then cites in
        addition.

        Args:
            words: the text without citations and Markdown.
            ids: ids of existing excerpts.
            parts: cells of the row, each with its row's label and its column's heading, which their numbers must refer
                to.
            covered: whether the citations stand later in its paragraph.
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
        """Judge a sentence or row marked as inference; if its citations state it, it is an ordinary statement.

        Args:
            words: the text without citations and Markdown.
            ids: ids of its premises, as written.
        """
        if unknown := [key for key in ids if key not in self.excerpts]:
            return self.unknown(words, unknown)
        if not ids:
            return self.unverified(words, (), Verdict("premises"))
        if self._is_quoted(words, ids):
            return Claim(text=words, citations=list(ids), verified=True, status="quoted")
        quotes, titles, untraced = self._cited(ids)
        kind, verdict = check_marked(
            words,
            quotes,
            titles,
            question=self.question,
            likeness=self.likeness,
            untraced=untraced,
            heads=self._heads(ids),
        )
        if kind == "statement":
            return self._judged(words, ids, verdict)
        if verdict.failing:
            claim = self.unverified(words, ids, verdict)
            refuted = verdict.refutes and self.judgements is None
            return claim.model_copy(update={"status": "contradicted"}) if refuted else claim
        self.undecided[words, tuple(ids)] = True
        inferred = Claim(text=words, citations=list(ids), verified=True, status="inferred", likeness=verdict.likeness)
        judgement = self._judgement(words, ids)
        return self._as_judged(inferred, judgement, self.labels.judged_inference) if judgement else inferred

    def too_many(self, claim: Claim) -> Claim:
        """Return an inferred claim as exceeding the quota of its section."""
        reason = self.labels.reason(Verdict("share"))
        return claim.model_copy(update={"verified": False, "status": "unverified", "reason": reason})

    def heading(self, words: str, ids: Sequence[str]) -> Claim | None:
        """Judge a heading, label, table header or question by the text below it; None if it claims nothing or is supported.

        Args:
            words: the text without Markdown.
            ids: excerpts cited by it and by the text below it; without any, its numbers and names must occur somewhere
                in the evidence.
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
        claim = self._judged(words, ids, verdict) if failed else None
        return claim if claim and not claim.verified else None

    def figure(self, text: str, labels: Sequence[str] = ()) -> Claim | None:
        """Judge a formula or code: its numbers and the names in its labels must occur somewhere in the evidence."""
        said = _EXCERPT.sub("", text)
        missing = [number for number in missing_of(quantities(said), self._numbers) if number not in self._digits]
        numbers = [number for number in missing if not SMALL_NUMBER.fullmatch(number)]
        if numbers:
            return self.unverified(text, (), Verdict("numbers", tuple(numbers)))
        strangers = missing_names(" | ".join(labels), self._anywhere) if labels else []
        return self.unverified(text, (), Verdict("names", tuple(strangers))) if strangers else None

    def diagram(self, text: str) -> Claim | None:
        """Judge a diagram by its numbers and the names in its labels."""
        return self.figure(text, _DIAGRAM_LABEL.findall(text))

    def unverified(self, words: str, ids: Sequence[str], verdict: Verdict) -> Claim:
        """Return an unverified claim."""
        return Claim(
            text=words,
            citations=list(ids),
            verified=False,
            status="unverified",
            reason=self.labels.reason(verdict),
            likeness=verdict.likeness,
        )

    def unknown(self, words: str, written_ids: Sequence[str]) -> Claim:
        """Return a claim whose citations do not exist."""
        reason = self.labels.reasons["unknown"].format(what=", ".join(written_ids))
        return Claim(text=words, verified=False, status="unverified", reason=reason)

    def _judged(self, words: str, ids: Sequence[str], verdict: Verdict) -> Claim:
        """Return a claim with its status: code's if it decides, else the model's, else code's.

        What code takes to be refuted goes to the model, where one verifies: it stays, marked, unless the model refutes it too.
        """
        claim = self.unverified(words, ids, verdict) if verdict.failing else None
        if claim is not None and verdict.refutes and self.judgements is None:
            return claim.model_copy(update={"status": "contradicted"})
        judgement = None
        if verdict.failing not in VETO or verdict.refutes:
            self.undecided[words, tuple(ids)] = False
            judgement = self._judgement(words, ids)
        if claim is not None and verdict.failing in VETO and (judgement is None or judgement.verdict == "supported"):
            return claim
        supported = Claim(text=words, citations=list(ids), verified=True, status="supported", likeness=verdict.likeness)
        if judgement is None:
            return claim or supported
        judged = self._as_judged(supported, judgement, self.labels.judged)
        return judged.model_copy(update={"status": "contradicted"}) if judgement.verdict == "contradicted" else judged

    def _judgement(self, words: str, ids: Sequence[str]) -> Judgement | None:
        return self.judgements.get((words, tuple(ids))) if self.judgements else None

    def _as_judged(self, claim: Claim, judgement: Judgement, reasons: Mapping[str, str]) -> Claim:
        """Apply a model's judgement to a claim: unchanged if supported, else unverified."""
        reason = reasons[judgement.verdict].format(words=judgement.words)
        if judgement.verdict == "supported":
            return claim.model_copy(update={"judgement": judgement, "reason": reason})
        changes = {"judgement": judgement, "reason": reason, "verified": False, "status": "unverified"}
        return claim.model_copy(update=changes)

    def _checked(
        self, words: str, ids: Sequence[str], parts: Sequence[str], likeness: Likeness | None
    ) -> tuple[bool, Verdict]:
        """Tell whether a sentence is verbatim in its citations, and return the verdict on it and its parts."""
        quoted = self._is_quoted(words, ids)
        verdict = Verdict() if quoted else self._verdict(words, ids, likeness=likeness)
        if not verdict.failing:
            cells = (self._verdict(part, ids, likeness=likeness) for part in parts)
            verdict = next((cell for cell in cells if cell.failing in _OF_NUMBERS), verdict)
        return quoted, verdict

    def _same_source_with_names(
        self, words: str, ids: Sequence[str], parts: Sequence[str], wanted: Sequence[str]
    ) -> str:
        """Return the id of an excerpt that completes a sentence's citations; empty if there is none.

        Args:
            words: words of the sentence.
            ids: its cited excerpts; only excerpts of their sources are searched.
            parts: parts of a row.
            wanted: names that the citations lack.
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
        return check_about(self.question, words, [*quotes, *also], titles, likeness, untraced, self._heads(ids))

    def _cited(self, ids: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        """Return the quotes of excerpts, all titles with dates, and the quotes of untraced computations."""
        cited = [self.excerpts[key] for key in ids]
        quotes = [excerpt.headed_quote for excerpt in cited if excerpt.content_hash not in self.untraced]
        untraced = [excerpt.headed_quote for excerpt in cited if excerpt.content_hash in self.untraced]
        dated = (
            dated_title(self.titles.get(excerpt.content_hash, ""), self.published.get(excerpt.content_hash, ""))
            for excerpt in cited
        )
        return quotes, list(dated), untraced

    def _heads(self, ids: Sequence[str]) -> list[str]:
        """Return the titles and header lines of the sources of excerpts."""
        cited = dict.fromkeys(self.excerpts[key].content_hash for key in ids)
        return [self.heads.get(key) or self.titles.get(key, "") for key in cited]

    def _is_quoted(self, words: str, ids: Sequence[str]) -> bool:
        cited = (self.excerpts[key] for key in ids)
        return any(
            holds_sentence(excerpt.quote, words) for excerpt in cited if excerpt.content_hash not in self.untraced
        )
