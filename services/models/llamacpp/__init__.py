"""llama.cpp without a server: one process of this machine serves a model file to all runs that name it.

The first run starts the process (`child.py`), which listens on loopback and wants a random key; others join it. Every run holds a
shared lock while it uses the process, and the process ends once nobody holds that lock: the system releases it also for a run that
was killed.
"""

from services.models.llamacpp.availability import addressed, at_hand
from services.models.llamacpp.serve import foreseen

__all__ = ["addressed", "at_hand", "foreseen"]
