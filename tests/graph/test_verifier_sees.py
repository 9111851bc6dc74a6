"""The verifier sees of a table the cited row with the heads of its columns, and not the rows below it."""

from pathlib import Path

from leadline import aresearch
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.graph.judging import QUESTION, quoted_whole, verdicts

ROWS = ["| Holm | 18,200 |", "| Roy | 23,400 |", "| Berg | 9,900 |"]
TABLE = "\n".join(["| Captain | Passengers |", "|---|---|", *ROWS])


async def test_of_a_table_the_cited_row_is_shown_and_not_those_below_it(endpoint: OpenAIServer, tmp_path: Path) -> None:
    ferry = quoted_whole(endpoint, tmp_path / "ferry", "The ferry of Norland", [TABLE])
    endpoint.script["researcher"] = [quoting(ROWS[0])]
    endpoint.script["reporter"] = ["A captain took people across [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "not_told", ""))]
    await aresearch(QUESTION, docs=[ferry])
    [message] = endpoint.asked("verifier")
    assert [message.count(row) for row in ROWS] == [1, 0, 0]
    assert message.count('columns="| Captain | Passengers |"') == 1
