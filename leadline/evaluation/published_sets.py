"""Converts published question sets to our form; the format of a row is recognised by its fields.

- DeepResearch Bench: `query.jsonl` (`prompt`) and `criteria.jsonl` (`prompt`, `criterions`, `dimension_weight`).
- DeepResearch Bench II: `tasks_and_rubrics.jsonl` (`content` with `task`, `rubric` and `blocked`).
- ScholarQABench: `test_configs_snippets.json` (`case_id`, `initial_prompt`, `metric_config`).
"""

from collections.abc import Mapping
from typing import Any

from schemas.judge_dimensions import DIMENSIONS

RUBRIC_DIMENSIONS = {"info_recall": "comprehensiveness", "analysis": "insight", "presentation": "readability"}
"""Dimension of each part of DeepResearch Bench II's rubric."""


def as_ours(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a published row to our fields; rows in our form are unchanged.

    Values of a wrong type stay unchanged, and are refused when the row is validated.
    """
    content, config = row.get("content"), row.get("metric_config")
    if isinstance(content, Mapping) and "rubric" in content:
        return _of_rubric(row, content)
    if isinstance(config, Mapping):
        return _of_test_case(row, config)
    if "question" not in row and ("prompt" in row or "query" in row):
        return _of_prompt(row)
    return dict(row)


def _of_prompt(row: Mapping[str, Any]) -> dict[str, Any]:
    by_dimension = row.get("criterions", row.get("criteria", {}))
    criteria: Any = by_dimension
    if isinstance(by_dimension, Mapping):
        criteria = [
            _criterion(criterion, dimension, row.get("dimension_weight"))
            for dimension, listed in by_dimension.items()
            for criterion in (listed if isinstance(listed, list) else [listed])
        ]
    weights = row.get("dimension_weight", {})
    return {
        "question": row.get("prompt", row.get("query")),
        "id": row.get("id", ""),
        "language": row.get("language", ""),
        "criteria": criteria,
        "dimension_weights": weights,
        "reference": row.get("article", row.get("reference", "")),
    }


def _criterion(criterion: Any, dimension: str, weights: Any) -> Any:
    """Return a criterion weighted by its share of the whole report: its own weight times its dimension's."""
    if not isinstance(criterion, Mapping):
        return criterion
    text, explanation = criterion.get("criterion"), criterion.get("explanation")
    weight, whole = criterion.get("weight", 1.0), weights.get(dimension, 1.0) if isinstance(weights, Mapping) else 1.0
    both = isinstance(weight, int | float) and isinstance(whole, int | float)
    return {
        "text": f"{text}: {explanation}" if text and explanation else text,
        "weight": weight * whole if both else weight,
        "dimension": dimension if dimension in DIMENSIONS else "",
    }


def _of_rubric(row: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    rubric, blocked = content["rubric"], content.get("blocked")
    criteria: Any = rubric
    if isinstance(rubric, Mapping):
        criteria = [
            {"text": text, "dimension": RUBRIC_DIMENSIONS.get(part, "")}
            for part, listed in rubric.items()
            for text in (listed if isinstance(listed, list) else [listed])
        ]
    return {
        "question": content.get("task", row.get("prompt")),
        "id": row.get("id", row.get("idx", "")),
        "language": row.get("language", ""),
        "criteria": criteria,
        "excluded": blocked.get("urls", []) if isinstance(blocked, Mapping) else [],
    }


def _of_test_case(row: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    inner = config.get("config")
    inner = inner if isinstance(inner, Mapping) else {}
    properties: Any = inner.get("other_properties", [])
    if isinstance(properties, list):
        properties = [
            {"text": part.get("criterion"), "weight": part.get("weight", 1.0)} if isinstance(part, Mapping) else part
            for part in properties
        ]
    return {
        "question": row.get("initial_prompt", inner.get("question")),
        "id": row.get("case_id", ""),
        "criteria": properties,
    }
