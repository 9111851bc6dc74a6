"""Databases that the operator named: what may be asked of them, who asks, and what they hold."""
