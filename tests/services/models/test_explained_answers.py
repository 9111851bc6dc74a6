"""What a model is told is wrong with its answer: our own words, and where, without those of the library that checks."""

import pytest
from pydantic import BaseModel, ValidationError, field_validator

from services.models.structured_output import explain


class _Depth(BaseModel):
    metres: int

    @field_validator("metres")
    @classmethod
    def _below(cls, value: int) -> int:
        if value < 0:
            msg = "a depth is not negative"
            raise ValueError(msg)
        return value


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"metres": -1}, "metres: a depth is not negative"),
        ({}, "metres: Field required"),
    ],
)
def test_an_answer_that_does_not_fit_is_explained_without_the_librarys_prefix(
    answer: dict[str, int], told: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        _Depth.model_validate(answer)
    assert explain(caught.value) == told
