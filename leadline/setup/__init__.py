"""Setting up: `leadline init` and `leadline doctor`, and what one check of it found."""

from typing import Final, Literal

from pydantic import BaseModel

State = Literal["ok", "note", "broken"]
OK: Final = "ok"
NOTE: Final = "note"
BROKEN: Final = "broken"


class Check(BaseModel):
    """One thing that was looked at."""

    area: str
    name: str
    state: State
    """`ok`; `note`: something optional is missing or switched off; `broken`: something needed does not work."""
    found: str
    remedy: str = ""
    """What to do, where there is something to do."""
