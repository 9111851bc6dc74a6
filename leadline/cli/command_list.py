"""List of all commands with their modules, so that help and completion of names load no module."""

from typing import NamedTuple

RESEARCH, REPORTS, MACHINE, SERVING = "Research", "Runs and reports", "Set up and measure", "Serve"
"""Headings of the commands in the help."""


class Listed(NamedTuple):
    """A command in the list."""

    module: str
    """Module with the command, in this folder."""
    heading: str
    summary: str
    """First paragraph of the command's help; a test checks this."""


COMMANDS = {
    "research": Listed("research", RESEARCH, "Research a question: plan, search, quote, check, report."),
    "follow": Listed(
        "research",
        RESEARCH,
        "Ask a follow-up to the latest report, or send a message to a running run.",
    ),
    "revise": Listed(
        "revise",
        RESEARCH,
        "Change a finished report: make it shorter, add a table or a section, translate it, or say in words what to change.",
    ),
    "resume": Listed(
        "research",
        RESEARCH,
        "Continue an interrupted run where it stopped; no call is made twice.",
    ),
    "runs": Listed("stored_runs", REPORTS, "List all runs; show, replay or export one; manage the memory."),
    "watch": Listed(
        "watch",
        REPORTS,
        "Check a report's statements again, and search for what is new on its question. Needs no model.",
    ),
    "verify": Listed(
        "checks",
        REPORTS,
        "Check a report offline: every stored text, quote, statement and citation; or check any Markdown file that cites it.",
    ),
    "demo": Listed(
        "demo",
        RESEARCH,
        "Play a recorded run of a strong model: plan, search, report, quotes. Needs no model.",
    ),
    "init": Listed(
        "init",
        MACHINE,
        "Connect a model and a web search: asks for them, tests them, and writes .env, readable only by you.",
    ),
    "doctor": Listed("checks", MACHINE, "Show what works on this machine and how to get what is missing."),
    "eval": Listed(
        "evaluate",
        MACHINE,
        "Research a list of questions and measure the reports; compare several settings. Started again, it continues.",
    ),
    "serve": Listed(
        "serve",
        SERVING,
        "Start the server with page and API, and open the page. Ctrl-C stops it; runs are kept in LEADLINE_HOME.",
    ),
    "mcp": Listed(
        "serve", SERVING, "Serve research, read_report and verify_report to MCP clients over stdin and stdout."
    ),
}
"""Commands in the order of the help."""

MOVED = {
    "batch": "leadline eval FILE",
    "compare": "leadline eval FILE, with --depth, --model or --prompts twice",
    "memory": "leadline runs forget",
    "models": "leadline doctor --models",
    "refresh": "leadline watch --once",
    "replay": "leadline runs replay",
    "report": "leadline runs export",
    "show": "leadline runs show",
    "steer": 'leadline follow RUN "…"',
}
"""Earlier commands, and what does their work now."""
