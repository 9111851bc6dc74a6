"""Numbers as others write them, read within bounds: Python refuses whole numbers of more than 4,300 digits, and others take long."""

import math

MAX_DIGITS = 100
"""Characters of the longest number that means a quantity; what is longer is a serial number, a key or an attack."""


def read_number(written: str) -> float | None:
    """Return the value of a number, with or without commas between its digits; None where it is none, too long or too large."""
    plain = written.replace(",", "")
    if not 0 < len(plain) <= MAX_DIGITS:
        return None
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
