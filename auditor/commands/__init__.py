"""The command line, a file for each command or group: parse, call, print; no logic."""
