"""Tells instructions to a reader from statements, by their grammar: a bare verb at the beginning, the second person, a call before a colon.

An instruction has no subject before its verb, and its object stands right behind it: a comma there ends an adverb ("However, the …") or
a name ("Geosat, a satellite, …"). Beyond that it is strict: where a sentence may be either, it counts as an instruction. What is taken
for one is quoted as before, and not remembered.
"""

import re

from services.text.passages import sentences
from services.text.tokens import STOP_WORDS

_MARKS = re.compile(r"^(?:[\W_]|\d+[.)、]\s)+")
_WORD = r"[^\W\d_]+(?:['’][^\W\d_]+)?"
_FIRST_WORDS = re.compile(rf"({_WORD})(?:[\s*_`\"'“‘(\[]+({_WORD}))?")
"""The first word, and the second where nothing but a blank, an emphasis or an opening quotation mark stands between them."""
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b|[你您请]", re.IGNORECASE)
_CALLS = frozenset("please always never do don't don’t let let's let’s be".split())
"""Words that begin a request, and hardly ever a statement."""
_CALLS_CHINESE = re.compile(r"^(?:务必|必须|切勿|切记|不要|不得|勿|别(?!的|名))")
_BEFORE_NOUNS = (STOP_WORDS - frozenset("tell give list name".split())) | frozenset(
    "above across against along although amid among amongst around because before behind below beneath beside besides beyond both despite "
    "down even except half here inside just like near nearly now off once only out outside past perhaps since still though through throughout "
    "till today toward towards unless unlike until upon via whatever whenever whereas wherever whether while within without yesterday yet".split()
)
"""Words without inflection, other than verbs, that may stand before a noun with its article at the beginning of a statement."""
_OBJECTS = frozenset(
    "the a an that this these those it them him her me us all every any each no yes nothing only my your our his their its".split()
)
"""Words with which the object of a verb begins, or a subject."""
_INFLECTED = re.compile(r"(?:ing|ed|ly|(?<!s)s)$", re.IGNORECASE)
_LETTERS = r"[^\W\d_\u4e00-\u9fff]+"
_CALL_BEFORE_COLON = re.compile(rf"(?:{_LETTERS}(?:\s{_LETTERS}){{0,5}}|[\u4e00-\u9fff]{{1,6}})\s?[:：]\s?(.{{0,400}})")
_CLAUSE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|must|should|does|did)\b|[是为有了会被]", re.IGNORECASE
)
"""A verb of a whole sentence: behind a colon a label has none (`Challenger: year 1875, depth 8184`)."""

_SENTENCE = re.compile(r"^(?:[^\W\d_]+(?:['’][^\W\d_]+)?\s){3}[^\W\d_]|[\u4e00-\u9fff]{4}|[.。!！]$")
"""A sentence with any other verb: four words in a row, or a stop at its end."""


def gives_instruction(text: str) -> bool:
    """Tell whether a sentence of a text tells its reader to do something."""
    return any(_instructs(text[span.start : span.end]) for span in sentences(text))


def _instructs(sentence: str) -> bool:
    line = _MARKS.sub("", sentence)
    if _SECOND_PERSON.search(line) or _CALLS_CHINESE.match(line):
        return True
    words = _FIRST_WORDS.match(line)
    first, second = (word.lower() if word else "" for word in words.groups()) if words else ("", "")
    behind = _CALL_BEFORE_COLON.match(line)
    if behind and (
        _instructs(behind[1]) or (first not in _OBJECTS and (_CLAUSE.search(behind[1]) or _SENTENCE.search(behind[1])))
    ):
        return True
    return first in _CALLS or (second in _OBJECTS and first not in _BEFORE_NOUNS and not _INFLECTED.search(first))
