"""An estimate of tokens in any script."""

import re

CJK_TOKENS = 0.8
"""Tokens a Chinese character takes beyond the quarter that the approximate counter gives it; rather too many than too few."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def estimate_cjk(text: str) -> int:
    """Return what Chinese characters add to an approximate count of four characters a token."""
    return int(CJK_TOKENS * len(_CJK.findall(text)))


def estimate(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(text) // 4 + estimate_cjk(text)
