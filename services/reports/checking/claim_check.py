"""Judges one statement of a report, or one that a bundle calls verified: by code, and by a model's judgement if there is one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemas.evidence import PASSED, Claim, Judged, Judgement, Status
from services.check.support import check_inference, check_support
from services.check.verdict import Verdict
from services.embedding.cross_lingual import Likeness
from services.evidence.non_claims import SMALL_NUMBER
from services.reports.checking.checked_report import Doubt, FormerClaims, Statement
from services.reports.checking.citable_evidence import CitableEvidence, lines_of
from services.reports.checking.code_citations import AROUND, CodeCitations
from services.reports.labels import Labels, labels_for
from services.run.ui_text import spoken_locale
from services.text.quote_location import locate
from services.text.tables import cells_told

Judgements = Mapping[Statement, Judgement]
"""A model's judgements of sentences."""
CLAIMS_NOTHING = frozenset({"no_claim", "absent"})
"""Verdicts on sentences that state no fact of a source."""
_STATUS: dict[Judged, Status] = {"contradicted": "contradicted", "follows": "inferred"}
"""Statuses that verdicts give statements that their writer did not mark."""
SHORTEST_CLAIM = 15
"""Half-width characters of a heading that may claim something; a shorter one is a label."""
_NOT_THERE = frozenset({"uncited", "words", "numbers", "names"})
"""Faults after which a sentence that nothing covers may be about something else, so that code searches for a supporting excerpt."""
_NOT_COVERED = frozenset({"numbers", "names"})
"""Faults after which code does so for a sentence that others' citations cover, whose words sum up what stands beside it."""
_OF_NUMBERS = frozenset({"untraced", "period", "subject", "unit", "row", "opposite"})
"""Faults of the cells of a row, which are judged with their row's label and column's heading."""


def counts_only(verdict: Verdict) -> bool:
    """Tell whether nothing is at fault but small numbers, which may count or number what stands in the report: three things, section 3."""
    return verdict.fault == "numbers" and all(map(SMALL_NUMBER.fullmatch, verdict.what))


def check_summary(text: str, statements: Sequence[str]) -> Verdict:
    """Check a sentence that sums up a report by the statements of that report; a number that counts what they list is no fault."""
    verdict = check_support(text, statements)
    return Verdict() if counts_only(verdict) else verdict


def summary_fault(claim: Claim, statements: Sequence[str]) -> Verdict:
    """Check a claim that sums up a report; its model's verdict holds while the statements have the words that decided."""
    verdict = check_summary(claim.text, statements)
    words = claim.judgement.words if claim.judgement else ""
    judged = bool(words) and locate(words, "\n".join(statements)) is not None
    return Verdict() if judged and not verdict.certain else verdict


def doubt_of(
    claim: Claim, ids: Iterable[str], evidence: CitableEvidence, *, in_text: bool = False, is_new: bool = False
) -> str:
    """Return why the report's rules do not accept a verified claim by these excerpts, in words; a model's verdict can only count against a conclusion.

    `in_text` tells whether a model found the claim supported by words that the text of a cited source holds,
    `is_new` whether no run has checked it, so that numbers that are only computed count against it.
    """
    cited, judgement = evidence.of(ids), claim.judgement
    labels = labels_for(spoken_locale())
    if claim.status == "inferred":
        verdict = _without_counts(claim, check_inference(claim.text, *cited, question=evidence.question))
        follows = verdict.fault == "numbers" and judgement is not None and judgement.verdict == "follows"
        if verdict.fault and (judgement is None or (verdict.certain and not follows)):
            return _in_words(verdict)
        if is_new and verdict.computed:
            return _in_words(verdict.noted)
        if judgement is None or judgement.verdict in PASSED:
            return ""
        reason: str = labels.judged_inference[judgement.verdict]
        return reason.format(words=judgement.words)
    verdict = _without_counts(claim, check_support(claim.text, *cited, lambda *_: claim.likeness))
    verdict = verdict.noted if is_new else verdict
    absence = judgement is not None and judgement.verdict in CLAIMS_NOTHING  # no words of a passage bear it out
    if not verdict.certain and (in_text or absence):
        return ""
    verbatim = any(claim.text.strip(AROUND) in quote for quote in cited[0])
    excused = verbatim or (absence and verdict.fault == "uncited")
    return "" if excused else _in_words(verdict)


