"""A turn of a conversation: its question, its steps, and users' messages during the run."""
