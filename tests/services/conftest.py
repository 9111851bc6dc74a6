"""Excerpts that the tests of citations cite."""

import pytest

from schemas.evidence import Excerpt

QUOTES = {
    "E2-1": "On 23 March 1875 HMS Challenger sounded 4,475 fathoms near Guam in the Mariana Trench.",
    "E3-2": "The piano wire of Lucas replaced the hemp line, which had been slow and heavy.",
    "E4-1": "2018年8月30日，教育部等八部门印发《综合防控儿童青少年近视实施方案》，"
    "要求到2030年小学生近视率下降到38%以下。",
    "E4-2": "每天户外活动两小时以上，可使近视发生风险降低约三分之一。",
}


@pytest.fixture
def excerpts() -> dict[str, Excerpt]:
    return {
        one: Excerpt(id=one, content_hash=f"source of {one}", quote=quote, start=0, end=len(quote))
        for one, quote in QUOTES.items()
    }
