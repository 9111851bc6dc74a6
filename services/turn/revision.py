"""A change of a finished report: its text, the request and the evidence go to the reporter's model, and its answer is a draft again."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from schemas.evidence import EXCERPT_ID, Excerpt
from schemas.reporter import Report
from schemas.reporter_revising import ReporterRevisingPrompt
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.evidence.views import evidence_views
from services.models import write
from services.models.offline.revision import change_of
from services.reports.checking.checked_report import CheckedReport
from services.reports.report_draft import FOLLOW_UP_MARK, Written
from services.reports.revision.cited_draft import cited_draft, headings_of
from services.reports.statuses import proves_nothing
from services.run.errors import BadInput, UnprovenRevision
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run
from services.run.ui_text import is_chinese, say
from services.text.tokens import has_cjk

REVISING = "reporter_revising"
"""Stem of the template."""
LONG = 2.0
"""By how much the answer may be longer than a short one."""
MAX_LACKING, LONGEST = 5, 300
"""Items that the evidence lacks which are told, and characters of each."""
CHINESE_SHARE = 0.2
"""Share of Chinese characters among a text's letters from which on it is Chinese; the names in others make up less."""


_CITATION = re.compile(rf"\[{EXCERPT_ID}\]")


class Revised(NamedTuple):
    """A draft of the next version, and the state that it is checked with."""

    written: Written
    state: ResearchState


def check_change(report: Report, revision: Revision) -> None:
    """Make sure that rules can do what is asked, where no model is connected.

    Raises:
        BadInput: they cannot; the message says what they can do.
    """
    headings = headings_of(cited_draft(report))
    if not change_of(revision.request, headings):
        sections = "; ".join(headings) or say("revising_no_sections", report.locale)
        raise BadInput(say("revising_needs_model", report.locale, sections=sections))


def revision_of(state: ResearchState) -> tuple[Revision | None, ResearchState]:
    """Return what the state's report is to be changed to, and the state whose usage counts: a change has limits of its own.

    A client of the API sends the change as plain data.

    Raises:
        BadInput: it is empty or too long.
    """
    given: Any = state.get("revision")
    try:
        if given is None:
            return None, state
        return Revision.model_validate(given), {**state, "usage": Usage()}
    except ValidationError:
        raise BadInput(say("revision_length", state["locale"], most=MAX_REQUEST)) from None


def check_revised(revision: Revision | None, checked: CheckedReport, locale: str) -> None:
    """Make sure that a changed report proves something; a report that was written anew has other ways out.

    Raises:
        UnprovenRevision: no statement of it is quoted or supported.
    """
    if revision is not None and proves_nothing(checked):
        raise UnprovenRevision(say("revision_unproven", locale))


async def revised(run: Run, state: ResearchState, revision: Revision, excerpts: Sequence[Excerpt]) -> Revised:
    """Ask for the next version of a state's report.

    Raises:
        BadInput: there is no report, or no model and rules cannot do what is asked.
        LimitReached: the budget leaves no room for it, or no time.
        ModelError: the endpoint failed, or its answer is empty.
    """
    report = state.get("report")
    if report is None:
        raise BadInput(say("revising_no_report", state["locale"]))
    by_rules = await run.journal.decided("rules", lambda: role_model("reporter", run.context).model == OFFLINE)
    if by_rules:
        await asyncio.to_thread(check_change, report, revision)
    draft = await asyncio.to_thread(cited_draft, report)
    known = [excerpt for excerpt in excerpts if excerpt.content_hash in state["sources"]]
    cited_first = sorted(known, key=lambda excerpt: f"[{excerpt.id}]" not in draft)
    prompt = ReporterRevisingPrompt(
        request=revision.request,
        question=report.question,
        locale=revision.locale or report.locale,
        tone=run.context.profile.tone if run.context.profile else "",
        report=draft,
        evidence=evidence_views(cited_first, state["sources"]),
    )
    reply = await write("reporter", prompt, scale=LONG, template=REVISING)
    text, _, below = reply.text.partition(f"\n{FOLLOW_UP_MARK}")
    locale = revision.locale or _locale(text, draft, report.locale)
    lacking = [line.strip(" -*•")[:LONGEST] for line in below.strip("=\n ").splitlines() if line.strip(" -*•")]
    limits = [say("revision_lacks", locale, aspect=aspect) for aspect in lacking[:MAX_LACKING]]
    limits += [say("cut_off", locale)] if reply.cut_off else []
    asked = report.follow_up_questions if is_chinese(locale) == is_chinese(report.locale) else []
    written = Written(
        text,
        limits,
        [say("offline", locale)] if by_rules and report.by_rules else [],
        by_rules=by_rules and report.by_rules,
        templates=() if by_rules else (REVISING,),
        asked=asked,
    )
    return Revised(written, {**state, "locale": locale, "limits": _lasting(state["limits"], report.locale)})


def _lasting(limits: Sequence[str], locale: str) -> list[str]:
    """Leave out what only the former text was said: how many words it has."""
    about_words = say("words_missed", locale, written=0, wanted=0).partition("0")[0]
    return [limit for limit in limits if not limit.startswith(about_words)]


def _locale(text: str, draft: str, former: str) -> str:
    """Return the language of a new version for the program's own words: the former one, unless it turned to or from Chinese."""
    is_now, was = _is_chinese(text), _is_chinese(draft)
    if is_now == was:
        return former
    return "zh-CN" if is_now else "en-US"


def _is_chinese(text: str) -> bool:
    prose = "".join(line for line in text.splitlines() if not line.startswith(">"))  # quotes keep their language
    told = [char for char in _CITATION.sub("", prose) if char.isalpha()]
    return sum(has_cjk(char) for char in told) > CHINESE_SHARE * len(told)
