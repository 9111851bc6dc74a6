"""What a run can choose. The model is `schemas.context.RunContext`, because nodes read it too and may not import the graph."""

from schemas.context import RunContext

__all__ = ["RunContext"]
