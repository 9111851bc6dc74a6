"""Bounded texts: what comes from outside has an end, as a run's choices and profiles are kept, shown and asked about."""

from typing import Annotated

from pydantic import StringConstraints

Name = Annotated[str, StringConstraints(max_length=200)]
Line = Annotated[str, StringConstraints(max_length=2_000)]
Paragraph = Annotated[str, StringConstraints(max_length=5_000)]
Folder = Annotated[str, StringConstraints(max_length=4_096)]
"""A path, as long as systems take one."""
Domain = Annotated[str, StringConstraints(max_length=253)]
"""A host's name, as long as there are any."""
MAX_DOMAINS = 200
MAX_FOLDERS = 100
