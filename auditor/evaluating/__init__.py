"""Labelled turns -> how right we are, beside plain references; and what else could be."""
