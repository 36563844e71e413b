"""What to do about a session that runs: pure, no clock, no I/O; harness-neutral.

`situation` is what is known of a session at one moment, `settings` what the person chose,
`spent` what was done before; `planning` says what to do next, or when to look again. Everything is
level-triggered: the same plan is made when something is noticed and again, on fresh facts, right
before anything is sent. Nothing here sends.
"""
