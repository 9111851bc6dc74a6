"""The questions that stand in the README, the guides, the notebooks, the Makefile, the help texts and the page, found by code."""

import re

from tests.conftest import PROJECT

LONGEST = 200
_QUOTED = re.compile(rf"\\?[\"“]([^\"“”\\\n]{{6,{LONGEST}}}[?？])\\?[\"”]")
"""A question in quotation marks, as commands, programs and lists have it; in a notebook with a backslash before each."""
_EXAMPLES_OF_THE_PAGE = re.compile(r"export const EXAMPLES = \[(.*?)\];", re.DOTALL)
_GUIDES = (
    "README.md",
    "Makefile",
    "leadline/cli/app.py",
    "leadline/cli/examples.py",
    "docs/*.md",
    "examples/*.md",
    "notebooks/*.ipynb",
)


def guide_questions() -> dict[str, list[str]]:
    """Return each question with the files in which it stands."""
    found: dict[str, list[str]] = {}
    for pattern in _GUIDES:
        for path in sorted(PROJECT.glob(pattern)):
            for question in _QUOTED.findall(path.read_text("utf-8")):
                found.setdefault(question, []).append(str(path.relative_to(PROJECT)))
    for path in sorted((PROJECT / "leadline/server/pages").glob("words-*.js")):
        listed = _EXAMPLES_OF_THE_PAGE.search(path.read_text("utf-8"))
        for question in _QUOTED.findall(listed.group(1)) if listed else ():
            found.setdefault(question, []).append(str(path.relative_to(PROJECT)))
    return found
