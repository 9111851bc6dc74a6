"""Whole runs over a table: the report shows the program that was really run, and names the table that it read."""

import json
import re
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.coder import LOOKED
from schemas.depth import LEVELS
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from services.reports.checking.cited_markdown import verify_markdown
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.graph.test_tools import COMPUTE, QUESTION, call, endpoint, plan, run

__all__ = ["endpoint"]
pytestmark = pytest.mark.long


def letters(folder: Path, numbers: range, text: str) -> Path:
    """Write a letter for each number, which stands in the text where that has braces."""
    folder.mkdir()
    for number in numbers:
        (folder / f"letter-{number:02}.md").write_text(f"# Letter {number}\n\n{text.format(number)}\n")
    return folder


def step_of(description: str) -> str:
    """Return a plan of one processing step, as a model gives it."""
    step = {"id": "1", "title": "Mail", "description": description, "step_type": "processing"}
    return json.dumps({"title": "Mail", "steps": [step]})


def holds(report: Report) -> bool:
    folder = Path(report.folder or "")
    return not verify_bundle(folder).problems and not verify_markdown(folder / "report.md").problems


async def test_numbers_that_a_model_makes_up_are_named_beside_its_program(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path
) -> None:
    code = "print(f'The mean depth is {(8190 + 7131) / 2} m.')"
    report = await _with_tools(endpoint, docs, tmp_path, call("run_python", code=code), "7660.5")
    shown = report.markdown.partition("## Computations\n")[2]
    assert "⚠ Computed from numbers that are in no source: the program reads no input, 8190, 7131." in shown
    assert f"```python\n{code}\n```" in shown
    assert "Tables: " not in shown
    assert holds(report)


async def test_a_query_is_shown_with_the_database_and_the_tables_that_it_read(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path, casts: Path
) -> None:
    sql = "SELECT ship, sum(fathoms) AS fathoms\nFROM casts\nWHERE ship = :ship\nGROUP BY ship"
    asked = call("query_database", query=sql, params={"ship": "Gazelle"})
    report = await _with_tools(endpoint, docs, tmp_path, asked, "400")
    shown = report.markdown.partition("## Computations\n")[2]
    assert f"Tables: primary (casts)\n\n```sql\n{sql}\n-- :ship = 'Gazelle'\n```" in shown
    assert str(casts) not in report.markdown
    assert all("SELECT" not in excerpt.quote for excerpt in report.excerpts)
    assert holds(report)


async def _with_tools(endpoint: OpenAIServer, docs: Path, out: Path, called: Reply, number: str) -> Report:
    """Run a step that makes one call, and a report that cites the first line of what it returned that has the number."""
    step = COMPUTE.model_copy(update={"tools": ["run_python", "query_database"]})
    endpoint.script["reporter"] = [f"# Depths\n\nThe result for the Gazelle is {number} [E1-1]."]
    return await run(endpoint, docs, step, out, coder=[called, f"The result is {number}."])


async def test_each_of_twenty_lines_of_an_output_can_be_cited(endpoint: OpenAIServer, docs: Path) -> None:
    code = "rows = open('soundings.csv').read().splitlines()\nfor n in range(20):\n    print(f'Line {n} of {len(rows)} is here.')"
    endpoint.script["planner"] = [plan(COMPUTE.model_copy(update={"tools": []}))]
    endpoint.script["coder"] = [json.dumps({"description": "sums", "code": code})]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    endpoint.script["reporter"] = ["# Sums\n\nLine 1 of 4 is here [E1-20].\n"]
    report = await aresearch(QUESTION, docs=[docs])
    [result] = report.results
    assert [excerpt.id for excerpt in result.excerpts] == [f"E1-{number}" for number in range(1, 21)]


