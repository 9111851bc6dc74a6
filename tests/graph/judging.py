"""A document on a ferry, whose sentences a scripted model quotes, judges and edits."""

import json
from collections.abc import Sequence
from pathlib import Path

from schemas.evidence import Claim
from schemas.reporter import Report
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before

QUESTION = "How many passengers did the ferry line of Norland carry, and who is its captain?"
QUOTES = [
    "The ferry line of Norland carried 18,200 passengers in 2019 and 23,400 passengers in 2021.",
    "Its captain, Ada Holm, may retire after the season; the harbour office has named nobody yet.",
    "Storms closed the northern pier for some weeks of the winter.",
]
RETIRES = "The captain of the ferry retires at the end of the season [E1-2]."
MAY_RETIRE = "The captain of the ferry may retire [E1-2]."


def quoted_whole(endpoint: OpenAIServer, folder: Path, title: str, quotes: Sequence[str]) -> Path:
    """Write one document, and script a model that plans one step and quotes all of it; return the folder."""
    folder.mkdir()
    (folder / f"{folder.name}.md").write_text(f"# {title}\n\n" + "\n\n".join(quotes) + "\n")
    step = {"id": "1", "title": title, "description": "d", "queries": [title]}
    endpoint.script["planner"] = [json.dumps({"title": title, "steps": [step]})]
    endpoint.script["researcher"] = [quoting(*quotes)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    return read_before(folder)


def verdicts(*given: tuple[int, str, str]) -> str:
    """Answer as a verifier: number, verdict and decisive words of each sentence."""
    return json.dumps(
        {"verdicts": [{"number": n, "reason": "r", "verdict": verdict, "words": words} for n, verdict, words in given]}
    )


def editing(*edits: tuple[str, str, str]) -> str:
    """Answer as an editor: block, action and text of each edit."""
    return json.dumps({"edits": [{"block": block, "action": action, "text": text} for block, action, text in edits]})


def claims(report: Report) -> dict[str, Claim]:
    return {claim.text.split()[0]: claim for claim in report.citations}
