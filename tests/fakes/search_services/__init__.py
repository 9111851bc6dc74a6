"""Loopback twins of search services: each answers at the path of the original, in its form, and refuses what that refuses."""
