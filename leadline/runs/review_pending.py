"""The exception of a run whose plan waits for a person."""


class ReviewPending(Exception):
    """The run waits for a review of its plan, but no reviewer was there."""
