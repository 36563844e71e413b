"""Settings of a watcher under test: the product's, with waits of seconds instead of minutes."""

QUICK = """\
settle = 0.5
warm_up = 0
quiet = 8
unheard = 8
cooldown = 2
child_failed = 4
child_quiet = 8
parent_quiet = 5
rate_limit = [2.0]
toast = true
"""
