"""The report benchmark, from the questions to the table, at a loopback endpoint whose verifier answers honestly."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import report
from benchmarks.measurement import Impossible
from benchmarks.planted import BY_MODEL, by_code, right_statements
from benchmarks.rendered_prompts import Element
from benchmarks.report_files import grades_of, report_text, statement_figures, write_grading, write_rows
from schemas.card import Card
from schemas.evidence import Claim, Excerpt, Source
from services.reports.document import letters
from tests.fakes.openai_server import OpenAIServer, openai_server, role_of
from tests.services.reports.states import stated

DOCUMENTS = Path(__file__).resolve().parents[2] / "examples" / "deep-sea"
QUESTION = {
    "id": "depth",
    "locale": "en-US",
    "folder": "deep-sea",
    "question": "How deep is the Challenger Deep, who measured it in 1875, 1951 and 1960, and what did the Trieste find there?",
    "tells": ["the depth of each measurement", "the ships"],
}
CRAB = "planted crab"
"""What the model puts into each wrong statement."""
PAIR = {
    "E1-1": ("a", "The lamp of Varnholm was lit in 1871 and burned 12 litres of oil a night, or 3 litres in June."),
    "E1-2": ("b", "The bell of Skarholm rang from 1902 on."),
}


def excerpt_of(key: str) -> Excerpt:
    """Return an excerpt of the two sources."""
    source, quote = PAIR[key]
    return Excerpt(id=key, content_hash=source, quote=quote, start=0, end=len(quote))


def source_of(name: str, key: str) -> Source:
    """Return a source that is known by a name."""
    return Source(url=f"{key}.md", title=f"{name} – on lamps", kind="document", content_hash=key, card=Card(name=name))


EXCERPTS = {key: excerpt_of(key) for key in PAIR}
SOURCES = {"a": source_of("PEP 703", "a"), "b": source_of("PEP 684", "b")}
DRAFT = (
    "# Lamps\n\nThe lamp was lit in **1871** [E1-1] and burned 12 litres a night [E1-1]. It was bright.\n\n"
    "- As PEP 703 tells, the lamp burned oil [E1-1].\n\n| lamp | oil |\n|---|---|\n| Varnholm lamp | 12 litres [E1-1] |\n"
)
CLAIMS = [
    Claim(text="The lamp was lit in 1871 and burned 12 litres a night.", citations=["E1-1"], verified=True, status="supported"),
    Claim(text="It was bright.", citations=[], verified=False, status="unverified"),
    Claim(text="As PEP 703 tells, the lamp burned oil.", citations=["E1-1"], verified=True, status="supported"),
    Claim(text="Varnholm lamp | 12 litres", citations=["E1-1"], verified=True, status="quoted"),
]  # fmt: skip


def test_code_exchanges_one_figure_year_or_source_and_leaves_all_else() -> None:
    made = by_code(right_statements(DRAFT, CLAIMS), EXCERPTS, SOURCES)
    changed = {kind: [plant.changed for plant in made if plant.kind == kind] for kind in ("number", "year", "document")}
    assert changed["number"] == [
        "The lamp was lit in **1871** [E1-1] and burned 3 litres a night [E1-1].",
        "Varnholm lamp | 3 litres [E1-1]",
    ]
    assert changed["year"] == ["The lamp was lit in **1902** [E1-1] and burned 12 litres a night [E1-1]."]
    assert changed["document"] == [
        "The lamp was lit in **1871** and burned 12 litres a night [E1-2].",
        "As PEP 684 tells, the lamp burned oil [E1-1].",
        "Varnholm lamp | 12 litres [E1-2]",
    ]


def test_verdicts_of_a_reader_stay_and_count(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"statement": "a", "status": "unverified"},
        {"statement": "b", "status": "supported"},
        {"statement": "c", "status": "deleted"},
        {"statement": "d", "status": "supported"},
    ]
    file = tmp_path / "statements.jsonl"
    judged = [
        {**row, "verdict": verdict} for row, verdict in zip(rows, ("right", "wrong", "right", "right"), strict=True)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in judged))
    figures = statement_figures(write_rows(file, rows, ("statement", "status")))
    assert (figures["right_marked"], figures["right_marked_percent"]) == (1, 50.0)
    assert (figures["right_deleted"], figures["wrong_unmarked"]) == (1, 1)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_graders_see_what_is_inferred_and_no_warnings(locale: str) -> None:
    text = report_text(stated(locale))
    assert "‡" in text
    assert "†" not in text
    assert "‡" not in report_text(stated(locale, ["quoted", "unverified"]))


def test_grades_of_neutral_names_are_weighted_and_belong_to_whom_the_key_says(tmp_path: Path) -> None:
    write_grading(tmp_path, QUESTION, "of the pipeline", "of one call")
    assert grades_of(tmp_path) == {}
    key = json.loads((tmp_path / "key.json").read_text())
    given = {
        name: {"insight": 8, "comprehensiveness": 8, "instruction_following": 8, "readability": 3 if kind == "report" else 8, "told": 2}
        for name, kind in key.items()
    }  # fmt: skip
    (tmp_path / "grading" / "grades.json").write_text(json.dumps(given))
    assert {kind: grades["together"] for kind, grades in grades_of(tmp_path).items()} == {
        "report": 7.3,
        "one_call": 8.0,
    }
    shown = "".join(path.read_text() for path in (tmp_path / "grading").iterdir())
    assert "report.md" not in shown
    assert "the depth of each measurement" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "--questions", "npm-scripts"], "The data folder is missing"),
        (["DATA", "--questions", "npm-scripts"], "--folder npm=PATH"),
        (["DATA", "--questions", "peps-removal"], r"--folder peps=PATH"),
        (["DATA", "--questions", "nothing"], "There is no question nothing"),
    ],
)
def test_what_cannot_be_measured_is_said_before_a_model_is_asked(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    given = report.parser().parse_args([str(tmp_path) if each == "DATA" else each for each in arguments])
    with pytest.raises(Impossible, match=message):
        report.run(given, tmp_path / "results.json", tmp_path / "work")


TOLD = "It is told that this holds: "
"""With what the writer of the test begins its statements, which are no quotations therefore."""


def honest(body: dict[str, Any]) -> str | None:
    """Answer as the model of the test does: a statement is supported if a passage that it cites says so in these words."""
    system, human = body["messages"][0]["content"], body["messages"][1]["content"]
    if role_of(body) == "reporter" and system.startswith("You write the report"):
        return "# The deep\n\n" + "\n\n".join(written(Element(body=human)))
    if system.startswith("You make test data"):
        statements = Element(body=human).all("statement")
        changed = [
            {
                "number": int(each["number"]),
                "kind": kind,
                "text": f"{each.body.splitlines()[0].rstrip('.')} by a {CRAB}.",
            }
            for each, kind in zip(statements, BY_MODEL * len(statements), strict=False)
        ]
        return json.dumps({"changed": changed})
    if system.startswith("You answer a question in one go"):
        return "# Deep\n\nThe Challenger Deep is deep [1]."
    if not system.startswith("You check a report"):
        return None
    passages = {each["id"]: each.first("quote").body for each in Element(body=human).all("passage")}
    verdicts = []
    for statement in Element(body=human).all("statement"):
        words = letters(statement.body.split("<paragraph>")[0].replace(TOLD, ""))
        cited = [passages[key] for key in statement["cites"].split() if key in passages]
        held = next((quote for quote in cited if words in letters(quote)), "")
        verdict = "supported" if held else "contradicted" if CRAB in statement.body else "not_told"
        decisive = held.split(".")[0] if held else (cited or [""])[0].split(".")[0] if verdict == "contradicted" else ""
        verdicts.append({"number": int(statement["number"]), "reason": "-", "verdict": verdict, "words": decisive})
    return json.dumps({"verdicts": verdicts})


def written(prompt: Element) -> Iterator[str]:
    """Write a sentence of each excerpt, with two in a paragraph."""
    told = [f"{TOLD}{excerpt.body.split('. ')[0].strip('. ')} [{excerpt['id']}]." for excerpt in prompt.all("excerpt")]
    return (" ".join(told[place : place + 2]) for place in range(0, len(told), 2))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """Return a connected endpoint that answers honestly."""
    with openai_server() as server:
        server.choose = honest
        connected = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": server.key, "LEADLINE_MODEL": "stub"}
        for name, value in (connected | {"LEADLINE_EMBEDDINGS_MODEL": "none"}).items():
            monkeypatch.setenv(name, value)
        yield server


def measure(tmp_path: Path) -> dict[str, Any]:
    """Measure the question and return its figures."""
    folder, questions, results = (tmp_path / name for name in ("deep-sea", "questions.jsonl", "results.json"))
    shutil.copytree(DOCUMENTS, folder, ignore=shutil.ignore_patterns("*.[!m]*"), dirs_exist_ok=True)  # the quick ones
    questions.write_text(json.dumps(QUESTION) + "\n")
    arguments = ["", "--folder", f"deep-sea={folder}", "--file", str(questions), "--name", "stub", "--planted", "14"]
    report.run(report.parser().parse_args(arguments), results, tmp_path / "work")
    figures: dict[str, Any] = json.loads(results.read_text())["stub"]["depth"]
    return figures


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_measurement_plants_errors_that_an_honest_verifier_finds(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = measure(tmp_path)["planted"]
    assert planted["planted"] >= 12
    assert planted["passed"] == 0
    assert all(planted["by_kind"].values())
    assert planted["neighbours"] > planted["neighbours_lost"] == 0
    asked, place = len(server.requests), tmp_path / "work" / "stub" / "depth"
    statements = [json.loads(line) for line in (place / "statements.jsonl").read_text().splitlines()]
    judged = ({**row, "verdict": "right"} for row in statements)
    (place / "statements.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged))
    figures = measure(tmp_path)
    assert len(server.requests) == asked  # begun again, it asks nothing twice
    assert figures["judged"] == {"right": len(statements)}
    tokens = figures["prompt_tokens_by_role"]
    assert 0 < tokens["verifier"] < figures["prompt_tokens"] == sum(tokens.values())
    estimated = figures["estimated_prompt_tokens"]
    assert estimated.keys() == {*tokens, "one_call"}
    assert estimated["verifier"] > 0
    assert figures["words"] > figures["one_call"]["words"] == 6
    kept = {path.name.split("-", 1)[1] for path in (place / "prompts").iterdir()}
    assert kept >= {"planner.request.md", "verifier.answer.md", "one_call.request.md"}
    planting = {path.name.split("-", 1)[1] for path in (place / "prompts_planted").iterdir()}
    assert planting >= {"planted_errors.answer.md", "verifier.request.md"}
    assert '"passed": 0' in capsys.readouterr().out
