"""What `redact` takes out, what it leaves, that it is idempotent, and that it is linear."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from auditor.redact import placeholders, redact, redacted_with_counts

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

TAKEN = [
    ("an OpenAI key", f"sk-proj-{LETTERS}", "<KEY>"),
    ("an Anthropic key in a sentence", f"use sk-ant-api03-{LETTERS} here", "use <KEY> here"),
    ("a GitHub token", f"ghp_{LETTERS}", "<KEY>"),
    ("a token in colour", f"\x1b[31mghp_{LETTERS}\x1b[0m", "<KEY>"),
    ("a colour in a colour", f"\x1b[\x1b[31m1mghp_{LETTERS}", "<KEY>"),
    ("a fine-grained GitHub token", f"github_pat_11A_{LETTERS}", "<KEY>"),
    ("a GitLab token", f"glpat-{LETTERS[:20]}", "<KEY>"),
    ("a Hugging Face token", f"hf_{LETTERS[:34]}", "<KEY>"),
    ("a Google key", f"AIza{LETTERS[:35]}", "<KEY>"),
    ("an AWS key id", "AKIAABCDEFGHIJKLMNOP", "<KEY>"),
    ("a Slack token", f"xoxb-{LETTERS}", "<KEY>"),
    ("a Stripe key", f"sk_live_{LETTERS[:24]}", "<KEY>"),
    ("a Resend key", "re_AbCdEfGh_0123456789abcdefghij", "<KEY>"),
    ("a Mailgun key", "key-0123456789abcdef0123456789abcdef", "<KEY>"),
    ("a Telegram bot", f"bot12345678:AA{LETTERS[:33]}/me", "bot12345678<KEY>/me"),
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
    ("a password after a Chinese colon", "密码：abc12345", "密码：<KEY>"),
    ("a password in Spanish", "contraseña: clave2024", "contraseña: <KEY>"),
    ("a key with a blank in its name", "Secret key: abcd1234", "Secret key: <KEY>"),
    ("a password in a sentence", "the password is hunter2.", "the password is <KEY>."),
    (
        "a password some words on",
        "My password for staging is Tr0ub4dor&3, ok?",
        "My password for staging is <KEY>, ok?",
    ),
    ("a quoted password in a sentence", "password is `swordfish`", "password is `<KEY>`"),
    ("a changed password", "password changed to fish99", "password changed to <KEY>"),
    ("a password to use", "log in with password hunter2!", "log in with password <KEY>!"),
    ("a user and a password", "joe and password `s3cret`", "joe and password `<KEY>`"),
    ("a password in German", "Das Passwort ist geheim123.", "Das Passwort ist <KEY>."),
    ("a password in Chinese", "密码是abc12345", "密码是<KEY>"),
    ("a password in French", "mot de passe est azerty12", "mot de passe est <KEY>"),
    ("an API key in a sentence", "its API key is 1f2fe4aa208f", "its API key is <KEY>"),
    ("a passphrase with dashes", "passphrase is correct-horse-7", "passphrase is <KEY>"),
    ("a password in a URL", "postgres://joe:pw@db/x", "postgres://<KEY>@db/x"),
    ("an e-mail address", "ask joe.b+x@mail.example.org now", "ask <EMAIL> now"),
    ("an address after Chinese", "邮箱joe@example.com", "邮箱<EMAIL>"),
    ("a Linux home", "/home/joe/work", "/home/<USER>/work"),
    ("a macOS home", "cd /Users/anna", "cd /Users/<USER>"),
    ("a Windows home", "C:\\Users\\Max Muster\\x", "C:\\Users\\<USER>\\x"),
    ("a Windows home in JSON", '"C:\\\\Users\\\\max\\\\x"', '"C:\\\\Users\\\\<USER>\\\\x"'),
    ("a prompt", "joe@laptop:~/work$ ls", "<USER>:~/work$ ls"),
    ("a prompt of a Mac", "joe@laptop ~ % ls", "<USER> ~ % ls"),
    ("a prompt in brackets", "[joe@server01 work]$ ls", "[<USER> work]$ ls"),
    ("a copy to a host", "scp a.txt joe@box:/srv", "scp a.txt <USER>:/srv"),
    ("a login", "ssh -p 22 -i key joe@box", "ssh -p 22 -i key <USER>"),
    ("a login at an address", "ssh joe@192.168.1.20", "ssh <USER>"),
    ("an IPv4 address with a port", "at 192.168.1.20:80", "at <IP>:80"),
    ("an IPv6 address", "from 2001:db8::8329 on", "from <IP> on"),
    ("an international number", "call +49 171 1234567", "call <PHONE>"),
    ("an international number in one", "call +49 1711234567", "call <PHONE>"),
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
    ("a decorator after an escaped line break", "\\n@limiter.limit(9)"),
    ("a version of a token library", '"jsonwebtoken": "^9.0.6"'),
    ("how fetch treats credentials", "credentials: 'include'"),
    ("the folder of a shell", "OLDPWD=/srv/project"),
    ("a picture of a provider", "pplx-full-logo-primary-dark"),
    ("a URL to be filled in", "postgres://${USER}:${PASS}@db and redis://:{pw}@db"),
    ("a home to be filled in", "C:\\Users\\{name}\\x and C:\\Users\\%USERNAME%\\x"),
    ("a public name server", "nameserver 8.8.8.8"),
    ("a rule for passwords", "the password is 8-character at least"),
    ("a word about passwords", 'the password is "required"'),
    ("how passwords are kept", "the password is sha256 hashed"),
    ("a file about passwords", "password validation is tested in users2.py"),
    ("a file beside a password", "the password is kept where config2.yaml says"),
    ("a clone", "git clone git@github.com:a/b.git"),
    ("a picture for two densities", "icon@2x.png"),
    ("a unit of systemd", "getty@tty1.service"),
    ("nobody's address", "noreply@example.com"),
    ("root's prompt", "root@3f2a1b:/app# ls"),
    ("root's login", "ssh root@box"),
    ("a lock file", '"dep@npm:~1.2.3", "dep@workspace:~", dep@file:/x'),
    ("a word that holds key-", "monkey-0123456789abcdef0123456789abcdef"),
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


W, DIGITS, UPPER = LETTERS + "_-", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEX = DIGITS + "abcdef"


def drawn(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


WORTH = drawn(LETTERS, 6, 30).map(lambda word: f"{word}7")
"""A password: it has a digit, so that it needs no quotes."""

FAMILIES: dict[str, st.SearchStrategy[tuple[str, str]]] = {
    # family -> what stands in the text, and the part of it that must not survive
    **{
        start: body.map(lambda key, start=start: (f"{start}{key}", key))
        for starts, body in (
            (
                "sk- sk-proj- sk-ant-api03- sk-or-v1- glpat- glrt- xapp- hvs. ya29.",
                drawn(W, 20, 60),
            ),
            ("ghp_ gho_ ghr_ ghs_ ghu_ hf_ npm_ r8_", drawn(LETTERS, 30, 40)),
            ("github_pat_ gsk_ whsec_ lin_api_ shpat_ dckr_pat_ rubygems_", drawn(LETTERS, 22, 60)),
            ("sk_live_ rk_test_ pk_live_ xoxb- xoxp-", drawn(LETTERS, 16, 40)),
            ("dop_v1_ lsv2_ dapi key-", drawn(HEX, 32)),
            ("AKIA ASIA", drawn(UPPER, 16)),
            ("AIza", drawn(W, 35)),
            (
                "xai- pplx- nvapi- GOCSPX- pypi- tvly-",
                drawn(W, 24, 60).map(lambda key: f"{key}7"),
            ),
            ("ATATT3", drawn(LETTERS, 50, 80)),
            ("LTAI", drawn(LETTERS, 16, 20)),
            ("12345678:AA", drawn(LETTERS, 32, 33)),
            ("https://hooks.slack.com/services/", drawn(UPPER, 20, 40)),
        )
        for start in starts.split()
    },
    "SendGrid": drawn(LETTERS, 16, 22).map(lambda key: (f"SG.{key}.{key}", key)),
    "a web token": drawn(LETTERS, 8, 40).map(lambda key: (f"eyJ{key}.eyJ{key}.{key}", key)),
    "a private key": drawn(LETTERS + "\n", 40, 200).map(
        lambda key: (f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----", key)
    ),
    **{
        form: WORTH.map(lambda word, form=form: (form.format(word), word))
        for form in (
            "password={}",
            "DB_PASSWORD: {}",
            '"client_secret": "{}"',
            "api_key = '{}'",
            "Authorization: Bearer {0}{0}",
            "--token={}",
            "Cookie: sid={}",
            "postgres://joe:{}@db/x",
            "the password is {}",
            "the password for the test server was `{}`",
            "use password {}",
            "密码是{}",
        )
    },
    "an e-mail address": drawn(LETTERS, 3, 20).map(
        lambda name: (f"{name}x@mail.example.org", name)
    ),
    **{
        form: drawn(LETTERS, 3, 20).map(
            lambda name, form=form: (form.format(f"{name}q"), f"{name}q")
        )
        for form in (
            "/home/{}/work",
            "/Users/{}/work",
            "C:\\Users\\{}\\work",
            "{}@laptop:~/work$",
            "ssh {}@box",
        )
    },
    "an IPv4 address": st.tuples(st.integers(11, 99), st.integers(100, 255)).map(
        lambda n: (f"{n[0]}.{n[1]}.{n[1]}.{n[0]}", f"{n[0]}.{n[1]}.{n[1]}.{n[0]}")
    ),
    "an IPv6 address": drawn("123456789abcdef", 4).map(
        lambda word: (f"2001:db8::{word}:{word}", f"{word}:{word}")
    ),
    "a telephone number": drawn(DIGITS, 9).map(lambda rest: (f"call +49 1{rest}", rest)),
}
AROUND = st.text(max_size=30) | st.text("\"'`<>=:@/\\(){}[],;.$& \n+-_", max_size=12)
PAIRS = [" \n", "  ", "()", "``", "[]", ",,", "\n\n", "\t;"]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_no_secret_survives_whatever_stands_around_it(family: str, data: st.DataObject) -> None:
    written, secret = data.draw(FAMILIES[family])
    before, after = data.draw(AROUND), data.draw(AROUND)
    assume(secret not in before + after)
    opens, closes = data.draw(st.sampled_from(PAIRS))
    once = redact(f"{before}{opens}{written}{closes}{after}")
    assert secret not in once
    assert redact(once) == once


def test_what_was_put_in_is_counted_and_what_stood_there_is_not() -> None:
    clean, counts = redacted_with_counts(
        "<IP> <KEY> password=abcdef1 a@b.example.org, c@b.example.org"
    )
    assert counts == {"<KEY>": 1, "<EMAIL>": 2}
    assert placeholders(clean) == {"<KEY>": 2, "<EMAIL>": 2, "<IP>": 1}
    assert redacted_with_counts("nothing") == ("nothing", {})


HOSTILE = [
    "a@", "a.", "1.", "1.1.1.1", ":a", "://", "://a:", "sk-", "eyJa.", "eyJaaaaaaaa.", "password=",
    "token='", "secret: ", "-----BEGIN RSA PRIVATE KEY-----", "/home/", "C:\\Users\\", "+1 234 ",
    "2001:", "cookie: a=", "authorization: ", "a", " ", "bearer a", "((212) ", "joe@x.com ", '="',
    "://a:b@", "_key=a1 ", "\\", "password is ", "password a b c d is ", "with password ", "密码是",
    'token is "a', "ssh a b ", "ssh a@", "@a ~", "a@b:", "joe@<IP>", "12345678:AA",
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
