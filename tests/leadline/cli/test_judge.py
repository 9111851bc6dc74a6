"""`leadline verify --judge`: a model is asked of the sentences of a stored report."""

import json
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline, document, without_model
from tests.services.reports.checking.tampering import edit

QUESTION = "What closed the northern pier?"
SOURCE = "Storms closed the northern pier for some weeks of the winter."

BESIDE = "Nobody was hurt when its lamp fell."


@pytest.fixture
def folder(leadline: Leadline, endpoint: OpenAIServer) -> str:
    """A report of two statements, of which the second is in its own words."""
    papers = document("pier.md", f"# The pier\n\n{SOURCE} {BESIDE}\n")
    endpoint.script["reporter"] = [f"{SOURCE} [B0-1] The northern pier was closed by storms [B0-1]."]
    ran = leadline("research", QUESTION, "--docs", papers, "--quick", "--out", "out", "--json", code=0)
    return str(json.loads(ran.out)["folder"])


def judge(endpoint: OpenAIServer, verdict: str) -> None:
    """Let the model say this of the first sentence that it is asked about."""
    said = {"number": 1, "reason": "r", "verdict": verdict, "words": "Storms closed the northern pier"}
    endpoint.script["verifier"] = [json.dumps({"verdicts": [said]})]


def test_a_report_that_the_model_supports_holds(leadline: Leadline, endpoint: OpenAIServer, folder: str) -> None:
    judge(endpoint, "supported")
    ran = leadline("verify", folder, "--judge", code=0)
    assert "gpt-4.1-mini was asked about 1 sentence (1 supported)" in ran.out
    assert "To let a model judge" not in ran.out
    [asked] = endpoint.asked("verifier")
    assert "The northern pier was closed by storms." in asked
    assert BESIDE in asked  # what stands beside the quote in its source


def test_a_sentence_that_the_model_doubts_is_named(leadline: Leadline, endpoint: OpenAIServer, folder: str) -> None:
    judge(endpoint, "contradicted")
    ran = leadline("verify", folder, "--judge", code=1)
    assert "DOUBTED statement 2 ('The northern pier was closed by storms.'): contradicted" in ran.err


def test_a_forged_status_is_judged_all_the_same(leadline: Leadline, endpoint: OpenAIServer, folder: str) -> None:
    plain = leadline("verify", folder)
    assert "Not checked by code: whether 1 of 2 statements mean what their quotes say." in plain.out
    assert "leadline verify --judge DIR" in plain.out
    edit(Path(folder), lambda content: content["claims"][1].update(status="quoted"), resealed=True)
    judge(endpoint, "not_told")
    ran = leadline("verify", folder, "--judge", code=1)
    assert "it is called quoted, and none of its quotes holds its words" in ran.err
    assert "DOUBTED statement 2" in ran.err


def test_without_a_model_it_says_what_to_set(leadline: Leadline, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_model(monkeypatch)
    ran = leadline("verify", folder, "--judge", code=1)
    assert "Set OPENAI_API_KEY" in ran.err