async def test_reflector_and_writer_see_what_the_columns_of_a_printed_table_are(
    endpoint: OpenAIServer, docs: Path, tmp_path: Path
) -> None:
    computed = {"id": "1", "title": "Depths", "description": "d", "step_type": "processing"}
    endpoint.script["planner"] = [json.dumps({"title": "Depths", "steps": [computed]})]
    code = "print('ship     casts  fathoms')\nprint('Gazelle      2      400')\nprint('Maury        1       90')"
    endpoint.script["coder"] = [json.dumps({"description": "casts", "code": code})]
    report = await aresearch(
        "How many casts did the Gazelle make, and how deep?", docs=[docs], out=tmp_path, max_plan_iterations=1
    )
    for role in ("reflector", "reporter"):
        [asked, *_] = endpoint.asked(role)
        assert asked.count('columns="ship casts fathoms"') == 1
        assert "\nMaury        1       90\n" in asked
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize("named", [True, False])
async def test_a_program_reads_every_text_of_a_folder_whose_file_its_step_names(
    endpoint: OpenAIServer, tmp_path: Path, named: bool
) -> None:
    folder = tmp_path / "post"
    folder.mkdir()
    for n in range(1, 15):
        (folder / f"letter-{n:02}.md").write_text(
            f"# Letter {n}\n\nThe keeper {'saw' if n % 5 else 'lost'} the mail.\n"
        )
    description = f"Count the lost mails{' in post-texts.jsonl' if named else ''}."
    counted = {"id": "1", "title": "Lost", "description": description, "step_type": "processing"}
    endpoint.script["planner"] = [json.dumps({"title": "Mail", "steps": [counted]})]
    code = (
        "import json\ntexts = [json.loads(line)['text'] for line in open('post-texts.jsonl')]\n"
        "lost = sum('lost' in text for text in texts)\nprint(f'Of {len(texts)} letters {lost} tell of lost mail.')"
    )
    endpoint.script["coder"] = [json.dumps({"description": "letters", "code": code})]
    endpoint.script["reporter"] = ["# Mail\n\nOf 14 letters 2 tell of lost mail [E1-1].\n"]
    report = await aresearch(
        "How many letters are there, and how many of them tell of lost mail?",
        docs=[folder],
        out=tmp_path / "out",
        max_plan_iterations=1,
    )
    [planned, *_], [asked, *_] = endpoint.asked("planner"), endpoint.asked("coder")
    assert "post-texts.jsonl: 14 rows; columns: path: text, 14 different" in planned
    assert ('<table file="post-texts.jsonl"' in asked) == named
    assert (report.results[0].status == "done") == named
    if named:
        assert "Tables: post-texts.jsonl" in report.markdown
        assert {excerpt.quote for excerpt in report.excerpts} >= {"Of 14 letters 2 tell of lost mail."}
        assert verify_bundle(Path(report.folder or "")).problems == []


