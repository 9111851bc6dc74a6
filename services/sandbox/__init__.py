"""Running model-written code, isolated by the operating system."""

from services.sandbox.canaries import CanaryResult
from services.sandbox.sandbox import Sandbox, SandboxResult

__all__ = ["CanaryResult", "Sandbox", "SandboxResult"]
