"""Whole runs over a table: the report shows the program that was really run, and names the table that it read."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from services.reports.checking.cited_markdown import verify_markdown
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.read_folder import filled, written
from tests.graph.test_tools import COMPUTE, QUESTION, call, endpoint, plan, run

__all__ = ["endpoint"]
pytestmark = pytest.mark.long


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


async def test_a_program_knows_what_a_readme_says_of_its_table_and_may_use_its_numbers(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    casts = "ship_id,depth_fm\n1,200\n2,310\n3,999\n"
    readme = "# Casts\n\nIn casts.csv `depth_fm` is in fathoms of 1.8288 m; 999 means that no bottom was reached.\n"
    folder = filled(tmp_path / "log", {"casts.csv": casts, "README.md": readme})
    computed = {"id": "1", "title": "Mean", "description": "Mean of depth_fm", "step_type": "processing"}
    endpoint.script["planner"] = [json.dumps({"title": "Depth", "steps": [computed]})]
    code = (
        "import pandas as pd\ncasts = pd.read_csv('casts.csv')\nknown = casts.depth_fm[casts.depth_fm != 999]\n"
        "print(f'The mean depth is {known.mean() * 1.8288:.1f} m, a fathom being 1.8288 m.')"
    )
    endpoint.script["coder"] = [json.dumps({"description": "mean", "code": code})]
    report = await aresearch("How deep is it on average?", docs=[folder], out=tmp_path / "out", max_plan_iterations=1)
    [asked, *_] = endpoint.asked("coder")
    assert '<about_tables path="log/README.md">' in asked
    assert "999 means that no bottom was reached" in asked
    [source] = [source for source in report.sources if source.kind == "computation"]
    assert not source.untraced
    assert not source.typed


@pytest.mark.parametrize("named", [True, False])
async def test_a_program_reads_every_text_of_a_folder_whose_file_its_step_names(
    endpoint: OpenAIServer, tmp_path: Path, named: bool
) -> None:
    texts = {f"Letter {n}": f"The keeper {'saw' if n % 5 else 'lost'} the mail." for n in range(1, 15)}
    folder = written(tmp_path / "post", texts)
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


async def test_tables_with_the_same_columns_are_one_which_a_program_may_look_at_first(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = tmp_path / "ferries"
    folder.mkdir()
    for year in range(2001, 2013):
        (folder / f"rides-{year}.csv").write_text(f"ferry,passengers\nAda,{year}\nIda,10\n")
    for number in range(5):
        (folder / f"other-{number}.csv").write_text(f"pier {number},height\nNorth,2\nSouth,3\n")
    step = {"id": "1", "title": "Rides", "description": "Sum rides-2005.csv.", "step_type": "processing"}
    endpoint.script["planner"] = [json.dumps({"title": "Rides", "steps": [step]})]
    every = "import glob, pandas as pd\nrows = pd.concat(map(pd.read_csv, sorted(glob.glob('rides-*.csv'))))\n"
    look = {"thought": "Which ferries?", "look": True, "code": "print('Ferries: Ada, Ida')"}
    total = {"code": every + "print(f'{rows.passengers.sum()} passengers rode in 12 years.')"}
    endpoint.script["coder"] = [json.dumps({"description": "d", **code}) for code in (look, total)]
    report = await aresearch(
        "How many passengers rode the ferries, and which ferry carried most of them?",
        docs=[folder],
        max_plan_iterations=1,
    )
    planned, (first, second) = endpoint.asked("planner")[0], endpoint.asked("coder")
    assert "rides-2012.csv: 2 rows (the same columns in 11 further files with 22 rows: rides-2001.csv, " in planned
    assert "the same columns in 11 further files" in first
    assert '<looks left="2">' in first
    assert "Ferries: Ada, Ida" in second
    assert report.results[0].finding == f"{sum(range(2001, 2013)) + 120} passengers rode in 12 years."
