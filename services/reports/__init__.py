"""Reports: the reporter's Markdown, checked and rendered with its citations."""
