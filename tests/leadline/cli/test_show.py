"""`leadline runs show`: the timeline of a run, in the terminal."""

import io
import json
import re
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from leadline import aresearch, research
from leadline.cli.run_summary import summary
from leadline.runs.actions import aresume, atimeline
from leadline.runs.store import RunRecord
from leadline.runs.timeline import Timeline
from schemas.reporter import Report
from schemas.usage import CallUsage, Usage
from services.run.errors import ModelError
from services.run.journal import Entry, Journal, Recording
from services.run.log import INSTANT
from tests.conftest import PROJECT
from tests.fakes.openai_server import OpenAIServer, error
from tests.leadline.conftest import Leadline

QUESTION = "Where was the designer of the wire sounding machine born?"


def entry(kind: str, at: str, seconds: float, **more: object) -> Entry:
    about = {"kind": kind, "name": kind, "place": "1:x", "request": "", "occurrence": 0, "at": at, "seconds": seconds}
    return Entry.model_validate({**about, **more})


def test_calls_stand_in_the_order_in_which_they_began() -> None:
    timeline = Timeline.of(
        [
            entry("model", "2026-01-01T00:00:10+00:00", 4),
            entry("search", "2026-01-01T00:00:09+00:00", 7, error=("SearchError", "down")),
            entry("clock", "2026-01-01T00:00:01+00:00", 0),
        ]
    )
    assert [(span.kind, span.start, span.end, span.failed) for span in timeline.spans] == [
        ("search", 0.0, 7.0, "SearchError"),
        ("model", 4.0, 8.0, ""),
    ]
    assert timeline.seconds == 8.0
    assert timeline.by_kind() == [("search", 1, 7.0), ("model", 1, 4.0)]


def test_a_runs_calls_are_listed_with_their_places(docs: Path, leadline: Leadline) -> None:
    report = research(QUESTION, docs=[docs])
    ran = leadline("runs", "show", report.run_id, "--calls", code=0)
    for place in ("  coordinator", "  researcher 1", "  reporter"):
        assert place in ran.out
    assert "  rules " in ran.out
    assert not re.search("tokens|model ", ran.out), "none was called"


