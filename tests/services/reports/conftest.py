"""Drafts of reports over sources that lie in an evidence store."""

from collections.abc import Callable, Iterator

import pytest
from langgraph.store.memory import InMemoryStore

from schemas.evidence import Excerpt, Source
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.markdown import ReportInputs, finish_report
from services.reports.markdown_blocks import read_draft
from services.run.evidence_store import EvidenceStore, content_hash
from services.text.copies import fingerprint
from services.text.normal_form import normalise_text
from tests.fakes.browser import Page, chromium, needs_chromium
from tests.fakes.excerpts import stretch

TEXTS = {
    "web": "The voyage.\n\nOn 23 March 1875 HMS Challenger sounded 4,475 fathoms near Guam.\n\nIt went on to Japan.",
    "paper": "Deep-sea wire.\n\nThe piano wire of Lucas replaced the hemp line, which had been slow and heavy.\n",
    "plan": "实施方案\n\n2018年8月30日，教育部等八部门印发实施方案，要求到2030年小学生近视率下降到38%以下。",
}
QUOTES = {
    "E1-1": ("web", "On 23 March 1875 HMS Challenger sounded 4,475 fathoms near Guam."),
    "E1-2": ("web", "It went on to Japan."),
    "E2-1": ("paper", "The piano wire of Lucas replaced the hemp line, which had been slow and heavy."),
    "E3-1": ("plan", "2018年8月30日，教育部等八部门印发实施方案，要求到2030年小学生近视率下降到38%以下。"),
}
PLACES = {"web": "https://example.org/a (b)?q=1|2", "paper": "papers/wire notes.md", "plan": "政策/方案.md"}

Make = Callable[..., ReportInputs]
Finished = Callable[..., Report]


def source_of(name: str, **changes: object) -> Source:
    text = TEXTS[name]
    source = Source(
        url=PLACES[name],
        title=f"The {name}",
        kind="web" if name == "web" else "document",
        content_hash=content_hash(text),
        fingerprint=fingerprint(text),
    )
    return source.model_copy(update=changes)


def excerpt_of(one: str) -> Excerpt:
    name, quote = QUOTES[one]
    text = normalise_text(TEXTS[name])
    return stretch(quote, text, one, content_hash(text))


@pytest.fixture
def draft() -> Make:
    """Make a draft; sources and excerpts are named by their keys."""

    def make(
        markdown: str, *, excerpts: list[str] | None = None, sources: list[Source] | None = None, **fields: object
    ) -> ReportInputs:
        sources = [source_of(name) for name in TEXTS] if sources is None else sources
        chosen = [excerpt_of(one) for one in (list(QUOTES) if excerpts is None else excerpts)]
        given = {"question": "How deep is the trench?", "locale": "en-US", "title": "The depth of the trench", **fields}
        by_hash = {one.content_hash: one for one in sources}
        return ReportInputs(blocks=read_draft(markdown), excerpts=chosen, sources=by_hash, **given)  # type: ignore[arg-type]  # fields are the test's

    return make


@pytest.fixture
def finished(draft: Make) -> Finished:
    """Finish the report of a draft that is named in the same way."""
    return lambda markdown, **fields: finish_report(draft(markdown, **fields), Usage())


def in_browser(test: Callable[..., object]) -> Callable[..., object]:
    """Mark a test as one in Chromium, which `make test-long` runs."""
    marked: Callable[..., object] = pytest.mark.long(needs_chromium(test))
    return marked


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as started:
        yield started


@pytest.fixture
async def evidence() -> EvidenceStore:
    store = EvidenceStore(InMemoryStore())
    for text in TEXTS.values():
        await store.put_text(text)
    return store
