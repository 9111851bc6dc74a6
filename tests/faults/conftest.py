"""A whole research through the command line, against an endpoint that fails, and the judgement of how it ended."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from schemas.document import Paragraph, Text
from schemas.planner import Plan, Step
from schemas.reporter import Report
from services.models import attempts
from services.models.endpoint import forget_endpoints
from services.reports.checking.bundle_check import verify_bundle
from services.reports.rendering import to_markdown
from services.run.prices import forget_prices
from services.run.settings import forget_settings
from services.search import journaled
from services.search.web import forget_web
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.fakes.read_folder import read_before
from tests.faults.faults import Fault, no_fault
from tests.leadline.conftest import Leadline, leadline

__all__ = ["leadline"]

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
COMPUTED = "What is the mean depth of the Challenger soundings in the table?"
COMPUTING = Plan(
    locale="en-US",
    title=COMPUTED,
    steps=[Step(id="1", title="Mean", description=COMPUTED, step_type="processing", need_web_search=False)],
)
CHINESE = "钢丝测深机是谁设计的，测深锤底部的油脂有什么用途？"
HAN = re.compile("[\u4e00-\u9fff]{2}")
_WHOLE: "dict[str, Ended]" = {}
PLANS, STEPS, ATTEMPTS = 3, 3, 2


@dataclass(frozen=True, slots=True)
class Ended:
    """How a research ended."""

    code: int
    report: Report
    requests: int
    text: str
    """The report, wherever its documents lie."""

    def names(self, words: str) -> bool:
        """Tell whether the report admits something; `check_honest` sees to it that it says so to its reader."""
        return any(words in one for one in self.report.limits)


@dataclass(slots=True)
class Lab:
    """A machine, its endpoint, and its documents."""

    endpoint: OpenAIServer
    leadline: Leadline
    docs: Path

    def run(self, fault: Fault | None, *options: object, question: str = QUESTION) -> Ended:
        """Research a question while something goes wrong, and hold the outcome to what must always be true."""
        before = len(self.endpoint.requests)
        self.endpoint.fault = fault or no_fault
        self.endpoint.script["planner"] = [COMPUTING.model_dump_json()] if question == COMPUTED else []
        ran = self.leadline("research", question, "--docs", self.docs, "--json", *options)
        assert ran.code in {0, 3}, ran.err
        report = Report.model_validate_json(ran.out)
        check_honest(ran.code, report)
        text = report.markdown.replace(str(self.docs), "DOCS")
        return Ended(ran.code, report, len(self.endpoint.requests) - before, text)

    def whole(self, question: str = QUESTION) -> Ended:
        """Return how a research ends without any fault; it always ends in the same way."""
        if question not in _WHOLE:
            _WHOLE[question] = self.run(None, question=question)
            assert _WHOLE[question].code == 0
            self.endpoint.requests.clear()
        return _WHOLE[question]


def check_honest(code: int, report: Report) -> None:
    """Check that a report lacks nothing without a word, and that its limits held."""
    done = {one.step_id: one for one in report.results}
    for plan in report.plans:
        assert len(plan.steps) <= STEPS
        for step in plan.steps:
            assert step.id in done, f"step {step.id} has vanished"
            if done[step.id].status != "done":
                assert any(step.title in one for one in report.limits), f"step {step.id} failed without a word"
                assert done[step.id].error
    assert len(report.plans) <= PLANS
    assert all(one.attempts <= ATTEMPTS for one in report.results)
    assert (code == 3) == (not report.shows_evidence)
    assert report.folder is not None
    assert not verify_bundle(Path(report.folder)).problems
    for limit in report.limits:
        assert "It answered" not in limit, "what a model said word for word is nothing for a reader"
        assert report.locale != "zh-CN" or HAN.search(limit), f"not in the reader's language: {limit}"
    if code == 3:
        assert not report.citations
        assert report.limits
        return
    if not report.citations:
        assert any(one in report.markdown for one in ("do not answer", "没有提到")), (
            "nothing is said, and not that it is"
        )
    elif not any(claim.verified for claim in report.citations):
        assert any("No sentence of this report is supported" in one for one in report.limits)
    assert all(to_markdown([Paragraph((Text(limit),))]) in report.markdown for limit in report.limits)


@pytest.fixture
def lab(leadline: Leadline, unread_docs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """Serve a model on loopback; waits are as many times shorter as a test has less patience than a person.

    What a model may be silent for is long: a busy machine is silent, too, and then a call is made again that no test expects.
    """
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.005)
    monkeypatch.setattr(journaled, "SECOND_TRY", 0.01)
    (unread_docs / "ceshen.md").write_text(
        "# 深海测深\n\n钢丝测深机由威廉·汤姆孙于1872年设计，船只可以在航行中测量水深。\n\n"
        "测深锤底部的凹槽里压入油脂，海底的泥沙粘在油脂上，可以带回海底样本。\n"
    )
    with openai_server() as server:
        for name, value in {
            "OPENAI_API_KEY": server.key,
            "OPENAI_BASE_URL": server.base_url,
            "LEADLINE_MODEL": "test-model",
            "LEADLINE_ONE_CALL_TOKENS": "0",
            "LEADLINE_FIRST_TOKEN_TIMEOUT": "60",
            "LEADLINE_TOKEN_TIMEOUT": "60",
            "LEADLINE_SEARCH_TIMEOUT": "1",
            "LEADLINE_PAGE_TIMEOUT": "1",
        }.items():
            monkeypatch.setenv(name, value)
        for forget in (forget_settings, forget_endpoints, forget_prices, forget_web):
            forget()
        yield Lab(server, leadline, read_before(unread_docs))
    forget_endpoints()


def grow_impatient(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """Give a model up after so long a silence."""
    for name in ("LEADLINE_FIRST_TOKEN_TIMEOUT", "LEADLINE_TOKEN_TIMEOUT"):
        monkeypatch.setenv(name, str(seconds))
    for forget in (forget_settings, forget_endpoints):
        forget()
