"""Measurements of the real command and the real server; `README.md` says what each one shows and how to repeat it."""
