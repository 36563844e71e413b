"""Whether a path lies on another machine's disk, as far as the system says so without being asked.

Linux lists its mounts in a file; other systems have no such file, and there nothing is noticed.
"""

from __future__ import annotations

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

NETWORK = frozenset(
    "nfs nfs4 cifs smb2 smb3 smbfs ncpfs afs 9p ceph glusterfs lustre beegfs gpfs orangefs davfs"
    " vboxsf fuse.glusterfs fuse.sshfs fuse.rclone fuse.s3fs fuse.davfs2".split()
)
"""File systems, as Linux names them, whose locks or shared memory do not reach every machine that
writes (sqlite.org/wal.html, "all processes must be on the same host"), or not reliably."""


def network(path: Path) -> str | None:
    """Name the network file system that holds a path that is there; None: none, or not known."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        where = path.resolve()
    except OSError:
        return None
    best, found = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")[0]
        place = Path(_plain(fields[4])) if len(fields) > 4 else None
        if place and len(place.parts) >= best and (place == where or place in where.parents):
            best, found = len(place.parts), kind  # a later mount on the same place hides it
    return found if found in NETWORK else None


def _plain(written: str) -> str:
    """Undo the octal escapes of the list, which has no blanks inside a name."""
    for code in (r"\040", r"\011", r"\012", r"\134"):
        written = written.replace(code, chr(int(code[1:], 8)))
    return written
