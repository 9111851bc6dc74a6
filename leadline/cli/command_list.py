"""List of all commands with their modules, so that help and completion of names load no module."""

from typing import NamedTuple

RESEARCH, REPORTS, MACHINE, SERVING = "Research", "Runs and their reports", "Set up and measure", "Serve"
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
        "Ask further after the latest run, or say something to a run that is going on.",
    ),
    "revise": Listed(
        "revise",
        RESEARCH,
        "Change a finished report: shorter, restructured, with a table or a section more, in another language or tone.",
    ),
    "resume": Listed(
        "research",
        RESEARCH,
        "Go on with an interrupted run where it stopped; nothing that was answered is asked again.",
    ),
    "runs": Listed("stored_runs", REPORTS, "List all runs; show, replay and export one, forget what was remembered."),
    "watch": Listed(
        "watch",
        REPORTS,
        "Check a report's claims again, and search for what is new on its question since the last check. No model is asked.",
    ),
    "verify": Listed(
        "checks",
        REPORTS,
        "Check a report offline: every stored text, quote, claim and citation; or any Markdown against the report it cites.",
    ),
    "demo": Listed(
        "demo",
        RESEARCH,
        "Play a recorded run of a strong model over the example documents: plan, rounds, report, quotes. Asks no model.",
    ),
    "init": Listed(
        "init",
        MACHINE,
        "Connect a model and a web search: asks, tries them out, and writes .env, which only you can read.",
    ),
    "doctor": Listed("checks", MACHINE, "Show what works on this machine, what is missing, and how to get it."),
    "eval": Listed(
        "evaluate",
        MACHINE,
        "Research a list of questions and measure the reports, also of several settings side by side; started again, it goes on.",
    ),
    "serve": Listed(
        "serve",
        SERVING,
        "Serve the page and the API, and open the page. Everything is kept below LEADLINE_HOME; Ctrl-C stops it.",
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
