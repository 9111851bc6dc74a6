"""Progress of a run as people see it: lines, a live picture, a notebook's output, and the review of a plan."""