def test_a_run_is_shown_in_five_lines(docs: Path, leadline: Leadline, endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = ["It was designed by William Thomson in 1872 [B0-1].\n\nMore [B0-1]."]
    leadline("research", "Who designed the machine?", "--docs", docs, "--quick", "--format", "html")
    ran = leadline("runs", "show")
    lines = ran.out.splitlines()
    assert lines[:2] == [
        "Question: Who designed the machine?",
        "Answer: It was designed by William Thomson in 1872.",
    ]
    assert [line.partition(":")[0] for line in lines] == ["Question", "Answer", "Sources", "Cost", "Files"]
    assert re.search(r"cited: 1; .*statement", lines[2])
    assert re.search(r"\$0\.0\d+; model calls: 2; tokens: [\d,]+ in, [\d,]+ out; time: \d", lines[3])
    assert lines[4].endswith("out/who-designed-the-machine (evidence.json, report.html, report.md)")
    assert "--calls" in ran.err


def test_a_model_that_gave_no_text_is_not_told_to_be_connected(
    docs: Path, leadline: Leadline, endpoint: OpenAIServer
) -> None:
    endpoint.choose = lambda _: " "
    ran = leadline("research", "Who designed the machine?", "--docs", docs, "--quick")
    assert "leadline init" not in ran.err
    shown = leadline("runs", "show").out
    assert "gave no text for the report" in shown
    assert "Cost: $" in shown


def test_requests_that_were_given_up_are_no_run_without_a_model() -> None:
    lost = Usage(total=CallUsage(abandoned=2, abandoned_tokens=2_957))
    report = Report(title="t", markdown="# t", by_rules=True, usage=lost)
    assert not report.without_model
    record = RunRecord(id="1", question="q")
    cost = dict(summary(record, {"report": report, "usage": lost}))["Cost"]
    assert cost.endswith("abandoned: 2 calls, about 2,957 tokens that a provider may charge")


def test_a_run_without_a_model_is_said_to_cost_nothing(
    docs: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_MODEL", "offline")
    leadline("research", "Who designed the machine?", "--docs", docs, "--quick")
    assert "the report shows the closest passages" in leadline("runs", "show").out
    [file] = docs.parent.rglob("evidence.json")
    sources = json.loads(file.read_text())["sources"]
    originals = [source for source in sources if not source.get("duplicate_of")]
    assert len(originals) < len(sources)
    assert f"Sources: {len(originals)}, cited" in leadline("runs", "show").out
    ran = leadline("research", "Which quasar spins fastest?", "--docs", docs, "--quick", code=3)
    assert "or another search with --search NAME; leadline doctor --all lists them" in ran.err
    shown = leadline("runs", "show").out
    assert "Answer: No passages close to this were found." in shown
    assert re.search(r"Sources: \d+, cited: 0; no statements\n", shown)
    assert re.search(r"Cost: nothing, no model was called; time: \d", leadline("runs", "show").out)


def test_a_run_that_waits_says_how_to_go_on(docs: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    waiting = leadline("research", "测深机的设计者在哪里出生？", "--docs", docs, "--review", code=130)
    assert "leadline resume" in waiting.err
    run, state, *_ = leadline("runs").out.split()
    assert state == "waiting"
    ran = leadline("runs", "show")
    assert f"leadline resume {run}" in ran.out
    assert ran.out.startswith("问题：测深机")


def test_a_follow_up_that_is_not_finished_does_not_show_the_report_before(
    docs: Path, leadline: Leadline, endpoint: OpenAIServer
) -> None:
    leadline("research", QUESTION, "--docs", docs, "--quick", code=0)
    endpoint.script["coordinator"] = [error(401, "no", "no")]
    leadline("follow", "And when did he die?", code=1)
    ran = leadline("runs", "show")
    assert "Answer: none yet, the status of the run is failed" in ran.out
    assert "Sources: -" in ran.out


async def test_a_slow_run_explains_itself(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script = {
        "planner": [error(429, "slow down", "rate", retry_after="0.2")],
        "reporter": [error(401, "no", "no")],
    }
    with pytest.raises(ModelError):
        await aresearch(QUESTION, docs=[docs], run_id="the-run")
    report = await aresume("the-run")
    _, timeline = await atimeline("the-run")
    plan = next(one for one in timeline.spans if one.where == "planner" and one.kind == "model")
    assert plan.faults == ("busy: HTTP 429",)
    assert plan.waited >= 0.2
    assert plan.seconds >= plan.waited
    text = "\n".join(timeline.lines())
    assert "tried again after the endpoint takes no more requests at present: HTTP 429" in text
    assert "░" in text
    total = report.usage.total
    assert f"{total.input_tokens:,} tokens in, {total.output_tokens:,} out" in text
    assert total.cost
    assert f"${total.cost:.4f}" in text


async def test_what_a_resumed_run_did_not_ask_again_is_told() -> None:
    store = InMemoryStore()

    async def work() -> Usage:
        return Usage()

    for _ in range(2):  # the same task, once before a crash and once after it
        journal = Journal(store, "key", "task", "1:planner")
        await journal.once("model", "planner", {"asked": 1}, Usage, work)
    timeline = Timeline.of((await Recording.load(store, "key", "the-run")).entries.values(), "zh-CN")
    assert [span.reused for span in timeline.spans] == [1]
    assert "续跑时未重复请求" in "\n".join(timeline.lines())


def test_every_refusal_has_its_reason() -> None:
    used = {"input_tokens": 100, "output_tokens": 10, "abandoned": 2, "abandoned_tokens": 1_200}
    answers: list[dict[str, object]] = [
        {"used": used, "requests": 4, "faults": ["HTTP 429", "unreached", "silent"]},
        {"asked_because": "unusable: `steps` is missing"},
        {"asked_because": "cut_off"},
    ]
    entries = [
        entry("model", f"2026-01-01T00:00:0{second}+00:00", 1, answer=answer)
        for second, answer in enumerate(answers, 1)
    ]
    timeline = Timeline.of([*entries, entry("verify", "2026-01-01T00:00:05+00:00", 0, answer={})])
    text = "\n".join(timeline.lines())
    assert "[tried again after HTTP 429, the endpoint was not reached, the model sent nothing for too long]" in text
    assert "[asked again: the answer could not be used: `steps` is missing]" in text
    assert "[asked again: the answer was cut off]" in text
    assert "abandoned: 2 calls, about 1,200 tokens that a provider may charge" in text
    assert "verify" not in dict.fromkeys(span.kind for span in timeline.spans)


def test_each_kind_of_call_has_a_name_in_chinese() -> None:
    kinds = set(_calls_of(PROJECT / "services") | _calls_of(PROJECT / "nodes")) - INSTANT
    assert {"model", "gather", "search", "page", "tool", "code"} <= kinds
    named = Timeline([], "zh-CN")
    assert [kind for kind in sorted(kinds) if named.called(kind) == kind] == []


def _calls_of(folder: Path) -> set[str]:
    """Return the kinds of the journal's entries that code of a folder writes, formatted ones as they are written."""
    written = r'\.(?:once|decided|mark)\(\s*f?"([^"]+)"'
    return {kind for file in folder.rglob("*.py") for kind in re.findall(written, file.read_text("utf-8"))}
