"""What the planner is shown of the documents: what there is, the tables nearest to the question, and the titles of what a first search came upon."""

import json
from pathlib import Path

from leadline import aresearch
from services.search.files_read import overview
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import written

QUESTION = "Compare the piers of Norland at which the ferry calls, and how many passengers it carries."


def piers(count: int) -> dict[str, str]:
    return {f"Pier {number}": f"The ferry calls at pier {number} of Norland." for number in range(count)}


async def test_planner_sees_the_tables_near_the_question_and_the_titles_of_texts_that_have_no_room(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = written(tmp_path / "ferries", piers(9))
    for number in range(14):
        (folder / f"a{number:02}.csv").write_text(f"tide {number},height\n" + "".join(f"{n},{n}.5\n" for n in range(5)))
    written(folder / "log", {f"Day {n:02}": f"Wind of force {n % 8}, and no ship in sight." for n in range(40)})
    (folder / "z.csv").write_text("ferry,passengers\n" + "".join(f"{n},{n}00\n" for n in range(5)))
    endpoint.script["researcher"] = [quoting("The ferry calls at pier 1 of Norland.")]
    await aresearch(QUESTION, docs=[folder])
    [planned] = endpoint.asked("planner")
    nearby = planned.partition("<nearby>")[2].partition("</nearby>")[0].strip().splitlines()
    assert sum(line.startswith("Pier ") for line in nearby) == 9
    folders = planned.partition("<folders>")[2].partition("</folders>")[0].strip().splitlines()
    assert folders[0].startswith("ferries: 24, such as ")
    assert folders[1:] == ["ferries/log: 40, such as Day 00; Day 20; Day 39"]
    tables = planned.partition("<tables>")[2].partition("</tables>")[0].strip().splitlines()
    *described, others = tables
    assert [line.partition(" ")[0].rstrip(":") for line in described] == ["z.csv", "ferries-texts.jsonl"]
    assert others.startswith("Further tables, nearest first: a00.csv (5 rows), a01.csv (5 rows), ")


def test_the_largest_part_of_a_folder_is_told_by_the_folders_in_it() -> None:
    files = [(f"site/content/docs/v{version}/{page}.md", f"{page}") for version in (1, 2) for page in range(40)]
    files += [("site/content/_index.md", "Start"), ("site/content/blog/news.md", "News")]
    assert overview(sorted(files)) == [
        "site/content: 1, such as Start",
        "site/content/blog: 1, such as News",
        "site/content/docs/v1: 40, such as 0; 27; 9",
        "site/content/docs/v2: 40, such as 0; 27; 9",
    ]


async def test_planner_and_reflector_see_the_titles_of_a_small_folder_once(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    endpoint.script["researcher"] = [quoting("The ferry calls at pier 1 of Norland.")] * 4
    await aresearch(QUESTION, docs=[written(tmp_path / "ferries", piers(3))])
    for role in ("planner", "reflector"):
        [asked] = endpoint.asked(role)
        assert "<folders>\nPier 0\nPier 1\nPier 2\n</folders>" in asked
        assert "<nearby>" not in asked
    [body] = [body for body in endpoint.requests if role_of(body) == "planner"]
    assert "Nothing but these folders can be searched" in body["messages"][0]["content"]


async def test_a_later_plan_sees_the_tables_near_what_is_missing(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = written(tmp_path / "ferries", piers(3))
    for number in range(14):
        (folder / f"a{number:02}.csv").write_text(f"tide {number},height\n1,2.5\n2,3.5\n")
    (folder / "y.csv").write_text("mooring,price\n1,20\n2,30\n")
    (folder / "z.csv").write_text("ferry,passengers\n1,100\n2,200\n")
    endpoint.script["researcher"] = [quoting("The ferry calls at pier 1 of Norland.")]
    missing = {"has_enough_context": False, "missing_aspects": ["the price of a mooring"]}
    endpoint.script["reflector"] = [json.dumps(missing), json.dumps({"has_enough_context": True})]
    await aresearch(QUESTION, docs=[folder])
    first, second, *_ = (asked.partition("<tables>")[2].strip() for asked in endpoint.asked("planner"))
    assert "y.csv: " not in first
    assert "y.csv: 2 rows; columns: mooring" in second
