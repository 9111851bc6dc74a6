"""The prompt for the wording of a report, whose reader has not seen its sources."""

from pydantic import BaseModel

from schemas.wishes import Form


class ReporterWordingPrompt(BaseModel):
    """Variables of `prompts/reporter_wording.md`."""

    question: str
    locale: str
    tone: str
    wishes: Form = Form()
    """Form and readers that are asked for."""
    draft: str
    """The report in Markdown, with its citations by the ids of excerpts."""
    draft_words: int
    """Its words without its code; in Chinese, characters."""
