"""Whole runs whose step is a program: refused where nothing isolates it, and marked where it ran without isolation."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from services.sandbox import sandbox as module
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.graph.test_tools import COMPUTE, call, plan, run

pytestmark = pytest.mark.long

QUESTION = "What is the mean depth of the Challenger soundings in the table?"


@pytest.fixture(autouse=True)
def computing(endpoint: OpenAIServer) -> None:
    endpoint.script["planner"] = [plan(COMPUTE.model_copy(update={"tools": []}))]


@pytest.fixture
def leaky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the filter of system calls let everything through, as a kernel without seccomp would."""
    monkeypatch.setattr(module, "_isolated", set[Path]())
    monkeypatch.setattr(module, "filter_program", lambda _: bytes.fromhex("06000000" + "0000ff7f"))


@pytest.mark.usefixtures("leaky")
async def test_a_program_is_refused_where_a_canary_escapes_and_the_report_says_why_and_what_to_do(docs: Path) -> None:
    report = await aresearch(QUESTION, docs=[docs])
    assert report.usage.code_runs == 0
    [said] = [line for line in report.limits if "Code is not run" in line]
    assert "not stopped: " in said
    assert "a unix socket" in said
    assert "LEADLINE_SANDBOX=unsafe" in said
    assert "Code is not run" in report.markdown
    assert not [source for source in report.sources if source.kind == "computation"]


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en-US", "Model-written code ran without isolation (LEADLINE_SANDBOX=unsafe)"),
        ("zh-CN", "没有隔离的情况下运行"),
    ],
)
async def test_code_that_ran_without_isolation_is_marked_in_the_report_and_in_the_evidence(
    locale: str, words: str, docs: Path, tmp_path: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_SANDBOX="unsafe")
    report = await aresearch(QUESTION, docs=[docs], out=tmp_path / "out", locale=locale)
    assert report.usage.code_runs > 0
    assert words in report.markdown
    folder = Path(report.folder or "")
    assert any(words in one for one in json.loads((folder / "evidence.json").read_text())["limits"])
    [computation] = [source for source in report.sources if source.kind == "computation"]
    assert "It ran without isolation" in (folder / computation.file).read_text()


async def test_code_that_a_tool_ran_without_isolation_is_marked_in_a_replay_too(
    endpoint: OpenAIServer, docs: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_SANDBOX="unsafe", LEADLINE_MODEL="test-model")
    code = "print(f'The mean of the two depths is {(8184 + 7137) / 2} m.')"
    said = "The mean of the two depths is 7660.5 m."
    report = await run(endpoint, docs, COMPUTE, coder=[call("run_python", code=code), said])
    assert report.usage.unisolated_runs == report.usage.code_runs == 1
    assert "ran without isolation" in report.markdown
    assert (await areplay(report.run_id)).markdown == report.markdown
