"""From a model's outline to one that can be written: every excerpt has a section, every section has excerpts."""

from collections.abc import Sequence

from schemas.evidence_view import FindingView
from schemas.reporter_outline import Outline, OutlineSection

MAX_SECTIONS = 24


def settle_outline(outline: Outline, findings: Sequence[FindingView]) -> Outline:
    """Keep what can be written, and give excerpts that were forgotten to the section that holds most of their step.

    Args:
        outline: as the model gave it.
        findings: all evidence.

    Raises:
        ValueError: no section names an excerpt that there is.
    """
    step_of = {item.id: finding.step_id for finding in findings for item in finding.evidence}
    sections = [
        section.model_copy(
            update={"excerpt_ids": [item for item in dict.fromkeys(section.excerpt_ids) if item in step_of]}
        )
        for section in outline.sections[:MAX_SECTIONS]
    ]
    sections = [section for section in sections if section.excerpt_ids and section.title.strip()]
    if not sections:
        raise ValueError("no section names an excerpt that there is; give each section the excerpt_ids it needs")
    assigned = {item for section in sections for item in section.excerpt_ids}
    for item in [item for item in step_of if item not in assigned]:
        _home(sections, item, step_of).excerpt_ids.append(item)
    return outline.model_copy(update={"sections": sections})


def outline_by_steps(title: str, findings: Sequence[FindingView]) -> Outline:
    """Give each step that found something a section of its own."""
    sections = [
        OutlineSection(title=finding.title, focus=finding.finding, excerpt_ids=[item.id for item in finding.evidence])
        for finding in findings
        if finding.evidence
    ]
    return Outline(title=title, sections=sections[:MAX_SECTIONS])


def _home(sections: Sequence[OutlineSection], item: str, step_of: dict[str, str]) -> OutlineSection:
    return max(sections, key=lambda section: sum(step_of[other] == step_of[item] for other in section.excerpt_ids))


def evidence_for(section: OutlineSection, findings: Sequence[FindingView]) -> list[FindingView]:
    """Return the findings with a section's evidence alone."""
    excerpt_ids = set(section.excerpt_ids)
    chosen = [
        finding.model_copy(update={"evidence": [item for item in finding.evidence if item.id in excerpt_ids]})
        for finding in findings
    ]
    return [finding for finding in chosen if finding.evidence]
