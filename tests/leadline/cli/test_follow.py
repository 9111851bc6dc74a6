"""Asking further from the command line: by number or in words, after the latest run or a named one."""

import json
from pathlib import Path

from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline

FIRST = "Who designed the wire sounding machine in 1872, and where was it tried first?"


def test_a_follow_up_goes_on_with_the_latest_run_and_its_choices(leadline: Leadline, docs: Path) -> None:
    leadline("research", FIRST, "--docs", docs, "--locale", "zh-CN")
    ran = leadline("follow", "What took the place of hemp rope in the machine?", code=0)
    assert "Piano wire took the place of hemp rope" in ran.out
    assert "前几轮" in ran.out
    [folder] = [one for one in Path("out").iterdir() if one.name.startswith("what-took")]
    assert leadline("verify", folder).code == 0


def test_a_number_asks_a_recommended_question_of_a_named_run(
    leadline: Leadline, docs: Path, endpoint: OpenAIServer
) -> None:
    further = "Where was the wire tried first?"
    others = ["1872 and after: who used the machine?", "3.5 km: who went deeper?"]
    endpoint.script["reporter"] = [
        f"It was designed by William Thomson in 1872 [B0-1].\n\n===\n1. {further}\n" + "\n".join(others)
    ]
    first = json.loads(leadline("research", FIRST, "--docs", docs, "--quick", "--json").out)
    assert first["follow_up_questions"] == [further, *others]
    leadline("research", "Why was tallow pressed into the lead?", "--docs", docs, "--quick")
    ran = leadline("follow", first["run_id"], "1", "--json")
    assert json.loads(ran.out)["question"] == further
    refused = leadline("follow", first["run_id"], "7")
    assert (refused.code, "recommends no question 7" in refused.err) == (2, True)


def test_a_run_without_words_is_no_question(leadline: Leadline, docs: Path) -> None:
    run_id = json.loads(leadline("research", FIRST, "--docs", docs, "--quick", "--json").out)["run_id"]
    for command in ("follow", "revise"):
        ran = leadline(command, run_id)
        assert (ran.code, ran.err) == (
            2,
            f"leadline: {run_id} names a run, and no words follow it. Write them behind it, in quotes.\n",
        )


def test_an_empty_name_of_a_run_is_not_the_latest(leadline: Leadline, docs: Path) -> None:
    leadline("research", "Who designed the sounding machine?", "--docs", docs, "--quick", code=0)
    for command in (
        ["follow", "", "Where was he born?"],
        ["follow", "", "--write"],
        ["revise", "", "--shorter"],
        ["revise", "", "Shorter"],
    ):
        assert "There is no run ''." in leadline(*command, code=2).err


def test_words_without_quotes_are_one_question(leadline: Leadline, docs: Path) -> None:
    first = json.loads(leadline("research", *FIRST.split(), "--docs", docs, "--quick", "--json").out)
    assert first["question"] == FIRST
    further = "What took the place of hemp rope?"
    for run in ([], [first["run_id"]]):
        ran = leadline("follow", *run, *further.split(), "--json")
        assert json.loads(ran.out)["question"] == further
