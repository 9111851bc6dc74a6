"""What it saves that a step's prompt carries the functions of its own servers only: prompt tokens, with five servers.

    python -m benchmarks.mcp_tools

The servers really run and are really asked: mcp-server-time and mcp-server-git from PyPI, `leadline mcp`, and the two of
`benchmarks/mcp_servers.py`. Tokens are estimated as the budget estimates them, four characters of JSON each; they are those
of one model call, and a step that works with tools makes several.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from rich.console import Console
from rich.table import Table

from prompts import render
from schemas.mcp import ToolView
from schemas.planner import PlannerPrompt
from schemas.researcher import ResearcherPrompt
from services.models.prompt_fit import estimate_tokens
from services.run.scope import Run
from services.run.settings import forget_settings
from services.tools.mcp.offered_tools import servers_once
from services.tools.mcp.registry import close_sessions
from services.tools.mcp.tools import mcp_tools

PROJECT = Path(__file__).resolve().parent.parent
RESULTS = PROJECT / "benchmarks" / "results" / "mcp_tools.json"
BIN = Path(sys.executable).parent
SERVERS: dict[str, dict[str, Any]] = {
    "time": {
        "command": str(BIN / "mcp-server-time"),
        "args": ["--local-timezone=UTC"],
        "description": "the present time, and conversions between time zones",
    },
    "git": {"command": str(BIN / "mcp-server-git"), "description": "history, changes and branches of git repositories"},
    "leadline": {
        "command": str(BIN / "leadline"),
        "args": ["mcp"],
        "description": "research in sources, with reports that prove what they say",
    },
    "wiki": {
        "command": sys.executable,
        "args": ["-m", "benchmarks.mcp_servers", "wiki"],
        "env": {"PYTHONPATH": str(PROJECT)},
        "description": "the company's wiki: pages, their history and comments",
    },
    "tickets": {
        "command": sys.executable,
        "args": ["-m", "benchmarks.mcp_servers", "tickets"],
        "env": {"PYTHONPATH": str(PROJECT)},
        "description": "tickets of all projects: search, counts, sprints, hours",
    },
}
QUESTION = "Which services had the most incidents last quarter, and what did the teams change after them?"


def function_tokens(tools: Sequence[BaseTool]) -> int:
    """Estimate the tokens of functions as they travel with a request."""
    return len(json.dumps([convert_to_openai_tool(tool) for tool in tools])) // 4


def step_tokens() -> int:
    """Estimate the tokens of a step's prompt without any functions."""
    prompt = ResearcherPrompt(
        question=QUESTION,
        locale="en-US",
        title="Incidents by service",
        description="Count the incidents of the last quarter by service and find the reviews written after them.",
        queries=["incidents of the last quarter by service", "incident reviews and the changes that followed"],
        feedback="",
        findings=[],
        passages=[],
        with_tools=True,
    )
    return estimate_tokens(render("researcher", prompt))


def planner_tokens(servers: list[ToolView]) -> int:
    """Estimate the tokens of a first plan's prompt."""
    prompt = PlannerPrompt(
        question=QUESTION,
        locale="en-US",
        today="2026-01-01",
        max_step_num=3,
        background=[],
        feedback=[],
        findings=[],
        gaps=[],
        tables=[],
        tools=servers,
        previous_plan="",
    )
    return estimate_tokens(render("planner", prompt))


async def measure() -> dict[str, Any]:
    """Connect to the servers and count."""
    run = Run()
    try:
        servers = await servers_once(run)
        if servers.failures:
            raise RuntimeError("\n".join(servers.messages("en-US")))
        tools = {view.name: (await mcp_tools(run, [view.name]))[0] for view in servers.views}
    finally:
        await close_sessions(run.journal.key)
    everything = function_tokens([tool for own in tools.values() for tool in own])
    base = step_tokens()
    rows: list[dict[str, Any]] = [
        {
            "server": name,
            "tools": len(own),
            "function_tokens": function_tokens(own),
            "prompt_own": base + function_tokens(own),
            "prompt_all": base + everything,
            "saved": round(1 - (base + function_tokens(own)) / (base + everything), 3),
        }
        for name, own in tools.items()
    ]
    return {
        "step_prompt_without_functions": base,
        "functions_of_all": everything,
        "planner_without_servers": planner_tokens([]),
        "planner_with_servers": planner_tokens(servers.views),
        "mean_prompt_own": round(sum(row["prompt_own"] for row in rows) / len(rows)),
        "mean_saved": round(1 - sum(row["prompt_own"] for row in rows) / len(rows) / (base + everything), 3),
        "steps": rows,
    }


def show(measured: dict[str, Any]) -> None:
    """Print the table."""
    table = Table("server of the step", "tools", "its functions", "prompt, own only", "prompt, all five", "saved")
    for row in measured["steps"]:
        cells = [row["server"], row["tools"], row["function_tokens"], row["prompt_own"], row["prompt_all"]]
        table.add_row(*map(str, cells), f"{row['saved']:.0%}")
    console = Console()
    console.print(table)
    added = measured["planner_with_servers"] - measured["planner_without_servers"]
    console.print(
        f"On average {measured['mean_saved']:.0%} saved; names and descriptions cost the planner {added} tokens."
    )


def main() -> None:
    """Measure, write the results and show them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mcp.json"
        file.write_text(json.dumps({"mcpServers": SERVERS}))
        os.environ["LEADLINE_MCP"] = str(file)
        forget_settings()
        measured = asyncio.run(measure())
    RESULTS.write_text(json.dumps(measured, indent=2) + "\n")
    show(measured)


if __name__ == "__main__":
    main()
