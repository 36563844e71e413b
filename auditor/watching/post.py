"""A box where pieces wait for their one reader; too many at once, and it closes.

Owns how much may wait. Knows nothing of what it holds.
"""

from __future__ import annotations

import anyio


class Post:
    """Pieces in the order in which they came."""

    def __init__(self, most: int) -> None:
        """`most`: pieces that may wait."""
        self._most = most
        self._pieces: list[bytes] = []
        self._closed = False
        self._news = anyio.Event()

    def put(self, piece: bytes) -> None:
        """Add a piece; one too many closes the box, and what waits is thrown away."""
        if self._closed:
            return
        if len(self._pieces) >= self._most:
            self._pieces = []
            self._closed = True
        else:
            self._pieces.append(piece)
        self._news.set()

    def close(self) -> None:
        """Nothing more comes; what waits can still be read."""
        self._closed = True
        self._news.set()

    async def get(self) -> bytes:
        """Wait for pieces and give all there are, joined; nothing when it is closed."""
        while not self._pieces and not self._closed:
            self._news = anyio.Event()
            await self._news.wait()
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
