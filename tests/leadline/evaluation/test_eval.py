"""`leadline eval`: settings side by side, a table and eval.json, going on where it stopped, and clear words for bad input."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from leadline.evaluation.evaluate import evaluate
from prompts import template_source
from tests.fakes.forked import Command
from tests.fakes.openai_server import OpenAIServer, error, role_of
from tests.leadline.conftest import Leadline

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "designer",
        "question": "Who designed the wire sounding machine, and why was tallow pressed into the lead?",
        "facts": ["William Thomson", "1872"],
        "gold": ["machine.md"],
        "criteria": [{"text": "Names the designer", "gold": ["machine.md"]}],
    },
    {
        "id": "tallow",
        "question": "Why was tallow pressed into the hollow of the lead?",
        "facts": [["sample of the bottom"]],
    },
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join(map(json.dumps, QUESTIONS)))
    return file


def results(place: str = "eval/set") -> dict[str, Any]:
    return dict(json.loads((Path(place) / "eval.json").read_text("utf-8")))


def test_each_question_of_a_plain_list_gets_a_report(leadline: Leadline, tmp_path: Path, docs: Path) -> None:
    file = tmp_path / "questions.txt"
    asked = [row["question"] for row in QUESTIONS]
    file.write_text("\n".join(asked))
    ran = leadline("eval", file, "--docs", docs, "--jobs", "2", code=0)
    kept = results("eval/questions")
    assert [question["question"] for question in kept["questions"]] == asked
    for question in kept["questions"]:
        assert leadline("verify", question["results"]["default"]["folder"]).code == 0
    assert "supported of all statements" in ran.out
    assert "gold sources" not in ran.out  # no gold is named


def test_one_question_of_two_folders_has_two_reports(leadline: Leadline, tmp_path: Path) -> None:
    rows = []
    for name, metres in (("A", 61), ("a", 75), ("b/../c", 88)):
        folder = tmp_path / f"of-{metres}"
        folder.mkdir()
        (folder / "dam.md").write_text(f"# Kessan dam\n\nThe Kessan dam is {metres} metres high.\n")
        rows.append({"id": name, "question": "How high is the Kessan dam?", "docs": [str(folder)]})
    file = tmp_path / "set.json"
    file.write_text(json.dumps(rows))
    leadline("eval", file, "--depth", "quick", code=0)
    folders = [Path(question["results"]["quick"]["folder"]) for question in results()["questions"]]
    for folder, metres in zip(folders, (61, 75, 88), strict=True):
        assert f"{metres} metres" in (folder / "report.md").read_text("utf-8")
    assert {folder.parts[:-2] for folder in folders} == {("eval", "set", "reports", "quick")}


def test_prompts_that_hide_evidence_find_less(
    leadline: Leadline, endpoint: OpenAIServer, questions: Path, docs: Path, tmp_path: Path
) -> None:
    born = "Where was the designer of the wire sounding machine born?"
    questions.write_text(json.dumps({"question": born, "facts": ["Belfast"], "gold": ["machine.md", "thomson.md"]}))
    blinkered = tmp_path / "blinkered"
    blinkered.mkdir()
    front = '---\nversion: 2\nchangelog: ["1: first version", "2: for a test"]\n---\n'
    seeing, writing = template_source("researcher"), template_source("reporter")
    (blinkered / "researcher.md").write_text(front + seeing.replace(" in passages ", " in passages[:1] "))
    (blinkered / "reporter.md").write_text(front + writing.replace("{% if background %}", "{% if false %}"))
    ran = leadline(
        "eval", questions, "--docs", docs, "--prompts", "built-in", "--prompts", blinkered, "--max-plans", "1"
    )
    assert ran.code == 0, ran.err
    found = {name: one["facts_quoted"]["mean"] for name, one in results()["summary"].items()}
    assert found == {"built-in": 1.0, str(blinkered): 0.0}


def test_two_depths_stand_side_by_side(leadline: Leadline, questions: Path, docs: Path) -> None:
    ran = leadline("eval", questions, "--depth", "quick", "--depth", "standard", "--docs", docs, code=0)
    heading, _, *rows = ran.out.splitlines()
    assert [cell.strip() for cell in heading.strip("|").split("|")] == ["", "quick", "standard", "difference", "p"]
    labels = [row.strip("|").split("|")[0].strip() for row in rows]
    assert {"facts in the report", "gold sources found", "criteria with cited evidence", "model calls"} <= set(labels)
    kept = results()
    assert list(kept["settings"]) == ["quick", "standard"]
    designer = kept["questions"][0]["results"]["standard"]
    assert designer["figures"]["facts_quoted"] == 1.0
    assert designer["figures"]["gold_cited"] == designer["figures"]["gold_found"] == 1.0
    assert designer["figures"]["criteria_cited"] == 1.0
    assert (Path(designer["folder"]) / "evidence.json").exists()
    calls = {name: kept["summary"][name]["calls"]["mean"] for name in kept["settings"]}
    assert calls["quick"] < calls["standard"]
    [differs] = [one for one in kept["differences"] if one["measure"] == "calls"]
    assert differs["difference"]["difference"] == calls["standard"] - calls["quick"]


def test_what_is_done_is_not_asked_again(
    leadline: Leadline, endpoint: OpenAIServer, questions: Path, docs: Path
) -> None:
    leadline("eval", questions, "--docs", docs, "--depth", "quick", code=0)
    asked = len(endpoint.requests)
    questions.write_text(questions.read_text().replace('"1872"', '"1899"'))  # another fact needs no other run
    leadline("eval", questions, "--docs", docs, "--depth", "quick", code=0)
    assert len(endpoint.requests) == asked
    assert results()["questions"][0]["results"]["quick"]["missing_facts"] == ["1899"]
    assert leadline("eval", questions, "--docs", docs, "--depth", "quick", "--depth", "standard").code == 0
    assert endpoint.roles[asked:].count("coordinator") == len(QUESTIONS)


def test_an_evaluation_that_was_killed_goes_on_where_it_stopped(
    leadline: Leadline, endpoint: OpenAIServer, questions: Path, docs: Path
) -> None:
    given = ["eval", str(questions), "--docs", str(docs), "--depth", "quick", "--depth", "standard"]
    child = Command(given)

    def kill(number: int) -> None:
        if endpoint.roles[number - 1] == "reflector":  # amid the second run
            child.send_signal(signal.SIGKILL)
            child.wait(30)

    endpoint.on_request = kill
    child.communicate(timeout=90)
    assert child.returncode == -signal.SIGKILL
    endpoint.on_request = None
    leadline(*given, code=0)
    assert endpoint.roles.count("coordinator") == 4
    assert endpoint.roles.count("planner") == 1
    first = results()["questions"][0]["results"]
    assert [first[depth]["figures"]["gold_found"] for depth in ("quick", "standard")] == [1.0, 1.0]


def test_a_run_that_fails_counts_as_nothing_found(
    leadline: Leadline, endpoint: OpenAIServer, questions: Path, docs: Path
) -> None:
    gone = error(404, "no such model", "model_not_found")
    first = json.loads(questions.read_text().splitlines()[0])["question"]
    endpoint.choose = lambda body: (
        gone if role_of(body) == "coordinator" and first in body["messages"][-1]["content"] else None
    )
    ran = leadline("eval", questions, "--docs", docs)
    endpoint.choose = None
    assert ran.code == 1
    assert "1 of 2" in next(line for line in ran.out.splitlines() if "without a report" in line)
    failed = results()["questions"][0]["results"]["default"]
    assert "LEADLINE_MODEL" in failed["error"]
    assert failed["figures"]["facts_stated"] == 0
    assert failed["missing_facts"] == ["William Thomson", "1872"]
    assert leadline("eval", questions, "--docs", docs).code == 0  # which tries it again
    assert results()["failed"] == {"default": 0}


def test_a_question_that_needs_no_research_has_no_report(
    leadline: Leadline, tmp_path: Path, docs: Path, endpoint: OpenAIServer
) -> None:
    greeting = {"reason": "r", "intent": "greeting", "reply": "Hello.", "locale": "en"}
    endpoint.script["coordinator"] = [json.dumps(greeting)]
    file = tmp_path / "greeting.jsonl"
    file.write_text('{"question": "Hello!", "facts": ["x"]}')
    leadline("eval", file, "--docs", docs, code=1)
    assert "without research" in results("eval/greeting")["questions"][0]["results"]["default"]["error"]


def test_each_setting_has_a_folder_of_reports_and_json_is_eval_json(
    leadline: Leadline, questions: Path, docs: Path
) -> None:
    given = ["--docs", docs, "--questions", "1", "--out", "elsewhere"]
    ran = leadline("eval", questions, *given, "--model", "offline", "--model", "openai:offline", "--json")
    assert ran.code == 1  # the second has no endpoint
    assert "no endpoint is set" in ran.err
    ran = leadline("eval", questions, *given, "--prompts", "built-in", "--json", code=0)
    assert json.loads(ran.out) == results("elsewhere")
    assert (Path("elsewhere") / "reports" / "default").is_dir()


def test_other_choices_under_the_same_name_are_refused(leadline: Leadline, questions: Path, docs: Path) -> None:
    assert leadline("eval", questions, "--docs", docs, "--questions", "1").code == 0
    ran = leadline("eval", questions, "--docs", docs, "--questions", "1", "--max-tokens", "9000", code=2)
    assert "with other choices" in ran.err
    assert "--out" in ran.err


def test_a_home_without_the_runs_says_so(
    leadline: Leadline, questions: Path, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.run.settings import forget_settings

    assert leadline("eval", questions, "--docs", docs, "--questions", "1").code == 0
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "another"))
    forget_settings()
    ran = leadline("eval", questions, "--docs", docs, "--questions", "1", code=2)
    assert "Set LEADLINE_HOME" in ran.err


def test_a_chinese_set_is_tabled_in_chinese(leadline: Leadline, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "lamp.md").write_text("# 灯塔\n\n瓦恩霍姆灯塔在1871年以前一直燃烧菜籽油。守塔人每晚修剪灯芯。\n")
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps({"question": "瓦恩霍姆灯塔燃烧的是什么油？", "facts": ["菜籽油", "鲸油"]}))
    ran = leadline("eval", file, "--docs", folder, "--depth", "quick", "--depth", "standard", code=0)
    heading, rule, *rows = ran.out.splitlines()
    assert [cell.strip() for cell in heading.strip("|").split("|")] == ["", "quick", "standard", "差异", "p"]
    assert {"报告中的事实", "模型调用", "没有报告的问题"} <= {row.strip("|").split("|")[0].strip() for row in rows}
    assert {cell_len(row) for row in rows} == {len(rule)}  # a Chinese character takes two columns
    assert "已写入" in ran.err
    assert "条论断" in ran.err
    assert results()["locale"] == "zh-CN"


async def test_the_folder_of_an_evaluation_may_be_a_text(tmp_path: Path) -> None:
    assert (await evaluate([], [], {}, str(tmp_path / "eval"), name="none")).questions == []
    assert (tmp_path / "eval").is_dir()
