"""`leadline revise`: a finished report is changed in words, its sentences are checked again, and every version is kept."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.editing import blocks_in, edits, whole
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline, document, without_model

QUESTION = "What closed the northern pier, and for how long?"
STORMS = "Storms closed the northern pier for some weeks of the winter."
FERRY = "The ferry to the island was moved to the southern pier on 3 March 1921."
HALF = f"# The northern pier was closed by storms\n\n## What happened\n\n{STORMS} [B0-1]"
BODY = f"{HALF}\n\n## The ferry\n\n{FERRY} [B0-1]"


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run of two sections."""

    id: str
    folder: str


@pytest.fixture
def run(leadline: Leadline, endpoint: OpenAIServer) -> Run:
    papers = document("pier.md", f"# The pier\n\n{STORMS} {FERRY}\n")
    endpoint.script["reporter"] = [BODY]
    ran = leadline("research", QUESTION, "--docs", papers, "--quick", "--out", "out", "--json", code=0)
    made = json.loads(ran.out)
    assert [claim["status"] for claim in made["citations"]].count("quoted") == 2
    return Run(made["run_id"], made["folder"])


def revising(endpoint: OpenAIServer, text: str, locale: str = "") -> None:
    endpoint.script["reporter_editing"] = [whole(text, locale=locale)]


def dropping(*headings: str) -> Callable[[dict[str, Any]], str]:
    """Answer by dropping sections of one paragraph."""

    def answer(body: dict[str, Any]) -> str:
        blocks = blocks_in(body)
        heads = [key for key, text in blocks.items() if text.lstrip("# ") in headings]
        return edits(*({"block": key, "until": f"B{int(key[1:]) + 1}", "action": "drop"} for key in heads))

    return answer


def test_a_version_is_written_of_what_the_model_is_shown_and_the_former_one_is_kept(
    leadline: Leadline, endpoint: OpenAIServer, run: Run
) -> None:
    before = (Path(run.folder) / "report.md").read_text()
    revising(endpoint, HALF)
    ran = leadline("revise", run.id, "Without the ferry", code=0)
    [human] = endpoint.asked("reporter_editing")
    assert "<instruction>\nWithout the ferry\n</instruction>" in human
    assert f"{STORMS[:-1]} [B0-1]." in human
    assert f"{STORMS} {FERRY}" in human
    assert not [one for one in ("[[1]]", "## References", "quote checked") if one in human]

    after = (Path(run.folder) / "report.md").read_text()
    assert after in ran.out
    assert STORMS[:-1] in after
    assert "ferry" not in after.partition("## References")[0].partition("\n")[2]
    assert leadline("verify", run.folder).code == 0
    assert leadline("runs", "show", run.id, "--version", "1").out.strip() == before.strip()
    assert leadline("runs", "show", run.id, "--version", "2").out.strip() == after.strip()
    for version in ("1", "2"):
        checked = leadline("verify", run.id, "--version", version, code=0)
        assert f"version {version}: everything holds" in checked.out
    assert "version 2: everything holds" in leadline("verify", run.id).out
    assert "2  Without the ferry" in leadline("runs", "show", run.id).out


def test_a_translation_has_its_own_language_in_headings_and_is_checked_by_meaning(
    leadline: Leadline, endpoint: OpenAIServer, run: Run
) -> None:
    revising(endpoint, f"# 码头\n\n1921年3月3日，前往该岛的渡轮改停南码头。[B0-1]\n\n> {FERRY} [B0-1]", locale="zh-CN")
    ran = leadline("revise", run.id, "Translate into Chinese", code=0)
    assert "## 参考来源" in ran.out
    assert "## References" not in ran.out
    assert leadline("verify", run.id).code == 0


def test_the_language_that_an_option_names_holds(leadline: Leadline, endpoint: OpenAIServer, run: Run) -> None:
    revising(endpoint, f"# Der Pier\n\n{STORMS} [B0-1]")
    made = json.loads(leadline("revise", run.id, "Auf Deutsch", "--locale", "de-DE", "--json").out)
    assert made["locale"] == "de-DE"
    assert leadline("revise", run.id, "Auf Deutsch", "--locale", "<script>").code == 2


def test_a_model_that_fails_leaves_the_report_as_it_was(leadline: Leadline, endpoint: OpenAIServer, run: Run) -> None:
    endpoint.fault = lambda _, role, __: (
        Reply(401, {"error": {"message": "no"}}) if role == "reporter_editing" else None
    )
    leadline("revise", run.id, "Shorter", code=1)
    assert leadline("runs", "show", run.id, "--version", "1").code == 0
    assert leadline("verify", run.folder).code == 0
    assert "interrupted" not in leadline("runs").out


