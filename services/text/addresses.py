"""Addresses that stand in a text by themselves."""

import re

_END = r"[^\s<>\"'）)\]】，。；、|`]"
URL = re.compile(
    rf"\b(?:(?:https?|ftps?|file|data|javascript|vbscript|mailto):/{{0,2}}|www\.){_END}+|"
    rf"(?<![\w.-])(?:[\w-]{{1,63}}\.){{1,6}}(?:com|org|net|gov|edu|cn|io|info)/{_END}*",
    re.IGNORECASE,
)
