"""What `redact` takes out, what it leaves, that it is idempotent, and that it is linear."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.redact import redact

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

TAKEN = [
    ("an OpenAI key", f"sk-proj-{LETTERS}", "<KEY>"),
    ("an Anthropic key in a sentence", f"use sk-ant-api03-{LETTERS} here", "use <KEY> here"),
    ("a GitHub token", f"ghp_{LETTERS}", "<KEY>"),
    ("a fine-grained GitHub token", f"github_pat_11A_{LETTERS}", "<KEY>"),
    ("a GitLab token", f"glpat-{LETTERS[:20]}", "<KEY>"),
    ("a Hugging Face token", f"hf_{LETTERS[:34]}", "<KEY>"),
    ("a Google key", f"AIza{LETTERS[:35]}", "<KEY>"),
    ("an AWS key id", "AKIAABCDEFGHIJKLMNOP", "<KEY>"),
    ("a Slack token", f"xoxb-{LETTERS}", "<KEY>"),
    ("a Stripe key", f"sk_live_{LETTERS[:24]}", "<KEY>"),
    ("a web token", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "<KEY>"),
    (
        "a private key",
        "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
        "a\n<KEY>\nb",
    ),
    ("a private key that is cut off", "-----BEGIN PRIVATE KEY-----\nMIIE", "<KEY>"),
    ("a bearer header", "Authorization: Bearer abcdef123456", "Authorization: Bearer <KEY>"),
    ("a cookie header", "Cookie: sid=a1b2c3; theme=dark", "Cookie: <KEY>"),
    ("a password in an environment file", "DB_PASSWORD=correcthorse", "DB_PASSWORD=<KEY>"),
    ("a quoted password", 'password = "hunter2"', 'password = "<KEY>"'),
    ("a secret in JSON", '{"client_secret": "abcd-efgh"}', '{"client_secret": "<KEY>"}'),
    ("a secret in JSON in JSON", '{\\"api_key\\": \\"abcd\\"}', '{\\"api_key\\": \\"<KEY>\\"}'),
    ("a YAML password with a digit", "password: hunter22", "password: <KEY>"),
    ("a password in a URL", "postgres://joe:pw@db/x", "postgres://<KEY>@db/x"),
    ("an e-mail address", "ask joe.b+x@mail.example.org now", "ask <EMAIL> now"),
    ("an address after Chinese", "邮箱joe@example.com", "邮箱<EMAIL>"),
    ("a Linux home", "/home/joe/work", "/home/<USER>/work"),
    ("a macOS home", "cd /Users/anna", "cd /Users/<USER>"),
    ("a Windows home", "C:\\Users\\Max Muster\\x", "C:\\Users\\<USER>\\x"),
    ("a Windows home in JSON", '"C:\\\\Users\\\\max\\\\x"', '"C:\\\\Users\\\\<USER>\\\\x"'),
    ("an IPv4 address with a port", "at 192.168.1.20:80", "at <IP>:80"),
    ("an IPv6 address", "from 2001:db8::8329 on", "from <IP> on"),
    ("an international number", "call +49 171 1234567", "call <PHONE>"),
    ("an American number", "call (212) 555-0123", "call <PHONE>"),
]

LEFT = [
    ("a word that holds sk-", "the task-force-of-the-whole-organisation"),
    ("a commit hash", "commit 4f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f"),
    ("a UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("a version of three", "react 18.2.0"),
    ("a version of four", "version 1.2.3.4"),
    ("a pinned version", "pkg==1.2.3.4"),
    ("a browser version", "Chrome/120.0.0.0"),
    ("a version with a letter", "v1.2.3.4"),
    ("loopback", "127.0.0.1 and 0.0.0.0"),
    ("a network", "10.0.0.0/8"),
    ("a number too large", "256.1.1.1"),
    ("a clock time", "12:34:56"),
    ("a C++ name", "std::vector<int>"),
    ("a package at a version", "react@18.2.0"),
    ("a decorator", "\n@pytest.mark.parametrize"),
    ("a call", "token = get_token()"),
    ("an attribute", "token=self.token"),
    ("a type", "password: string"),
    ("a variable", "API_KEY=$KEY"),
    ("a count of tokens", "max_tokens=4096, tokens: 12345"),
    ("prose about passwords", "the password: keep it safe"),
    ("a path of a web site", "example.com/home/products"),
    ("a shared folder", "/Users/Shared/x"),
    ("a changed line of numbers", "+100 200 300 400"),
    ("an expression", "f(a) + (b)"),
]


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(t, e, id=sentence) for sentence, t, e in TAKEN]
)
def test_takes_out(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize("text", [pytest.param(t, id=sentence) for sentence, t in LEFT])
def test_leaves(text: str) -> None:
    assert redact(text) == text


PIECES = [text for _, text, _ in TAKEN] + [text for _, text in LEFT]
PIECES += ["<KEY>", "<EMAIL>", "<", ">", "=", ":", "@", "/", "\\", '"', " ", "\n", "+", ".", "1"]
PIECES += ["password=", "://", "token", "/home/", "İ", "a@b.co", "1.2.3.4", "Bearer "]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join))
def test_is_idempotent(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


HOSTILE = [
    "a@", "a.", "1.", "1.1.1.1", ":a", "://", "://a:", "sk-", "eyJa.", "eyJaaaaaaaa.", "password=",
    "token='", "secret: ", "-----BEGIN RSA PRIVATE KEY-----", "/home/", "C:\\Users\\", "+1 234 ",
    "2001:", "cookie: a=", "authorization: ", "a", " ", "bearer a", "((212) ", "joe@x.com ", '="',
    "://a:b@", "_key=a1 ", "\\",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_is_linear_on_hostile_text(piece: str) -> None:
    """Ten times the text takes at most 25 times the time, where it takes any time at all."""
    large = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    small = min(_seconds(large[:100_000]) for _ in range(3))
    assert _seconds(large) < max(25 * small, 1.0)


def _seconds(text: str) -> float:
    """CPU seconds of this process, whatever else the machine does."""
    begun = time.process_time()
    redact(text)
    return time.process_time() - begun
