"""How secrets look: keys by what their provider begins them with, values by the name before them.

Owns patterns and nothing else; `redact` runs them. Every pattern begins with a literal, the needle,
which is looked for first; its repeats are bounded or possessive, so that it is linear in the text.
"""

from __future__ import annotations

import re

_W = "[A-Za-z0-9_-]"
_KEY_SHAPES = {
    # What a provider's key begins with -> what follows. Shapes as the providers document them and
    # as the public secret scanners look for them.
    "sk-": rf"{_W}{{20,}}+",
    "ghp_ gho_ ghr_ ghs_ ghu_": "[A-Za-z0-9]{30,}+",
    "github_pat_ whsec_ gsk_ lin_api_ ntn_ shpat_ shpss_": r"\w{20,}+",
    "hf_ npm_ r8_": "[A-Za-z0-9]{20,}+",
    "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_": r"\w{16,}+",
    "dop_v1_ lsv2_": r"\w{32,}+",
    "glsa_ sbp_ sb_secret_ figd_ ya29. hvs. glpat- glrt- gldt- xapp-": rf"{_W}{{20,}}+",
    "dckr_pat_ sntrys_ pscale_tkn_ pscale_pw_ rubygems_": rf"{_W}{{20,}}+",
    "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-": rf"{_W}{{16,}}+",
    "xai- pplx- nvapi- tvly- fc- PMAK- NRAK- tskey- GOCSPX- pypi-": (
        rf"(?=[A-Za-z_-]{{0,64}}[0-9]){_W}{{20,}}+"  # words with dashes have no digit
    ),
    "AGE-SECRET-KEY-1": "[0-9A-Z]{40,}+",
    "AIza": rf"{_W}{{35}}+",
    "AKIA ASIA": "[0-9A-Z]{16}+",
    "LTAI": "[A-Za-z0-9]{12,}+",
    "SG.": rf"{_W}{{16,}}+\.{_W}{{16,}}+",
    "re_": r"[A-Za-z0-9]{8}_\w{16,}+",
    "dapi key-": "[0-9a-f]{32}+",
    "ATATT3": r"[\w=-]{50,}+",
    "eyJ": rf"{_W}{{8,}}+\.eyJ{_W}{{8,}}+(?:\.[\w-]*+)?",  # JSON web tokens
    "hooks.slack.com/services/": "[A-Za-z0-9/_-]{20,}+",
}
KEYS = (
    *(
        (start, re.compile(f"{re.escape(start)}(?<![A-Za-z0-9]{re.escape(start)}){rest}", re.ASCII))
        for starts, rest in _KEY_SHAPES.items()
        for start in starts.split()
    ),
    (":AA", re.compile(rf":AA(?<=[0-9]{{8}}:AA){_W}{{32,}}+")),  # a Telegram bot's, after its id
)
"""Needle and pattern of each provider's key; the whole match goes."""

LONG_WORD = 20
"""Characters without white space that every provider key above has at least (most of them far
more: only AKIA, ASIA and LTAI come near)."""

PRIVATE = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*)",
    re.DOTALL,
)
"""A private-key block, to the end of the text where its end is cut off."""

# name = value, name: value, "name": "value"; the group is what goes. A value without quotes needs
# a digit (prose has none), or `=` tight on both sides and no call, variable or attribute after it.
_VALUE = r"[^\s\"'`,;<>(){}\[\]\\&]"
_TO_VALUE = r"(?:\\?[\"'])?[ \t]{0,4}(?:[:：]=?|=>?)[ \t]{0,4}"
_SET = (
    rf"{_TO_VALUE}(?:\\?[\"'](?![$<{{]|[\^~][0-9]+\.)([^\s\"'\\<>]{{4,512}}+)(?=\\?[\"'])"
    rf"|(?=[^\s\"'0-9<>()]{{0,64}}[0-9])(?!\$)({_VALUE}{{6,512}}+)(?!(?<=\w)[(\[])"
    rf"|(?<=[^\s]=)(?![$%]|[a-z_]{{1,16}}\.|(?:true|false|none|null)\b)({_VALUE}{{6,512}}+)(?!(?<=\w)[(\[]))"
)

