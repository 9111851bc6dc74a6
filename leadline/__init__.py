"""Deep research that proves what it says.

`research(question)` runs the whole machine and returns a `Report`; `aresearch` is the same for code that already runs
in an event loop, and tells its progress as it goes: to a `Progress`, for one, which shows it in a notebook. `steer(text)` says something to a run
under way, and `asteer` is the same inside an event loop.
"""

from leadline.api import aresearch, research, steer
from leadline.progress.notebook import Progress
from leadline.runs.steer import asteer
from schemas.reporter import Report

__all__ = ["Progress", "Report", "aresearch", "asteer", "research", "steer"]