def _in_words(verdict: Verdict) -> str:
    """Return a verdict in words; before a suspicion come the numbers that the evidence only lets compute."""
    labels = labels_for(spoken_locale())
    computed = [Verdict("computed", verdict.computed)] if verdict.fault and verdict.computed else []
    return " ".join(labels.reason(part) for part in [*computed, verdict])


def _without_counts(claim: Claim, verdict: Verdict) -> Verdict:
    """Return the verdict on a claim: a small number of one that leads its paragraph may count what that lists."""
    return Verdict() if claim.cited_by == "paragraph" and counts_only(verdict) else verdict


@dataclass(frozen=True)
class ClaimCheck:
    """The evidence, and what else a statement is judged by."""

    evidence: CitableEvidence
    labels: Labels
    likeness: Likeness | None = None
    judgements: Judgements = field(default_factory=dict)
    citing: CodeCitations | None = None
    """Finds excerpts for sentences without citations."""
    former: FormerClaims = field(default_factory=FormerClaims)
    """Statements of the report that this one changes."""
    undecided: dict[Statement, Doubt] = field(default_factory=dict)
    """`CheckedReport.undecided`."""

    def sentence(
        self,
        words: str,
        ids: Sequence[str],
        parts: Sequence[str] = (),
        *,
        covered: bool = False,
        section: str = "",
        beside: Sequence[str] = (),
    ) -> Claim | None:
        """Judge a sentence or a table row; without citations, by the excerpt that code finds; None if a verifier finds that it claims nothing.

        Args:
            words: the text without citations and Markdown.
            ids: ids of existing excerpts.
            parts: cells of the row, each with its row's label and its column's heading, which their numbers must refer to.
            covered: whether it has no citation of its own, and `ids` are those that stand beside it or below it.
            section: heading of the section in which it stands.
            beside: excerpts that its neighbours cite, by which a verifier judges it if nothing covers it.
        """
        quoted, verdict = self._checked(words, ids, parts, self.likeness)
        by_code = False
        counts = counts_only(verdict)
        faults = _NOT_THERE if not ids else _NOT_COVERED if covered and not counts else frozenset[str]()
        if self.citing and verdict.fault in faults:
            key = self.citing.find(words, section, parts, lambda key: self._is_supported(words, [key], parts))
            if key:
                ids, by_code = tuple(dict.fromkeys([*ids, key])), True
                quoted, verdict = self._checked(words, ids, parts, self.likeness)
        if verdict.fault and (covered or not ids) and not by_code:
            certain = bool(ids) and verdict.certain and not counts
            return self._uncited(words, ids or beside, verdict if certain else Verdict())
        if quoted and not verdict.fault:
            claim = Claim(text=words, citations=list(ids), verified=True, status="quoted")
        else:
            claim = self._judged(words, ids, verdict)
        if (by_code or covered) and claim.judgement is not None and claim.judgement.verdict in CLAIMS_NOTHING:
            return None
        return claim.model_copy(update={"cited_by": "code"}) if by_code else claim

    def _uncited(self, words: str, ids: Sequence[str], verdict: Verdict) -> Claim | None:
        """Judge a sentence that cites nothing by what its paragraph cites, if a verifier does and code is not certain that it is unproved.

        A verifier can find that it claims nothing, or only what the sources do not tell; or that numbers of its own are assumed or worked out.
        """
        assumes, suspicion = verdict.fault == "numbers", self._suspicion(verdict)
        judgement = self._asked(words, ids, Doubt(uncited=not assumes, inferred=assumes, suspicion=suspicion))
        if judgement is not None and judgement.verdict in CLAIMS_NOTHING:
            return None
        if verdict.fault and not (assumes and judgement and judgement.verdict in PASSED):
            return self.unverified(words, (), verdict)
        if judgement is None or judgement.verdict == "not_told" or not ids:
            return self.unverified(words, (), Verdict("uncited"))
        return self._by_model(words, ids, judgement).model_copy(update={"cited_by": "paragraph"})

    def lack(self, words: str, ids: Sequence[str]) -> Claim | None:
        """Judge a sentence on missing evidence by what it or its neighbours cite; None unless a verifier finds there what it misses."""
        judgement = self._asked(words, ids, Doubt())
        return self._by_model(words, ids, judgement) if judgement and judgement.verdict == "contradicted" else None

    def summary(self, words: str, statements: Sequence[str]) -> Claim | None:
        """Judge a sentence of the opening that cites nothing by the verified statements below the opening; None if it claims nothing."""
        former = self.former.find(words, ())
        if former and former.verified and not summary_fault(former, statements).fault:
            return former
        verdict = check_summary(words, statements)
        if verdict.certain:
            return self.unverified(words, (), verdict)
        suspicion = "" if verdict.fault == "words" else self._suspicion(verdict)  # it has words of its own
        judgement = self._asked(words, (), Doubt(uncited=True, sums_up=True, suspicion=suspicion))
        if judgement is not None and judgement.verdict in CLAIMS_NOTHING:
            return None
        if judgement is None and verdict.fault:
            return self.unverified(words, (), verdict)
        claim = Claim(text=words, verified=True, status="supported", cited_by="report")
        if judgement is None or judgement.verdict in PASSED:
            return claim.model_copy(update={"judgement": judgement})
        return self._by_model(words, (), judgement)

    def heading(self, words: str, ids: Sequence[str], *, sums_up: bool = False) -> Claim | None:
        """Judge a title, or a sentence that heads a paragraph, by what is cited below it; None unless a verifier objects.

        Where nothing is cited, only the title that sums up the report is judged.
        """
        judged = bool(ids) or sums_up
        if not judged or words in self.former.connecting or len(words.encode("gbk", "replace")) < SHORTEST_CLAIM:
            return None
        judgement = self._asked(words, ids, Doubt(uncited=True, heads=True, sums_up=not ids))
        objects = judgement is not None and judgement.verdict in {"partly", "contradicted"}
        return self._by_model(words, ids, judgement) if judgement and objects else None

    def inference(self, words: str, ids: Sequence[str]) -> Claim:
        """Judge a sentence or row marked as inference; what its premises tell themselves, as a verifier finds, is supported.

        A number that they neither give nor let compute in one step may be worked out from them in several, if a verifier finds that it follows.
        """
        if unknown := [key for key in ids if key not in self.evidence.excerpts]:
            return self.unknown(words, unknown)
        if self.evidence.quotes(words, ids):
            return Claim(text=words, citations=list(ids), verified=True, status="quoted")
        verdict = check_inference(words, *self.evidence.of(ids), question=self.evidence.question)
        verdict = self._or_typed(verdict, words, ids)
        if verdict.certain and verdict.fault != "numbers":
            return self.unverified(words, ids, verdict)
        judgement = self._asked(words, ids, Doubt(inferred=True, suspicion=self._suspicion(verdict)))
        if judgement is None and verdict.fault:
            return self.unverified(words, ids, verdict)
        inferred = Claim(text=words, citations=list(ids), verified=True, status="inferred", likeness=verdict.likeness)
        if judgement is None:
            return inferred
        told = judgement.verdict == "supported" and not self._verdict(words, ids).certain
        claim = inferred.model_copy(update={"status": "supported"}) if told else inferred
        return self._as_judged(claim, judgement, self.labels.judged_inference)

    def figure(self, text: str, *, is_diagram: bool = False) -> Claim | None:
        """Judge a formula or code: its numbers, and the names in the labels of a diagram, must occur somewhere in the evidence."""
        verdict = self.evidence.nowhere(text, is_diagram=is_diagram)
        return self.unverified(text, (), verdict) if verdict.fault else None

    def code(self, text: str, ids: Sequence[str]) -> Claim | None:
        """Judge code that the evidence does not have line by line by what is cited above it, else by its numbers; None if nothing is at fault."""
        claim = self.figure(text)
        if not ids or text in self.former.connecting or lines_of(text) <= self.evidence.lines:
            return claim
        judgement = self._asked(text, ids, Doubt(inferred=True, heads=True, suspicion=claim.reason if claim else ""))
        if judgement is None:
            return claim
        return None if judgement.verdict in PASSED else self._by_model(text, ids, judgement)

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
        """Return a claim with its status: code's where it is certain, else the verifier's, else code's."""
        if verdict.certain:
            return self.unverified(words, ids, verdict)
        if judgement := self._asked(words, ids, Doubt(suspicion=self._suspicion(verdict))):
            return self._by_model(words, ids, judgement)
        if verdict.fault:
            return self.unverified(words, ids, verdict)
        return Claim(text=words, citations=list(ids), verified=True, status="supported", likeness=verdict.likeness)

    def _asked(self, words: str, ids: Sequence[str], doubt: Doubt) -> Judgement | None:
        """Record that a verifier may judge a statement, and return its judgement if there is one."""
        self.undecided[words, tuple(ids)] = doubt
        return self.judgements.get((words, tuple(ids)))

    def _by_model(self, words: str, ids: Sequence[str], judgement: Judgement) -> Claim:
        """Return a claim with the status that a verifier's judgement gives it."""
        supported = Claim(text=words, citations=list(ids), verified=True, status="supported")
        claim = self._as_judged(supported, judgement, self.labels.judged)
        status = _STATUS.get(judgement.verdict)
        return claim.model_copy(update={"status": status}) if status else claim

    def _suspicion(self, verdict: Verdict) -> str:
        """Return what a verifier is told of code's verdict: nothing of names, which are known from elsewhere (48 of 48 were, in nine runs), and of other languages."""
        noted = verdict.noted
        return self.labels.reason(noted) if noted.fault not in {"", "names", "language", "meaning"} else ""

    def _as_judged(self, claim: Claim, judgement: Judgement, reasons: Mapping[str, str]) -> Claim:
        """Apply a model's judgement to a claim: unverified if it objects."""
        if judgement.verdict in PASSED:
            return claim.model_copy(update={"judgement": judgement})
        reason = reasons[judgement.verdict].format(words=judgement.words)
        changes = {"judgement": judgement, "reason": reason, "verified": False, "status": "unverified"}
        return claim.model_copy(update=changes)

    def _checked(
        self, words: str, ids: Sequence[str], parts: Sequence[str], likeness: Likeness | None
    ) -> tuple[bool, Verdict]:
        """Tell whether a sentence is verbatim in its citations, and return the verdict on it and on those of its parts that no cited table holds."""
        quoted = self.evidence.quotes(words, ids)
        verdict = Verdict() if quoted else self._verdict(words, ids, likeness)
        if parts and not verdict.fault:
            told = frozenset[str]().union(*map(cells_told, self.evidence.of(ids)[0]))
            cells = (self._verdict(part, ids, likeness) for part in parts if part not in told)
            verdict = next((cell for cell in cells if cell.fault in _OF_NUMBERS), verdict)
        return quoted, verdict

    def _is_supported(self, words: str, ids: Sequence[str], parts: Sequence[str]) -> bool:
        return all(key in self.evidence.excerpts for key in ids) and not self._checked(words, ids, parts, None)[1].fault

    def _verdict(self, words: str, ids: Sequence[str], likeness: Likeness | None = None) -> Verdict:
        return self._or_typed(check_support(words, *self.evidence.of(ids), likeness), words, ids)

    def _or_typed(self, verdict: Verdict, words: str, ids: Sequence[str]) -> Verdict:
        """Return a verdict, or if it finds nothing that numbers of a statement only stand in a program that it cites."""
        typed = () if verdict.fault else self.evidence.typed_numbers(words, ids)
        return replace(verdict, fault="typed", what=typed) if typed else verdict
