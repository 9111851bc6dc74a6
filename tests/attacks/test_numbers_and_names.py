"""Numbers that are none and names that no file should have: each ends its own step or file at most."""

import json
from pathlib import Path

from schemas.planner import Plan, Step
from tests.attacks.conftest import Command
from tests.fakes.openai_server import OpenAIServer

LONG = "9" * 5_000
NUMBERS = f"""# The wire sounding machine

The wire sounding machine was designed by William Thomson in 1872 and weighed {LONG} kg.

The wire sounding machine made 1,{"111," * 2_000}111 soundings, {"1 000 " * 1_500}in all, or 1e999999 of them, ²² a day, on {LONG} days.

The wire sounding machine cost {"two million " * 2_000}pounds, {"亿" * 6_000}镑, or {"九" * 5_000}镑, {LONG}分之{LONG}. It was sold in the year {LONG}.
"""
TABLE = f'ship,depth_m,weight\nChallenger,{LONG},","\nVema,1e999999,²\nTuscarora,8513,{LONG}.5\n'
MAKING = """
import os
print("The two soundings of the Challenger have a mean of 7660.5 m.")
for name in (b"\\xff.csv", b"a\\nb.csv", b"\\x1b]0;x\\x07.csv", b"n" * 250 + b".csv", b"con.csv", b"-rf", "\\u202egpj.exe".encode(), b"<b>|.csv"):
    with open(name, "wb") as file:
        file.write(b"a,b\\n")
os.makedirs(b"folder\\xfe", exist_ok=True)
open(b"folder\\xfe/inside\\xfd.csv", "w").write("1")
"""


def test_a_document_and_a_table_with_numbers_of_thousands_of_digits(
    endpoint: OpenAIServer, command: Command, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "machine.md").write_text(NUMBERS)
    (docs / "copy.md").write_text(f"{NUMBERS}\nIt was reprinted in 1901.\n")
    (docs / "soundings.csv").write_text(TABLE)
    question = "Who designed the wire sounding machine, in which year, and what did it weigh and cost?"
    said = f"# The machine\n\nWilliam Thomson designed it in 1872 [E1-1]. It weighed {LONG} kg and cost {'九' * 5_000}镑 [E1-1].\n"
    endpoint.script |= {"reporter": [said]}
    done = command("research", question, "--docs", docs, "--format", "md,html")
    assert done.code == 0, done.err
    assert "1872" in done.out
    assert command("verify", done.folder).code == 0


def test_a_program_that_gives_its_files_names_that_are_none(
    endpoint: OpenAIServer, command: Command, docs: Path
) -> None:
    mean = Step(id="1", title="Mean", description="Mean of two depths", step_type="processing", need_web_search=False)
    checking = mean.model_copy(update={"id": "2", "title": "Again", "depends_on": ["1"]})
    again = "import os\nprint('The Challenger made 2 soundings; the folder has', len(os.listdir('.')) > 8, 'files.')"
    endpoint.script |= {
        "planner": [Plan(locale="en-US", title="Depths", steps=[mean, checking]).model_dump_json()],
        "coder": [json.dumps({"description": "mean", "code": code}) for code in (MAKING, again)],
    }
    question = "What is the mean depth of the Challenger soundings in the table?"
    done = command("research", question, "--docs", docs, "--max-plans", "1")
    assert done.code == 0, done.err
    assert done.folder is not None
    evidence = done.evidence
    assert [result["status"] for result in evidence["results"] if result["step_id"] in {"1", "2"}] == ["done", "done"]
    names = [artifact["name"] for artifact in evidence["artifacts"]]
    assert len(names) == len(set(names)) == 9
    assert "text/csv" in {artifact["media_type"] for artifact in evidence["artifacts"]}
    assert all(name.isprintable() and len(name.encode()) <= 250 for name in names)
    assert all((done.folder / artifact["file"]).read_bytes() for artifact in evidence["artifacts"])
    assert "True files" in done.out
    assert command("verify", done.folder).code == 0
