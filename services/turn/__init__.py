"""A turn of a conversation: its question, its steps, and what people say meanwhile."""
