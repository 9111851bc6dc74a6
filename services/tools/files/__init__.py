"""Access to files of a run's folders, and their contents."""
