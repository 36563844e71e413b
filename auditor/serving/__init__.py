"""The resident daemon: one decision model, hosted on this machine for every `/v1/systemone` client.

`serve` listens, `desk` keeps the line and the deadlines, `typed` puts requests as questions,
`replies` words what goes back, `hosted` opens the model, `metrics` counts.
"""