# A value in a sentence: "the password for staging is hunter2", "with password `s3cret!`". It is one
# word, in quotes or with a digit; what says how a password is kept or shaped is none.
_IS = "is|was|are|(?:set|changed|reset) to|ist|war|lautet|es|est|é|è|это"
_NO_VALUE = (
    r"(?!(?:sha|md|aes|bcrypt|scrypt|argon|pbkdf|base|utf|oauth|hmac|pkcs|rsa)-?[0-9]{1,4}(?!\w))"
    r"(?![0-9]{1,3}[-+]?(?:char|digit|letter|bit|byte|day|hour|min|sec|zeichen)[a-z]{0,6}(?!\w))"
    "(?!(?:required|optional|null|none|undefined|empty|blank|true|false|invalid|incorrect|wrong"
    r"|missing|correct|valid|expired|hashed|encrypted|string|password|username|admin|root)(?![\w-]))"
)
_WORD = r"[^\s\"'`“”«»<>(){}\[\]\\]"
_WORTH = (
    rf"(?:[\"'`“«](?!\$){_NO_VALUE}({_WORD}{{4,128}}+)(?=[\"'`”»])"
    rf"|(?=[^\s\"'0-9<>()]{{0,64}}[0-9])(?![$/]){_NO_VALUE}"
    rf"({_WORD}{{5,128}}?)(?=[.,;:!?)]{{0,3}}(?:[\s\"'`“”«»|<>(){{}}\[\]\\]|$)))"
)
_SAID = (
    rf"(?:(?:[ \t][^\s.:=<>]{{1,40}}+){{0,4}}[ \t](?:{_IS})(?: now| still|:)?[ \t]{{1,2}}"
    r"|[ \t]?(?:是|为|は)[ \t]?(?=[!-~]{5})"
    r"|(?:(?<=and.password)|(?<=with.password)|(?<=with.passphrase)|(?<=use.password)"
    rf"|(?<=mit.passwort)|(?<=dem.passwort))[ \t]){_WORTH}"
)
_SET_OR_SAID = f"(?:{_SET}|{_SAID})"
_KEY_KINDS = ("api", "access", "private", "signing", "encryption", "account", "auth", "secret")
_NAMED = {
    "passw": rf"(?:or)?[dt]{_SET_OR_SAID}",
    "passphrase": _SET_OR_SAID,
    "pwd": rf"(?!=\\?[\"']?[/~]){_SET}",  # the shell's own PWD is a folder
    "secret": rf"(?:[_-]?access)?(?:[_-]?key)?{_SET_OR_SAID}",
    "token": f"(?<!webtoken){_SET_OR_SAID}",
    "credential": rf"s?(?!: ?[\"'](?:include|same-origin|omit)[\"']){_SET}",  # those of `fetch`
    "apikey": _SET_OR_SAID,
    "accountkey": _SET,
    **{
        f"{mark}key": f"(?:{'|'.join(f'(?<={kind}{mark}key)' for kind in _KEY_KINDS)}){_SET}"
        for mark in "_-"
    },
    " key": f"(?:{'|'.join(f'(?<={kind} key)' for kind in _KEY_KINDS)}){_SET_OR_SAID}",
    **dict.fromkeys(
        ("contraseña", "mot de passe", "senha", "пароль", "密码", "密碼", "パスワード"),
        _SET_OR_SAID,
    ),
    "authorization": rf"{_TO_VALUE}\\?[\"']?(?:(?:bearer|basic|token|digest)[ \t]{{1,4}})?"
    r"(?!(?:bearer|basic|token|digest)\b)([^\s\"'<>$\\{]{8,}+)",
    "bearer ": r"(?=[^\s0-9]{0,64}[0-9])([a-z0-9._~+/=-]{16,}+)",
    "cookie": r":[ \t]{0,4}([^\s=;:<>]{1,64}=[^\r\n\"'<>]{1,4096}+)",
}
NAMED = tuple((name, re.compile(name + rest, re.ASCII)) for name, rest in _NAMED.items())
"""Needle and pattern of each value that its name gives away, on the text in lower case."""

IN_URL = re.compile(
    r"://([^\s/@:<>\"']{0,128}:(?!\$?\{[^\s{}@]{0,64}\}@)[^\s/@<>\"']{1,256})@",
)
"""User and password in a URL, unless a template is still to be filled in."""
