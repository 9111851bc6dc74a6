"""`leadline eval --judge`: criteria with their sentences, claims, pairs in both orders, RACE's dimensions, labels, and nonsense."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from leadline.evaluation.judge import TEMPLATES
from leadline.evaluation.race import WEIGHTS, race
from schemas.judge_dimensions import DIMENSIONS
from services.run.settings import forget_settings
from tests.fakes.openai_server import OpenAIServer, error, role_of
from tests.leadline.conftest import Leadline

QUESTION = "What closed the northern pier?"
SOURCE = "Storms closed the northern pier for some weeks of the winter."
OWN_WORDS = "The northern pier was closed by storms"
ROW: dict[str, Any] = {
    "id": "pier",
    "question": QUESTION,
    "criteria": [{"text": "Names the storms", "weight": 3}, {"text": "Gives the year", "weight": 1}],
    "reference": "Storms closed it in 1953.",
    "labelled": [
        {"report": "It was closed by storms in 1953.", "met": [True, True]},
        {"report": "Nobody knows why.", "met": [False, None]},
    ],
}


@pytest.fixture
def place(endpoint: OpenAIServer) -> Path:
    """A set of one question, documents, and a writer that says one sentence in its own words."""
    folder = Path("papers")
    folder.mkdir()
    (folder / "pier.md").write_text(f"# The pier\n\n{SOURCE}\n")
    Path("set.jsonl").write_text(json.dumps(ROW))
    endpoint.script["reporter"] = [f"{SOURCE} [B0-1] {OWN_WORDS} [B0-1]."] * 4
    return folder


def criteria(*said: dict[str, Any]) -> str:
    return json.dumps({"verdicts": [{"number": number, "reason": "r", **one} for number, one in enumerate(said, 1)]})


def scores(first: float, second: float) -> str:
    return json.dumps(
        {"scores": [{"dimension": name, "reason": "r", "first": first, "second": second} for name in DIMENSIONS]}
    )


MET = {"met": True, "sentence": OWN_WORDS}
UNMET = {"met": False, "sentence": ""}


def judge_well(endpoint: OpenAIServer) -> None:
    """Let the judge say of the one report, and then of the labelled ones, what can be used."""
    endpoint.script["judge_criteria"] = [
        criteria(MET, UNMET),
        criteria({"met": True, "sentence": "It was closed by storms in 1953."}, UNMET),
        criteria(UNMET, UNMET),
    ]
    said = {"number": 1, "reason": "r", "verdict": "supported", "words": "Storms closed the northern pier"}
    endpoint.script["verifier"] = [json.dumps({"verdicts": [said]})]
    endpoint.script["judge_dimensions"] = [scores(6, 4)]


def evaluated(place: str = "eval/set") -> dict[str, Any]:
    return dict(json.loads((Path(place) / "eval.json").read_text("utf-8")))


GIVEN = ("eval", "set.jsonl", "--docs", "papers", "--depth", "quick", "--judge", "big-judge")


@pytest.mark.usefixtures("place")
def test_a_judge_is_asked_of_criteria_claims_dimensions_and_labels(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    ran = leadline(*GIVEN)
    assert ran.code == 0, ran.err
    found = evaluated()
    [result] = found["questions"]
    run = result["results"]["quick"]
    assert run["figures"]["criteria_met"] == 0.75
    assert run["judged"]["criteria"][0]["sentence"] == OWN_WORDS
    assert run["figures"]["claims_supported"] == 1.0
    assert run["figures"]["race"] == run["figures"]["race_insight"] == 0.6
    judge = found["judge"]
    assert (judge["model"], judge["asked"], judge["no_judgement"]) == ("big-judge", 8, 0)
    assert judge["agreement"] == {"judged": 3, "raw": pytest.approx(2 / 3), "kappa": pytest.approx(0.4)}
    assert judge["prompts"] == dict.fromkeys(TEMPLATES, 1) | {"verifier": 4}
    assert judge["calls"] == 5
    assert "Cohen's kappa 0.40" in ran.out
    asked = [body for body in endpoint.requests if body["model"] == "big-judge"]
    assert {role_of(body) for body in asked} == {"judge_criteria", "judge_dimensions", "verifier"}
    assert "Names the storms" in Path("eval/set/eval.html").read_text()


PUBLISHED = {
    "id": 7,
    "prompt": QUESTION,
    "dimension_weight": {"comprehensiveness": 0.25, "insight": 0.75},
    "criterions": {
        "comprehensiveness": [
            {"criterion": "Names the storms", "explanation": "All of them.", "weight": 0.5},
            {"criterion": "Gives the year", "explanation": "", "weight": 0.5},
        ],
        "insight": [{"criterion": "Explains the damage", "explanation": "", "weight": 1.0}],
    },
}


def criterion_scores(*both: tuple[float, float]) -> str:
    return json.dumps(
        {
            "scores": [
                {"number": number, "reason": "r", "first": first, "second": second}
                for number, (first, second) in enumerate(both, 1)
            ]
        }
    )


@pytest.fixture
def published(place: Path) -> tuple[str, ...]:
    """A set as DeepResearch Bench publishes it, whose dimensions both have criteria, and its reference report."""
    Path("set.jsonl").write_text(json.dumps(PUBLISHED))
    Path("references.jsonl").write_text(json.dumps({"id": 7, "prompt": QUESTION, "article": "Storms closed it."}))
    return (*GIVEN, "--references", "references.jsonl")


def test_criteria_with_dimensions_are_scored_a_dimension_a_call(
    leadline: Leadline, endpoint: OpenAIServer, published: tuple[str, ...]
) -> None:
    endpoint.script["judge_scores"] = [criterion_scores((8, 4), (2, 4)), criterion_scores((6, 2))]
    ran = leadline(*published)
    assert ran.code == 0, ran.err
    run = evaluated()["questions"][0]["results"]["quick"]
    assert run["judged"]["dimensions"] == {"comprehensiveness": [5, 4], "insight": [6, 2]}
    assert [(one["text"], one["first"], one["second"]) for one in run["judged"]["scores"]] == [
        ("Names the storms: All of them.", 8, 4),
        ("Gives the year", 2, 4),
        ("Explains the damage", 6, 2),
    ]
    assert run["figures"]["race_insight"] == 0.75
    first, second = 0.25 * 5 + 0.75 * 6, 0.25 * 4 + 0.75 * 2
    assert run["figures"]["race"] == pytest.approx(first / (first + second))
    asked = [body["messages"] for body in endpoint.requests if role_of(body) == "judge_scores"]
    assert ["`comprehensiveness`" in messages[0]["content"] for messages in asked] == [True, False]
    assert ["Explains the damage" in messages[-1]["content"] for messages in asked] == [False, True]


def test_a_criterion_without_a_score_is_left_out_and_a_dimension_without_any_leaves_no_whole_score(
    leadline: Leadline, endpoint: OpenAIServer, published: tuple[str, ...]
) -> None:
    endpoint.script["judge_scores"] = [criterion_scores((8, 4)), *["No idea."] * 9]
    ran = leadline(*published)
    assert ran.code == 0, ran.err
    run = evaluated()["questions"][0]["results"]["quick"]
    assert run["judged"]["dimensions"] == {"comprehensiveness": [8, 4]}
    assert run["figures"]["race_comprehensiveness"] == pytest.approx(2 / 3)
    assert "race" not in run["figures"]
    assert [one["first"] for one in run["judged"]["scores"]] == [8, None, None]
    assert evaluated()["judge"]["no_judgement"] >= 2


@pytest.mark.usefixtures("place")
def test_a_judge_sees_a_report_without_what_the_program_adds(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    assert leadline(*GIVEN).code == 0
    written = next(Path("eval/set/reports").rglob("report.md")).read_text("utf-8")
    assert all(added in written for added in ("## References", "sources/", "statements"))
    asked = next(body["messages"][-1]["content"] for body in endpoint.requests if role_of(body) == "judge_criteria")
    assert f"{SOURCE.removesuffix('.')} [1]." in asked or f"{SOURCE} [1]" in asked
    assert not any(added in asked for added in ("References", "sources/", "statements"))


@pytest.mark.usefixtures("place")
def test_a_judge_is_paid_once(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    assert leadline(*GIVEN).code == 0
    asked, first = len(endpoint.requests), evaluated()
    ran = leadline(*GIVEN)
    assert ran.code == 0, ran.err
    assert len(endpoint.requests) == asked
    assert evaluated()["questions"] == first["questions"]
    assert evaluated()["judge"]["calls"] == 5


@pytest.mark.usefixtures("place")
def test_a_judge_that_was_killed_goes_on_where_it_stopped(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    endpoint.script["judge_dimensions"] *= 2
    child = subprocess.Popen([sys.executable, "-m", "leadline", *GIVEN], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def kill(number: int) -> None:
        if endpoint.roles[number - 1] == "judge_dimensions":
            child.send_signal(signal.SIGKILL)
            child.wait(30)

    endpoint.on_request = kill
    child.communicate(timeout=90)
    assert child.returncode == -signal.SIGKILL
    assert evaluated()["judge"] is None  # the figures without it are written before it is asked
    endpoint.on_request = None
    ran = leadline(*GIVEN)
    assert ran.code == 0, ran.err
    asked = Counter(role_of(body) for body in endpoint.requests if body["model"] == "big-judge")
    assert asked == {"judge_criteria": 3, "verifier": 1, "judge_dimensions": 2}
    assert evaluated()["judge"]["no_judgement"] == 0


@pytest.mark.usefixtures("place")
def test_a_judge_that_answers_nonsense_gives_no_judgement(leadline: Leadline, endpoint: OpenAIServer) -> None:
    endpoint.script["judge_criteria"] = ["What a fine pier!"] * 9
    endpoint.script["judge_dimensions"] = [scores(60, -4)] * 3
    endpoint.script["verifier"] = ["42"] * 3
    ran = leadline(*GIVEN)
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert "No judgement on some" in ran.err
    assert "8 judgements asked, 8 of them unusable (100.0 %)" in ran.out
    found = evaluated()
    assert found["judge"]["no_judgement"] == found["judge"]["asked"] == 8
    assert found["judge"]["agreement"] is None
    figures = found["questions"][0]["results"]["quick"]["figures"]
    assert figures["criteria_met"] is None
    assert figures["claims_supported"] is None
    assert "race" not in figures
    asked = len(endpoint.requests)
    assert leadline(*GIVEN).code == 0
    assert len(endpoint.requests) == asked  # what was paid for stays what it was


@pytest.mark.usefixtures("place")
def test_a_sentence_that_the_report_does_not_have_is_no_judgement(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    endpoint.script["judge_criteria"][0] = criteria(
        {"met": True, "sentence": "Whales closed the northern pier."}, UNMET
    )
    assert leadline(*GIVEN).code == 0
    run = evaluated()["questions"][0]["results"]["quick"]
    assert [one["met"] for one in run["judged"]["criteria"]] == [None, False]
    assert run["figures"]["criteria_met"] == 0.0
    assert evaluated()["judge"]["no_judgement"] == 1


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("answers", "better"),
    [
        (["first", "second"], "first"),
        (["second", "first"], "second"),
        (["first", "first"], "neither"),
        (["neither", "second"], "neither"),
    ],
    ids=["the first in both orders", "the second in both", "whichever stands first", "a tie in one order"],
)
def test_a_pair_is_won_in_both_orders_only(
    leadline: Leadline, endpoint: OpenAIServer, answers: list[str], better: str
) -> None:
    Path("set.jsonl").write_text(json.dumps({"id": "pier", "question": QUESTION}))
    endpoint.script["judge_pair"] = [json.dumps({"reason": "r", "better": answer}) for answer in answers]
    ran = leadline(*GIVEN, "--model", "m1", "--model", "m2")
    assert ran.code == 0, ran.err
    found = evaluated()
    assert found["questions"][0]["pairs"] == [{"first": "m1", "second": "m2", "better": better}]
    won = {"first": 0, "second": 0, "tie": 0} | {("tie" if better == "neither" else better): 1}
    assert found["judge"]["wins"] == {"m1 | m2": won}
    asked = [body["messages"][-1]["content"] for body in endpoint.requests if role_of(body) == "judge_pair"]
    assert len(asked) == 2
    assert all('<report number="first">' in text for text in asked)


@pytest.mark.usefixtures("place")
def test_a_budget_ends_the_judge_and_not_the_evaluation(leadline: Leadline, endpoint: OpenAIServer) -> None:
    judge_well(endpoint)
    ran = leadline(*GIVEN, "--judge-tokens", "1000")
    assert ran.code == 0, ran.err
    assert evaluated()["judge"]["no_judgement"] > 0
    assert evaluated()["judge"]["input_tokens"] + evaluated()["judge"]["output_tokens"] <= 1000
    judge_well(endpoint)
    assert leadline(*GIVEN, "--judge-tokens", "100000").code == 0  # what there was no room for is asked now
    assert evaluated()["judge"]["no_judgement"] == 0


@pytest.mark.usefixtures("place")
def test_an_endpoint_that_refuses_the_judge_leaves_the_figures_without_it(
    leadline: Leadline, endpoint: OpenAIServer
) -> None:
    endpoint.fault = lambda _number, _role, body: (
        error(404, "no such model", "model_not_found") if body["model"] == "big-judge" else None
    )
    ran = leadline(*GIVEN)
    assert ran.code == 0, ran.err
    assert "no such model" in ran.err or "big-judge" in ran.err
    assert evaluated()["questions"][0]["results"]["quick"]["figures"]["words"] > 0


def test_without_a_model_a_judge_is_refused_before_anything_runs(leadline: Leadline, docs: Path) -> None:
    Path("set.jsonl").write_text(json.dumps(ROW))
    ran = leadline("eval", "set.jsonl", "--docs", docs, "--judge", "offline")
    assert ran.code == 2
    assert "A judge is a language model" in ran.err
    ran = leadline("eval", "set.jsonl", "--docs", docs, "--judge", "big-judge")
    assert ran.code == 1
    assert "Set OPENAI_API_KEY" in ran.err
    assert not Path("eval").exists()


@pytest.mark.usefixtures("place")
def test_a_judge_with_a_small_window_sees_the_beginning_of_a_long_report(
    leadline: Leadline, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_CONTEXT_WINDOW_VERIFIER", "8000")
    forget_settings()
    long = {"report": "It was closed by storms in 1953. " * 2_000, "met": [True, True]}
    Path("set.jsonl").write_text(json.dumps(ROW | {"labelled": [long]}))
    judge_well(endpoint)
    assert leadline(*GIVEN).code == 0
    judge = evaluated()["judge"]
    assert (judge["shortened"], judge["no_judgement"]) == (1, 0)
    asked = [body["messages"][-1]["content"] for body in endpoint.requests if role_of(body) == "judge_criteria"]
    assert 5_000 < max(map(len, asked)) < 20_000


def test_race_is_the_part_of_the_weighted_sum() -> None:
    figures = race({name: (8 if name == "insight" else 4, 4) for name in DIMENSIONS}, WEIGHTS)
    first = 4 + 4 * 0.35
    assert figures["race"] == pytest.approx(first / (first + 4))
    assert figures["race_insight"] == pytest.approx(2 / 3)
    assert race({}, WEIGHTS) == {}
    assert "race" not in race({"insight": (8, 4)}, WEIGHTS)
