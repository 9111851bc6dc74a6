"""`leadline research --memory` and `leadline runs forget`: remembered, used by a later run, shown, and forgotten."""

import json
from pathlib import Path

import pytest

from leadline import research
from tests.leadline.conftest import Leadline

QUESTION = "Who designed the wire sounding machine?"


def test_the_command_remembers_uses_shows_and_forgets(docs: Path, tmp_path: Path, leadline: Leadline) -> None:
    assert leadline("runs", "forget").err.startswith("Nothing is remembered.")
    first = leadline("research", QUESTION, "--docs", docs, "--memory", "--out", tmp_path / "first")
    assert (first.code, "known from" in first.out) == (0, False)
    second = leadline("research", QUESTION, "--search", "none", "--memory", "--out", tmp_path / "second", code=0)
    assert "memory 1" in second.err
    assert "known from 20" in second.out
    [bundle] = (tmp_path / "second").iterdir()
    verified = leadline("verify", bundle)
    assert (verified.code, "everything holds" in verified.out) == (0, True)

    listed = leadline("runs", "forget").out
    assert "designed by William Thomson" in listed
    assert "The wire sounding machine (papers/machine.md)" in listed
    [shown, *others] = json.loads(leadline("runs", "forget", "--json").out)
    assert shown["quotes"][0]
    forgotten = leadline("runs", "forget", shown["id"][:6])
    assert (forgotten.code, forgotten.err.startswith(f"Forgotten: {shown['id']}")) == (0, True)
    assert len(json.loads(leadline("runs", "forget", "--json").out)) == len(others)


@pytest.fixture
def remembered(docs: Path) -> None:
    research(QUESTION, docs=[docs], memory=True)


@pytest.mark.usefixtures("remembered")
def test_what_cannot_be_forgotten_is_said_in_one_message(leadline: Leadline) -> None:
    for arguments, said in (
        (("zzzz",), "Nothing is remembered under 'zzzz'"),
        (("",), "Nothing is remembered under ''"),
        (("--all",), "of the memory. To confirm, add --yes."),
        (("zzzz", "--all"), "not both"),
    ):
        ran = leadline("runs", "forget", *arguments)
        assert (ran.code, said in ran.err, ran.out) == (2, True, "")
    assert json.loads(leadline("runs", "forget", "--json").out)
    ran = leadline("runs", "forget", "--all", "--yes")
    assert (ran.code, ran.err.startswith("Forgotten: ")) == (0, True)
    assert leadline("runs", "forget", "--json").out == "[]\n"
