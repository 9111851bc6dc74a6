"""Runs: started, resumed, replayed, refreshed, and kept with what they found."""
