"""Text that can be stored and shown: without control characters and halves of characters, which JSON can smuggle in."""

import re
from typing import Any

_UNSOUND = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def sound(value: Any) -> Any:
    """Return plain data whose every text is sound; keys, too."""
    if isinstance(value, str):
        return _UNSOUND.sub("", value)
    if isinstance(value, list):
        return [sound(one) for one in value]
    if isinstance(value, dict):
        return {sound(key): sound(one) for key, one in value.items()}
    return value
