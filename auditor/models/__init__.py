"""The decision models: which are known, where their files lie, and how they get there.

`registry` knows them, `pull` brings one, the rest serves these two. Nothing here asks a model
anything; that is a backend's business.
"""
