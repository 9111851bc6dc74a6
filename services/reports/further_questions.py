"""Follow-up questions for a report by rules that its sources can answer."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.reports.report_draft import title_question
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.run.ui_text import is_chinese
from services.text.suggestions import recommended


async def further_questions(
    state: ResearchState, text: str, excerpts: Sequence[Excerpt], evidence: EvidenceStore
) -> list[str]:
    """Return questions that the cited sources of a report by rules can answer.

    Args:
        state: state of the run.
        text: text of the report, with excerpt ids as citations.
        excerpts: its citable excerpts.
        evidence: the texts of the sources.
    """
    cited = [excerpt for excerpt in excerpts if f"[{excerpt.id}]" in text]
    texts: dict[str, str] = {}
    for key in dict.fromkeys(excerpt.content_hash for excerpt in cited if excerpt.content_hash in state["sources"]):
        source = state["sources"][key]
        if source.kind != "computation":
            with suppress(StoreError):
                texts[source.title] = await evidence.get_text(key)
    told = [excerpt.quote for excerpt in cited]
    before = [message.text for message in state.get("messages", []) if message.type == "human"]
    return await asyncio.to_thread(recommended, title_question(state), is_chinese(state["locale"]), texts, told, before)