def test_a_version_can_be_changed_again_and_replayed(leadline: Leadline, endpoint: OpenAIServer, run: Run) -> None:
    revising(endpoint, f"# The pier\n\n{STORMS} [B0-1] {FERRY} [B0-1]")
    leadline("revise", run.id, "Without headings")
    revising(endpoint, f"# The ferry\n\n{FERRY} [B0-1]")
    last = leadline("revise", run.id, "Only the ferry", code=0)
    assert leadline("runs", "show", run.id, "--version", "3").out == last.out
    calls = len(endpoint.requests)
    replayed = leadline("runs", "replay", run.id)
    assert replayed.out == last.out
    assert len(endpoint.requests) == calls
    made = leadline("runs", "export", run.id, "--version", "1", "--format", "html")
    page = Path(made.out.strip())
    assert page.parent.name.endswith("-version-1")
    assert FERRY in page.read_text()
    assert leadline("verify", page.parent, run.folder).code == 0


def test_a_section_is_left_out_by_its_heading_without_a_call(
    leadline: Leadline, endpoint: OpenAIServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = len(endpoint.requests)
    ran = leadline("revise", run.id, "--without", "The ferry", code=0)
    assert ran.err.count("Changing the report") == 1
    assert STORMS[:-1] in ran.out
    assert "## The ferry" not in ran.out
    assert len(endpoint.requests) == calls
    assert leadline("verify", run.id).code == 0
    assert "2  Without the section “The ferry”" in leadline("runs", "show", run.id).out
    assert leadline("runs", "replay", run.id).out == ran.out
    without_model(monkeypatch)
    missing = leadline("revise", run.id, "--without", "Costs", code=2)
    assert "no section “Costs”. Its sections: What happened." in missing.err


def test_a_new_version_makes_the_files_of_the_former_one_anew_and_leaves_those_that_somebody_changed(
    leadline: Leadline, run: Run
) -> None:
    folder = Path(run.folder)
    leadline("runs", "export", run.id, "--format", "md,html,slides,csl", code=0)
    leadline("runs", "export", run.id, "--format", "md", code=0)
    assert "3 exported files" in leadline("verify", folder, code=0).out
    leadline("revise", run.id, "--without", "The ferry", code=0)
    assert "3 exported files" in leadline("verify", folder, code=0).out
    assert "<h2>The ferry" not in (folder / "report.html").read_text()
    for name in ("report.html", "slides.html", "references.json"):
        file, kept = folder / name, (folder / name).read_bytes()
        file.write_bytes(kept + b" ")
        ran = leadline("runs", "export", run.id, "--version", "2", "--out", "out", "--format", "md", code=0)
        assert Path(ran.out.strip()).absolute() == Path(f"{folder}-2/report.md").absolute()
        assert file.read_bytes() == kept + b" "
        file.write_bytes(kept)


def test_without_a_model_a_report_is_shortened_to_the_beginning_of_its_sections(
    leadline: Leadline, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = document("pier.md", f"# The pier\n\n{STORMS} {FERRY}\n")
    more = f"{STORMS} [B0-1] {STORMS} [B0-1]\n\n{FERRY} [B0-1]"
    endpoint.script["reporter"] = [f"# The pier\n\n{STORMS} [B0-1]\n\n## What happened\n\n{more}"]
    assert leadline("research", QUESTION, "--docs", papers, "--quick").code == 0
    without_model(monkeypatch)
    ran = leadline("revise", "--shorter", code=0)
    assert FERRY[:-1] not in ran.out.partition("## References")[0]
    assert ran.out.count(STORMS[:-1]) == 3
    assert "no section has more than its beginning" in leadline("revise", "--shorter", code=2).err


def test_without_a_model_changes_in_words_say_that_one_is_needed(
    leadline: Leadline, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_model(monkeypatch)
    for request, said in (("Drop the section “The ferry”", "needs a language model"), ("翻译成英文", "需要语言模型")):
        ran = leadline("revise", run.id, request, code=2)
        assert said in ran.err
        assert "--shorter" in ran.err
        assert "What happened; The ferry" in ran.err
    assert leadline("runs", "show", run.id, "--version", "2").code == 2


def test_an_answer_without_research_is_not_changed_and_the_message_is_in_its_language(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    greeting = {"reason": "r", "intent": "greeting", "reply": "你好。", "locale": "zh-CN"}
    endpoint.script["coordinator"] = [json.dumps(greeting)]
    assert leadline("research", "你好，请问你是谁？", "--quick").code == 0
    ran = leadline("revise", "--shorter", code=2)
    assert "未经研究即已答复" in ran.err
    assert "leadline runs" in ran.err


def test_bad_input_is_answered_with_one_message(leadline: Leadline, run: Run) -> None:
    for arguments, said in (
        (("revise", run.id, " "), "Say what to change"),
        (("revise", run.id, "x" * 3_000), "2,000 characters"),
        (("revise", run.id, "Make it shorter", "--without", "The ferry"), "one change at a time"),
        (("revise", run.id, "--shorter", "--without", "The ferry"), "one change at a time"),
        (("revise",), "Say what to change"),
        (("runs", "show", run.id, "--version", "7"), "the latest is 1"),
        (("verify", run.id, "--version", "7"), "the latest is 1"),
        (("verify", "19990101-000000"), "There is no run"),
        (("verify", run.id, "--judge"), "--judge checks"),
        (("verify", run.id, run.id, "--version", "1"), "name exactly one run"),
    ):
        ran = leadline(*arguments)
        assert ran.code == 2, arguments
        assert said in ran.err
