"""The errors of LiteLLM by their class name, for the harnesses that reach models through it."""

from __future__ import annotations

from auditor.turn import TurnError

# Class -> (HTTP status, whether the same call can succeed later): litellm/exceptions.py. The
# second is the status's usual meaning, and what Aider and mini-swe-agent retry themselves.
_ERRORS: dict[str, tuple[int | None, bool]] = {
    "APIConnectionError": (500, True),
    "APIError": (500, True),
    "APIResponseValidationError": (422, False),
    "AuthenticationError": (401, False),
    "BadGatewayError": (502, True),
    "BadRequestError": (400, False),
    "BudgetExceededError": (None, False),
    "ContentPolicyViolationError": (400, False),
    "ContextWindowExceededError": (400, False),
    "InternalServerError": (500, True),
    "InvalidRequestError": (400, False),
    "NotFoundError": (404, False),
    "PermissionDeniedError": (403, False),
    "RateLimitError": (429, True),
    "ServiceUnavailableError": (503, True),
    "Timeout": (408, True),
    "UnprocessableEntityError": (422, False),
    "UnsupportedParamsError": (400, False),
}


def known(name: str) -> bool:
    """Whether LiteLLM has an error of this name."""
    return name in _ERRORS


def error(name: str, message: str = "") -> TurnError:
    """The error of that class; status and retryable None for a class nobody knows."""
    status, retryable = _ERRORS.get(name, (None, None))
    return TurnError(name, message, status, retryable)
