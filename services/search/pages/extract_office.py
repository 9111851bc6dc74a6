"""PDF, Word and Excel files from the web to text, in a process of their own that is locked in: what reads them is slow to load."""

from typing import cast

from services.sandbox.jobs import serve
from services.search.convert_office import convert
from services.search.pages.extract import extract
from services.search.pages.extraction import Extracted, Job

OCR_SECONDS = 10.0
"""That the images of a PDF file from the web may be read for."""


def main() -> None:
    """Do the jobs that come on standard input."""
    serve(lambda job, body: extract(cast("Job", job), body, _office))


def _office(body: bytes, job: Job) -> Extracted:
    converted = convert(f"{job['name']}.{job['kind']}", body, OCR_SECONDS)
    if "error" in converted:
        return {"error": f"it {converted['error']}"}
    return {"text": converted["text"], "title": converted["title"], "published": converted["published"]}
