"""Live watching: what sessions do, what is planned about it, and the deed, at most once.

`watcher` is the loop; `connection` keeps a mirror of one server; `auditing` audits turns that
ended, `permits` asks the gate what may be sent, `acting` does it. `hub` and `relay` bring in
sessions whose harness opens no port, `board`, `view`, `stats` and `notify` are what people see.
"""
