"""Turns -> examples with an answer -> a head (and an adapter) of a decision model.

Owns what a decision model is taught: labelled turns, turns whose answer is known because they were
cut or ended by us, and the numbers fitted on them. Never imported to decide anything.
"""
