"""Reports: checks the reporter's Markdown, and renders it with its citations."""
