"""Counts of a server, as Prometheus reads them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds: from a small model on a GPU to many questions on two cores (guesses)."""

TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What happened since the start. For one thread."""

    def __init__(self) -> None:
        self.responses: Counter[int] = Counter()
        self.questions: Counter[str] = Counter()
        self.tokens = 0
        self._seconds = 0.0
        self._within: Counter[float] = Counter()
        self._requests = 0

    def answered(self, seconds: float) -> None:
        """Count a request that was answered, and how long it took."""
        self._requests += 1
        self._seconds += seconds
        self._within.update(bucket for bucket in BUCKETS if seconds <= bucket)

    def text(self, waiting: int) -> str:
        """Write everything down; `waiting`: requests that are being answered or stand in line."""
        return "\n".join([*self._lines(waiting), ""])

    def _lines(self, waiting: int) -> Iterator[str]:
        yield "# TYPE auditor_responses_total counter"
        for status, count in sorted(self.responses.items()):
            yield f'auditor_responses_total{{status="{status}"}} {count}'
        yield "# TYPE auditor_questions_total counter"
        for kind, count in sorted(self.questions.items()):
            yield f'auditor_questions_total{{type="{kind}"}} {count}'
        yield "# TYPE auditor_tokens_total counter"
        yield f"auditor_tokens_total {self.tokens}"
        yield "# TYPE auditor_request_seconds histogram"
        for bucket in BUCKETS:
            yield f'auditor_request_seconds_bucket{{le="{bucket:g}"}} {self._within[bucket]}'
        yield f'auditor_request_seconds_bucket{{le="+Inf"}} {self._requests}'
        yield f"auditor_request_seconds_sum {self._seconds:.6f}"
        yield f"auditor_request_seconds_count {self._requests}"
        yield "# TYPE auditor_requests_waiting gauge"
        yield f"auditor_requests_waiting {waiting}"
        if (resident := resident_bytes()) is not None:
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {resident}"


def resident_bytes() -> int | None:
    """Memory of this process that is in RAM; None where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no file of ours
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
