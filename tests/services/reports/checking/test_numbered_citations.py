"""Citations by number in a text that never names excerpts by their ids."""

from schemas.evidence_view import EvidenceView
from services.reports.checking.numbered_citations import read_citations


def test_two_sources_with_one_title_stay_two() -> None:
    def view(key: str, published: str, quote: str) -> EvidenceView:
        return EvidenceView(id=key, title="Annual report", published=published, about="Harbour Office", quote=quote)

    shown = [
        view("E1-1", "2019", "The harbour of Norland took 120 ships in the year."),
        view("E1-2", "2019", "The pier of Norland was closed for three weeks."),
        view("E1-3", "2021", "The harbour of Norland took 340 ships in the year."),
    ]
    text = (
        "The harbour of Norland took 120 ships in the year [1]. The harbour of Norland took 340 ships in the year [2]."
    )
    assert read_citations(text, shown).endswith("took 340 ships in the year [E1-3].")
