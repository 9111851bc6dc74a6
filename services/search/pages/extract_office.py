"""Extracts the text of PDF, Word and Excel files from the web in a separate, confined process, whose libraries load slowly."""

from typing import cast

from services.run.ui_text import unsearched
from services.sandbox.jobs import serve
from services.search.files.convert_office import convert
from services.search.pages.extract import extract
from services.search.pages.extraction import Extracted, Job


def main() -> None:
    """Do the jobs from standard input."""
    serve(lambda job, body: extract(cast("Job", job), body, _office))


def _office(body: bytes, job: Job) -> Extracted:
    converted = convert(f"{job['name']}.{job['kind']}", body)
    if "error" in converted:
        return {"error": f"it {unsearched(converted['error'])}"}
    return {"text": converted["text"], "card": converted["card"]}
