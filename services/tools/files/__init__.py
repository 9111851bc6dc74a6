"""Files of the folders that a run was given: which may be opened, and what they hold."""
