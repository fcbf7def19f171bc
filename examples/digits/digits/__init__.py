"""Reads handwritten digits with a small network."""
