"""llama.cpp without a server: a process for each model file of a run's process, on loopback and with a random key."""

from services.models.llamacpp.serve import addressed, at_hand, foreseen

__all__ = ["addressed", "at_hand", "foreseen"]
