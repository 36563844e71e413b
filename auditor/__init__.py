"""The turn auditor: decides for every turn of a coding agent whose move is next."""
