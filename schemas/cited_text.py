"""What the prompts that ask for cited sentences have in common: their language, and the full stop that ends a citation."""

from pydantic import BaseModel, computed_field


class CitedTextPrompt(BaseModel):
    """Variables of a template whose answer cites excerpts."""

    locale: str

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorated properties
    @property
    def stop(self) -> str:
        """Full stop of the language."""
        return "。" if self.locale.startswith("zh") else "."
