"""List of all commands with their modules, so that help and completion of names load no module."""

from typing import NamedTuple

RESEARCH, REPORTS, MACHINE, SERVING = "Research", "Runs and their reports", "Set up and check", "Serve"
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
        "Ask further, with what is known so far: by default after the latest run. What that run chose holds.",
    ),
    "resume": Listed(
        "research",
        RESEARCH,
        "Go on with an interrupted run where it stopped; nothing that was answered is asked again.",
    ),
    "steer": Listed(
        "research",
        RESEARCH,
        "Say something to a run while it goes on; by default the one that began last. The planner hears it at the next boundary.",
    ),
    "replay": Listed(
        "research",
        RESEARCH,
        "Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same.",
    ),
    "batch": Listed("research", RESEARCH, "Research many questions; started again, it goes on where it stopped."),
    "revise": Listed(
        "revise",
        RESEARCH,
        "Change a finished report: shorter, restructured, with a table or a section more, in another language or tone.",
    ),
    "runs": Listed("stored_runs", REPORTS, "List all runs, the newest first."),
    "show": Listed(
        "stored_runs",
        REPORTS,
        "Show what a run did when: every call, how long it took, and what waited for what; or a version of its report.",
    ),
    "report": Listed(
        "stored_runs",
        REPORTS,
        "Make files of a finished run's report: a page, slides, PowerPoint, Word, PDF, BibTeX, CSL-JSON. Nothing is asked or searched.",
    ),
    "refresh": Listed(
        "stored_runs",
        REPORTS,
        "Read a report's documents and pages again, and show which claims hold, changed or fell. No model is asked.",
    ),
    "watch": Listed(
        "watch",
        REPORTS,
        "Check a report's claims again, and search for what is new on its question since the last check. No model is asked.",
    ),
    "memory": Listed("memory", REPORTS, "Show what is remembered of the reports of runs with --memory, and forget it."),
    "init": Listed(
        "init",
        MACHINE,
        "Connect a model and a web search: asks, tries them out, and writes .env, which only you can read.",
    ),
    "models": Listed(
        "checks",
        MACHINE,
        "Show which model each role will use, and check each with one tiny call. What it finds out is kept for runs.",
    ),
    "doctor": Listed("checks", MACHINE, "Show what works on this machine, what is missing, and how to get it."),
    "verify": Listed(
        "checks",
        REPORTS,
        "Check a report offline: every stored text, quote, claim and citation; or any Markdown against the report it cites.",
    ),
    "compare": Listed(
        "checks",
        MACHINE,
        "Compare prompts, models or depths on a set of questions: evidence found, claims verified, calls, tokens, cost, seconds.",
    ),
    "eval": Listed(
        "evaluate",
        MACHINE,
        "Evaluate models, depths, prompts and searches on a set of questions, side by side; started again, it goes on.",
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
