"""List of all commands with their modules, so that help and completion of names load no module; and the examples in their help, all of which tests run."""

from typing import NamedTuple

from rich.markup import escape

from leadline.progress.terminal import as_typed

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
        "stored_runs",
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


EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "research": [
        ("Ask your own documents", 'leadline research "Who designed the sounding machine?" --docs papers'),
        (
            "See the plan first, and change it in words",
            'leadline research "Why was tallow used, and by whom?" --docs papers --review',
        ),
        (
            "As deep as possible; the first line says what that takes",
            'leadline research "Why was tallow used?" --docs papers --depth exhaustive',
        ),
        (
            "A page and slides, in Chinese",
            'leadline research "Who was Kelvin?" --format html,slides --locale zh-CN',
        ),
        ("Set a time limit", 'leadline research "Who was Kelvin?" --docs papers --max-seconds 120'),
        ("Ask from a file, read the answer in a script", "leadline research - --docs papers --json < question.txt"),
    ],
    "demo": [("What a connected model adds, in twenty seconds", "leadline demo")],
    "follow": [
        ("The first question that the latest report recommends", "leadline follow 1"),
        ("In your own words", 'leadline follow "And where was he born?"'),
        ("Narrow a run that is running in another terminal", 'leadline follow 20261124-09 "only the tallow"'),
    ],
    "revise": [
        ("A shorter version of the latest report", 'leadline revise "Shorter, please."'),
        ("Add a table of the findings", 'leadline revise "Add a table of the depths with who measured them"'),
        ("Remove a section; needs no model", 'leadline revise --without "Conclusion"'),
    ],
    "resume": [
        ("Continue after Ctrl-C, a crash or a review", "leadline resume"),
    ],
    "runs": [
        ("All runs", "leadline runs"),
        ("For a script", "leadline runs --json"),
        ("The latest report as a page and as slides", "leadline runs export --format html,slides"),
    ],
    "runs show": [
        ("What the latest run found, and what it cost", "leadline runs show"),
        ("Where did the time go?", "leadline runs show --calls"),
        ("The report as it was before it was changed", "leadline runs show --version 1"),
    ],
    "runs replay": [
        ("Play the latest finished run again, without any call", "leadline runs replay --out again"),
    ],
    "runs export": [
        ("The latest report as a page and as slides", "leadline runs export --format html,slides"),
        ("A report with all its evidence in another folder", "leadline runs export --format md,html --out elsewhere"),
    ],
    "runs forget": [
        ("What runs with --memory have remembered, with ids", "leadline runs forget"),
        ("Forget everything", "leadline runs forget --all --yes"),
    ],
    "watch": [
        (
            "Does the latest report still hold, and what is new since it, or since the last check?",
            "leadline watch --once",
        ),
    ],
    "doctor": [
        ("What works here, and how to get what does not", "leadline doctor"),
        ("Every check, with what installs what is missing", "leadline doctor --all"),
        ("Which model has which role, and does it answer?", "leadline doctor --models"),
        ("For a script", "leadline doctor --json"),
    ],
    "init": [
        ("Be asked", "leadline init"),
        (
            "Without questions: a server on this machine",
            "leadline init --endpoint http://127.0.0.1:8080/v1 --model qwen3 --no-check",
        ),
        ("Search papers, and no model", "leadline init --provider none --search openalex+arxiv"),
    ],
    "verify": [
        ("Check a report, byte by byte", "leadline verify out/who-designed-the-sounding-machine"),
        ("All of them", "leadline verify out/*"),
        (
            "Check your own text that cites it",
            "leadline verify article.md --bundle out/who-designed-the-sounding-machine",
        ),
    ],
    "eval": [
        (
            "One question per line, eight at a time; run it again to continue",
            "leadline eval questions.txt --docs papers --jobs 8",
        ),
        (
            "Compare two depths on questions with known facts",
            "leadline eval set.jsonl --depth quick --depth standard --docs papers",
        ),
    ],
    "serve": [
        ("Ask, watch and read in a browser", "leadline serve"),
        ("On another port, without opening a browser", "leadline serve --port 8000 --no-open"),
    ],
    "mcp": [
        ("Give an MCP client this command", "leadline mcp"),
    ],
}
"""Purpose and command line of each example, by command."""


def examples(command: str) -> str:
    """Return the examples for the end of a command's help."""
    shown = [
        f"[dim]# {escape(what)}[/dim]\n[green]{escape(as_typed(line))}[/green]" for what, line in EXAMPLES[command]
    ]
    heading = "[bold]Example[/bold]" if len(shown) == 1 else "[bold]Examples[/bold]"
    return "\n".join([heading, *shown])
