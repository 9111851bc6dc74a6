"""The environment of what is measured: without the settings and keys of who measures."""

import os

OWN = (
    "OPENAI_", "TAVILY_", "LEADLINE_", "LANGCHAIN_", "LANGSMITH_", "OTEL_", "BRAVE_", "EXA_", "SERPER_", "SEARXNG_",
    "OPENALEX_", "SEMANTIC_SCHOLAR_", "GITHUB_TOKEN",
)  # fmt: skip
"""Beginnings of the names of variables that would connect a model, open the web, or change what a run does."""


def plain_environment(*kept: str) -> dict[str, str]:
    """Return the environment without these variables; those of `kept` stay."""
    return {name: value for name, value in os.environ.items() if name in kept or not name.startswith(OWN)}
