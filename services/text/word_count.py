"""How many words a text has, in any script."""

import re

_IDEOGRAPHS = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]++(?>(?:['’.,-][^\W_{_IDEOGRAPHS}]++)*)")
_CITATION = re.compile(r"\[(?:[^\[\]\n]{0,40}?[:：])?\s{0,4}[BEMT]\d{1,9}-\d{1,9}[^\[\]\n]{0,200}\]")


def words_in(text: str) -> int:
    """Count the words of a text without its citations; in Chinese and Japanese each character is one."""
    return len(_WORD.findall(_CITATION.sub("", text)))
