"""A number that a program prints is verified only where what the program was given holds what it was computed from."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.reports.bundle_files import seal
from tests.attacks.conftest import Command, Finished
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting

QUESTION = "What is the mean depth of the soundings, and when was William Thomson born?"
BORN = "William Thomson was born in Belfast in 1824."
KNIGHTED = "He was knighted in 1866 for his work on the Atlantic telegraph cable."
TABLE = "import pandas as pd\ntable = pd.read_csv('soundings.csv')\n"
MEAN = f"{TABLE}print(f'The mean of the {{len(table)}} depths is {{table.depth_m.mean():,.1f}} m.')"


def script(endpoint: OpenAIServer, code: str, claim: str, *, research: bool = False) -> None:
    """Plan a computation, with a search before it, let the coder write the program, and the reporter a claim."""
    steps: list[dict[str, Any]] = [
        {"id": "1", "title": "Mean", "description": "Compute it.", "step_type": "processing", "need_web_search": False}
    ]
    if research:
        search = {"id": "1", "title": "Thomson", "description": "d", "queries": ["William Thomson born knighted"]}
        steps = [search, steps[0] | {"id": "2", "depends_on": ["1"]}]
        endpoint.script["researcher"] = [quoting(BORN, KNIGHTED, finding=BORN)]
    endpoint.script["planner"] = [json.dumps({"title": "Depths", "steps": steps})]
    endpoint.script["coder"] = [json.dumps({"description": "the mean", "code": code})]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    cited = claim if "[E" in claim else f"{claim.removesuffix('.')} [E{len(steps)}-1]."
    endpoint.script["reporter"] = [f"# Soundings\n\n{cited}\n"]


Researched = Callable[..., Finished]


@pytest.fixture
def researched(endpoint: OpenAIServer, docs: Path, command: Command) -> Researched:
    """Run a research of which a program is the second half."""

    def run(code: str, claim: str, *options: str, research: bool = False) -> Finished:
        script(endpoint, code, claim, research=research)
        done = command("research", QUESTION, "--docs", docs, "--max-plans", 1, *options)
        assert done.code == 0, done.err
        return done

    return run


@pytest.mark.parametrize(
    ("code", "untraced"),
    [
        ("print('The mean depth is 12,345 m.')", ["no input", "12,345"]),
        ("import base64\nprint('The mean depth is', base64.b64decode('MTIzNDU=').decode(), 'm.')", ["no input"]),
    ],
)
def test_a_number_that_no_source_gives_is_not_verified(
    researched: Researched, command: Command, code: str, untraced: list[str]
) -> None:
    done = researched(code, "The mean depth is 12,345 m.")
    [claim] = done.evidence["claims"]
    assert not claim["verified"]
    assert claim["reason"].startswith("Computed from numbers that are in no source")
    assert "unverified" in done.report
    assert any("numbers that are in no source" in one for one in done.evidence["limits"])
    [result] = done.evidence["results"]
    assert result["finding"].startswith("Not verified")
    [computation] = [one for one in done.evidence["sources"] if one["kind"] == "computation"]
    assert computation["untraced"] == untraced
    assert command("verify", done.folder).code == 0, "the bundle is honest"


def test_of_a_program_that_prints_such_a_number_what_it_computes_stays_verified(
    researched: Researched, command: Command
) -> None:
    code = f"{MEAN}\nprint('The trench is 12,345 m deep.')"
    done = researched(code, "The mean of the 3 depths is 8,107.0 m [E1-1]. The trench is 12,345 m deep [E1-2].")
    claims = {claim["text"]: claim for claim in done.evidence["claims"]}
    assert [claim["verified"] for claim in claims.values()] == [True, False]
    assert claims["The trench is 12,345 m deep."]["reason"].startswith(
        "The program prints as they stand in it: 12,345."
    )
    assert command("verify", done.folder).code == 0


def test_the_report_says_so_in_chinese(researched: Researched) -> None:
    done = researched("print('平均深度为12345米。')", "平均深度为12345米。", "--locale", "zh-CN")
    [claim] = done.evidence["claims"]
    assert not claim["verified"]
    assert claim["reason"].startswith("由没有来源给出的数字计算得出")
    assert "由没有来源给出的数字计算得出" in done.report


def test_a_quote_of_what_such_a_program_printed_is_not_verified_either(researched: Researched) -> None:
    done = researched("print('The mean depth is 12,345 m.')", "\n> The mean depth is 12,345 m.")
    assert [one["verified"] for one in done.evidence["claims"]] == [False]


@pytest.mark.parametrize("before", ["", TABLE])
def test_a_later_program_cannot_make_such_a_number_a_source(
    endpoint: OpenAIServer, docs: Path, command: Command, before: str
) -> None:
    script(endpoint, "", "The mean depth is 12,345 m.")
    step = {"title": "t", "description": "d", "step_type": "processing", "need_web_search": False}
    steps = [{**step, "id": "1"}, {**step, "id": "2", "title": "u", "depends_on": ["1"]}]
    endpoint.script["planner"] = [json.dumps({"title": "Depths", "steps": steps})]
    codes = [
        f"{before}print('The mean depth is 12,345 m.')",
        "depth = 12345  # E1-1\nprint(f'The mean depth is {depth:,} m.')",
    ]
    endpoint.script["coder"] = [json.dumps({"description": "the mean", "code": code}) for code in codes]
    endpoint.script["reporter"] = ["# Soundings\n\nThe mean depth is 12,345 m [E2-1].\n"]
    done = command("research", QUESTION, "--docs", docs, "--max-plans", 1)
    assert done.evidence["claims"]
    assert not any(one["verified"] for one in done.evidence["claims"])


def test_a_computation_over_a_table_stays_verified(researched: Researched, command: Command) -> None:
    done = researched(MEAN, "The mean of the 3 depths is 8,107.0 m.")
    [claim] = done.evidence["claims"]
    assert claim["verified"], claim["reason"]
    assert [one["untraced"] for one in done.evidence["sources"] if one["kind"] == "computation"] == [[]]
    assert command("verify", done.folder).code == 0


def test_a_program_that_puts_names_of_files_together_and_repeats_their_first_rows_stays_verified(
    researched: Researched, command: Command
) -> None:
    code = (
        "import pandas as pd\ntables = [pd.read_csv(f'{name}.csv') for name in ['soundings']]\n"
        "print(f'The mean since 1874 is {pd.concat(tables).depth_m.mean():,.1f} m.')"
    )
    done = researched(code, "The mean since 1874 is 8,107.0 m.")
    [claim] = done.evidence["claims"]
    assert claim["verified"], claim["reason"]
    assert "Tables: soundings.csv" in done.report
    assert command("verify", done.folder).code == 0


def test_a_computation_over_numbers_of_excerpts_stays_verified(researched: Researched, command: Command) -> None:
    code = "born = 1824  # E1-1\nknighted = 1866  # E1-2\nprint(f'He was knighted {knighted - born} years after his birth.')"
    done = researched(code, "He was knighted 42 years after his birth.", research=True)
    [claim] = done.evidence["claims"]
    assert claim["verified"], claim["reason"]
    assert command("verify", done.folder).code == 0


def test_verify_traces_the_numbers_of_a_program_anew(researched: Researched, command: Command) -> None:
    done = researched("print('The mean depth is 12,345 m.')", "The mean depth is 12,345 m.")
    assert done.folder is not None
    place = done.folder / "evidence.json"
    content = json.loads(place.read_text("utf-8"))
    [computation] = [one for one in content["sources"] if one["kind"] == "computation"]
    computation["untraced"] = []
    content["claims"][0] |= {"verified": True, "reason": ""}
    content["evidence_sha256"] = seal(content)
    place.write_text(json.dumps(content, ensure_ascii=False))
    checked = command("verify", done.folder)
    assert checked.code == 1
    assert "its program has numbers that no source gives: no input, 12,345" in checked.out + checked.err
