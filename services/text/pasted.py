"""Tells a message's request from a text that it brings along to work on."""

import re

LONG = 2_000
"""Characters from which a message of several paragraphs brings a text along."""
_AROUND = ' \n\t:："“”«「『'
"""What stands between a request and the text behind it."""


def pasted_text(message: str, begins: str = "") -> tuple[str, str]:
    """Return the request of a message and the text that it brings along, which is empty where there is none.

    The request is the first or the last paragraph, whichever is shorter.

    Args:
        message: the whole message.
        begins: the text's first words, where a model has told them.
    """
    words = r"\s+".join(map(re.escape, begins.split()))
    told = re.search(words, message) if words else None
    if told and (request := message[: told.start()].strip(_AROUND)):
        return request, message[told.start() :].strip()
    if not told and len(message) < LONG:
        return message, ""
    parts = [part for part in message.splitlines() if part.strip()]
    if len(parts) < 2:
        return message, message if told else ""
    last = len(parts[-1]) < len(parts[0]) or told
    request, text = (parts[-1], parts[:-1]) if last else (parts[0], parts[1:])
    return request.strip(), "\n\n".join(text)