async def test_what_a_program_copies_from_texts_is_quoted_from_them_and_its_tables_have_their_heads(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = letters(tmp_path / "post", range(1, 15), "The keeper saw\nthe mail of day {}. He slept.\n\nEnd.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    counts = (
        "rows = open('post-texts.jsonl').read().splitlines()\nprint('Letters and their ends:')\n"
        "print(f'| letters | ends |\\n| --- | --- |\\n| {len(rows)} | {sum(\"End.\" in row for row in rows)} |')"
    )
    copies = "".join(f"\nprint('QUOTE letter-{n}.md: saw the mail of day 3.')" for n in ("03", "04"))
    codes = ["print('Nothing else.')\nprint('QUOTE letter-01.md: what nobody wrote in it')", counts + copies]
    endpoint.script["coder"] = [json.dumps({"description": "letters", "code": code}) for code in codes]
    endpoint.script["reporter"] = [
        "# Mail\n\nThe keeper saw the mail of day 3 [E1-3]. Of 14 letters 14 have ends [E1-2].\n"
    ]
    report = await aresearch(
        "How many letters are there, and how many of them tell what the keeper saw?",
        docs=[folder],
        out=tmp_path / "out",
        max_plan_iterations=1,
        max_step_attempts=1,
    )
    [_, mended] = endpoint.asked("coder")
    assert "what it quotes stands in none of the texts" in mended
    [result] = report.results
    assert result.finding == "Letters and their ends:\n| letters | ends |\n| --- | --- |\n| 14 | 14 |"
    assert [(excerpt.quote, excerpt.heads, excerpt.section) for excerpt in result.excerpts] == [
        ("Letters and their ends:", "", "Output"),
        ("| 14 | 14 |", "| letters | ends |", "Output"),
        ("The keeper saw\nthe mail of day 3.", "", "Letter 3"),
    ]
    assert "letter-03.md" in report.markdown
    [reflected, *_] = endpoint.asked("reflector")
    assert (reflected.count("| letters | ends |"), reflected.count("| --- |")) == (1, 0)
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_program_looks_at_the_texts_first_and_what_it_quotes_survives_its_second_attempt(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    count = "print(len(open('post-texts.jsonl').readlines()), 'letters were read{}.')\nprint('QUOTE letter-1{}.md: saw the mail')"
    look = {"look": True, "code": "print('A letter is a heading and a sentence.')"}
    codes = [{"code": count.format("", 1)}, {"code": count.format(" again", 2)}]
    endpoint.script["coder"] = [json.dumps({"description": "letters", **code}) for code in (look, codes[0], codes[1])]
    redone = {"step_id": "1", "reason": "Read again.", "redo": True, "feedback": "Quote letter 12."}
    endpoint.script["reflector"] = [json.dumps({"steps": [redone]}), json.dumps({"has_enough_context": True})]
    report = await aresearch(
        "How many letters are there, and how many of them tell what the keeper saw?", docs=[folder]
    )
    systems = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"]
    assert ["look at the texts" in system for system in systems] == [True, True, True]
    [_, second, _] = endpoint.asked("coder")
    assert "<output>\nA letter is a heading and a sentence.\n" in second
    [result] = report.results
    assert [(excerpt.id, excerpt.quote) for excerpt in result.excerpts] == [
        ("E1-2", "The keeper saw the mail of day 11."),
        ("E1-3", "15 letters were read again."),
        ("E1-4", "The keeper saw the mail of day 12."),
    ]


async def test_programs_read_on_from_what_the_last_look_printed_and_a_step_may_be_quotes_alone(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    looks: list[dict[str, object]] = [
        {"look": True, "thought": "How are they built?", "code": "print('LISTED', 'word ' * 30_000)"},
        {"look": True, "thought": "Day 11 matters.", "code": "print('QUOTE letter-11.md: saw the mail of day 11')"},
        {"look": True, "thought": "Day 90?", "code": "print('QUOTE letter-90.md: saw the mail of day 90')"},
    ]
    last: dict[str, object] = {
        "finding": "The keeper saw it on two days.",
        "code": "print('QUOTE letter-12.md: saw the mail')",
    }
    endpoint.script["coder"] = [json.dumps({"description": "letters", **code}) for code in [*looks, last]]
    report = await aresearch(
        "How many letters are there, and how many of them tell what the keeper saw?",
        docs=[folder],
        out=tmp_path / "out",
        max_plan_iterations=1,
    )
    first, *later = endpoint.asked("coder")
    assert "<look>" not in first
    assert ["LISTED" in prompt for prompt in later] == [True, False, False]
    assert "more characters)" in later[0]
    assert ["The keeper saw the mail of day 10" in prompt for prompt in (first, *later)] == [True, False, False, False]
    assert len(first) + 3 * LOOKED < len(later[0]) < len(first) + 5 * LOOKED
    assert all("<thought>\nHow are they built?\n" in prompt for prompt in later)
    assert "<quote>Letter 11: The keeper saw the mail of day 11.</quote>" in later[2]
    assert ["stands in none of the texts" in prompt for prompt in later] == [False, False, True]
    systems = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"]
    assert [re.findall(r"(\d+) times at most", system) for system in systems] == [["6"], ["5"], ["4"], ["3"]]
    [result] = report.results
    assert (result.status, result.finding) == ("done", "The keeper saw it on two days.")
    assert [excerpt.quote for excerpt in result.excerpts] == [
        "The keeper saw the mail of day 11.",
        "The keeper saw the mail of day 12.",
    ]
    assert verify_bundle(Path(report.folder or "")).problems == []
    count = len(endpoint.requests)
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == count


async def test_programs_hold_the_first_draft_against_all_texts(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {0}. It was wet on day {0}.")
    plan = {**json.loads(step_of("Quote post-texts.jsonl.")), "outline": [{"title": "Mail", "wanted": "Its days"}]}
    endpoint.script["planner"] = [json.dumps(plan)]
    endpoint.script["coder"] = [
        json.dumps({"description": "letters", **code})
        for code in (
            {"code": "print('QUOTE letter-11.md: saw the mail')", "finding": "Seen."},
            {"code": "print('open')", "look": True},
            {"code": "print('QUOTE letter-11.md: It was wet')", "finding": "The draft omits that it was wet."},
        )
    ]
    endpoint.script["reporter"] = [
        "# Mail\n\nThe keeper saw the mail of day 11 [E1-1].\n\n===\nWhy?\n\n===\nThe mail was lost.\n",
        "# Mail\n\nThe keeper saw the mail of day 11 [E1-1]. It was wet on day 11 [E2-1].\n",
    ]
    report = await aresearch(
        "How many letters are there, and how many of them tell what the keeper saw?",
        docs=[folder],
        out=tmp_path / "out",
        max_plan_iterations=1,
        length="full",
    )
    _, first, second = endpoint.asked("coder")
    assert "<draft>\n# Mail\n\nThe keeper saw the mail of day 11 [letter-11.md].\n</draft>" in first
    assert "- The mail was lost." in first
    assert "<findings>" not in first
    assert "<output>\nopen\n" in second
    [_, rewritten] = endpoint.asked("reporter")
    assert "The draft omits that it was wet." in rewritten
    assert "It was wet on day 11" in report.markdown
    assert [(step.id, step.step_type) for step in report.plans[-1].steps] == [("1", "processing"), ("2", "processing")]
    assert verify_bundle(Path(report.folder or "")).problems == []
    count = len(endpoint.requests)
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == count


async def test_looks_end_when_none_is_left(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    look = {"look": True, "code": "print('There are letters.')", "description": "letters"}
    endpoint.script["coder"] = [json.dumps(look)] * 9
    report = await aresearch(
        "How many letters are there, and how many of them tell what the keeper saw?",
        docs=[folder],
        max_plan_iterations=1,
    )
    assert len(endpoint.asked("coder")) == LEVELS["standard"].looks + 1
    assert report.results[0].finding.endswith("There are letters.")


async def test_a_later_plan_sees_what_was_computed_and_a_later_program_the_one_before(
    endpoint: OpenAIServer, docs: Path
) -> None:
    computed = {"id": "1", "title": "Rows", "description": "d", "step_type": "processing"}
    further = {**computed, "id": "2", "title": "More", "depends_on": ["1"]}
    endpoint.script["planner"] = [
        json.dumps({"title": title, "steps": [step]}) for title, step in (("A", computed), ("B", further))
    ]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": False, "missing_aspects": ["more rows"]})]
    code = "# Not a heading\nprint(len(open('soundings.csv').readlines()), 'lines stand in the table.')"
    endpoint.script["coder"] = [json.dumps({"description": "lines", "code": code})]
    report = await aresearch(QUESTION, docs=[docs], max_plan_iterations=2)
    assert not any("Not a heading" in excerpt.section for excerpt in report.excerpts)
    [_, planned] = endpoint.asked("planner")
    assert "4 lines stand in the table." in planned
    [first, second] = endpoint.asked("coder")
    assert "<program" not in first
    assert f'<program step="1">\n{code}\n</program>' in second


async def test_an_attempt_sees_the_program_and_the_output_of_the_one_before(endpoint: OpenAIServer, docs: Path) -> None:
    computed = {"id": "1", "title": "Rows", "description": "d", "step_type": "processing"}
    endpoint.script["planner"] = [json.dumps({"title": "A", "steps": [computed]})]
    redone = {"step_id": "1", "reason": "No sum.", "redo": True, "feedback": "Sum the fathoms."}
    endpoint.script["reflector"] = [json.dumps({"steps": [redone]}), json.dumps({"has_enough_context": True})]
    code = "print(len(open('soundings.csv').readlines()), 'lines stand in the table.')"
    endpoint.script["coder"] = [json.dumps({"description": "lines", "code": code})]
    await aresearch(QUESTION, docs=[docs])
    [_, second] = endpoint.asked("coder")
    assert f'<program step="1">\n{code}\n<output>\n4 lines stand in the table.\n' in second
