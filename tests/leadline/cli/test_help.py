"""The help teaches by examples that work, suggests what was meant, and shells complete what it knows."""

import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_group

from leadline.cli.app import loaded
from leadline.cli.command_list import COMMANDS, EXAMPLES, MOVED
from leadline.cli.options import FLAGS
from services.run.settings import forget_settings
from tests.leadline.conftest import Leadline

QUESTION = "Who designed the sounding machine?"
LIVE = {"serve", "follow", "init", "doctor", "mcp", "resume", "revise"}
"""Commands whose examples other tests run, with what they need."""


def test_every_command_has_examples_and_shows_them(leadline: Leadline) -> None:
    below = {f"runs {name}" for name in loaded("runs").commands}
    assert {*COMMANDS, *below} == EXAMPLES.keys()
    for name in EXAMPLES:
        ran = leadline(*name.split(), "--help", code=0)
        for _, line in EXAMPLES[name]:
            assert "".join(line.split()) in "".join(ran.out.split())


def test_the_help_of_research_fits_two_screens_and_the_rest_stands_in_the_whole_one(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = leadline("research", "--help").out, leadline("research", "--help-all").out
    assert len(short.splitlines()) <= 2 * 24
    names = [flag.name or f"--{name.replace('_', '-')}" for name, flag in FLAGS.items()]
    shown = [name for name in names if f"│ {name} " in short]
    assert shown == [name for name, flag in zip(names, FLAGS.values(), strict=True) if not flag.rare]
    assert all(f"│ {name} " in whole for name in names)
    assert "--words" not in leadline("research", "--help").out


@pytest.mark.parametrize("module", dict.fromkeys(listed.module for listed in COMMANDS.values()))
def test_each_module_has_the_commands_that_are_listed_as_its_own(module: str) -> None:
    names = list(get_group(import_module(f"leadline.cli.{module}").commands).commands)
    assert names == [name for name, listed in COMMANDS.items() if listed.module == module]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_as_its_own_help_begins(name: str) -> None:
    assert loaded(name).help.split("\n\n")[0] == COMMANDS[name].summary


def test_the_examples_work(leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("papers").symlink_to(docs)
    Path("question.txt").write_text(QUESTION)
    monkeypatch.setenv("LEADLINE_SANDBOX", "isolated")
    monkeypatch.setenv("LEADLINE_DOCS", str(docs))
    forget_settings()
    Path("set.jsonl").write_text(json.dumps({"question": QUESTION, "facts": ["Thomson"]}))
    Path("questions.txt").write_text(QUESTION)
    below = ["runs show", "runs export", "runs replay", "runs forget"]
    order = ["demo", "research", "runs", *below, "watch", "verify", "eval"]
    assert {*order, *LIVE} == EXAMPLES.keys()
    for name in order:
        for _, line in EXAMPLES[name]:
            words, _, source = line.partition(" < ")
            arguments = [
                found
                for one in shlex.split(words)[1:]
                for found in (map(str, Path().glob(one)) if "*" in one else [one])
            ]
            if name == "demo":
                arguments += ["--seconds", "0"]
            if "article.md" in arguments:
                Path("article.md").write_text((Path(arguments[-1]) / "report.md").read_text())
            with (Path(source) if source else Path(os.devnull)).open() as stdin:
                monkeypatch.setattr("sys.stdin", stdin)
                ran = leadline(*arguments)
            waiting = 130 if "--review" in arguments else 0
            assert ran.code == waiting, f"{line}: {ran.err}"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["reserch", QUESTION], "research"),
        (["docter"], "doctor"),
        (["research", QUESTION, "--doc", "x"], "--docs"),
        (["research", QUESTION, "--max-step", "3"], "--max-steps"),
        (["runs", "export", "--fromat", "html"], "--format"),
        (["runs", "shwo"], "show"),
    ],
)
def test_what_is_mistyped_gets_a_suggestion(leadline: Leadline, arguments: list[str], meant: str) -> None:
    ran = leadline(*arguments, code=2)
    assert meant in ran.err


def test_a_question_without_a_command_is_told_which_one_researches_it(leadline: Leadline) -> None:
    told = leadline(QUESTION, "--docs", "x", code=2).err
    assert told == f'leadline: There is no such command. To research a question: leadline research "{QUESTION}"\n'


def test_flags_are_shown_without_a_value(leadline: Leadline) -> None:
    helps = [leadline(*command, "--help").out for command in ([], ["research"], ["runs"], ["runs", "forget"])]
    assert not [text for text in helps if "<bool>" in text or "--help" not in text]


@pytest.mark.parametrize("name", MOVED)
def test_an_earlier_command_names_the_present_one(leadline: Leadline, name: str) -> None:
    for arguments in ([], ["--help"], ["x", "--json"]):
        ran = leadline(name, *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == f"leadline: `leadline {name}` is now: {MOVED[name]}\n"
    program, command, *_ = MOVED[name].split()
    assert (program, command in COMMANDS) == ("leadline", True)
    assert f"│ {name} " not in leadline("--help").out


def test_the_version_is_told(leadline: Leadline) -> None:
    assert leadline("--version").out.startswith("leadline 0.")


def completed(words: list[str], shell: str = "bash") -> list[str]:
    """Return what a shell would propose for the last word, asked as its completion script asks."""
    environment = {
        **os.environ,
        "_LEADLINE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": " ".join(["leadline", *words]),
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": " ".join(["leadline", *words]),
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [str(Path(sys.executable).with_name("leadline"))],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout.split("\n")


def test_commands_and_runs_are_completed(leadline: Leadline, docs: Path) -> None:
    assert leadline("research", QUESTION, "--docs", docs).code == 0
    run = leadline("runs").out.split()[0]
    assert "research" in completed(["rese"])
    assert run in completed(["runs", "show", run[:6]])
