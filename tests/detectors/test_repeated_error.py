from tests.words import call, result, say, table, turn

REFUSED = '{"error":"unauthenticated","detail":"bearer token expired"}'
PLACES = ["incidents", "v2/incidents", "open", "teams/7", "search", "services/4", "all", "list"]
ASK = "put the open incidents into docs/incidents.md"


def fetches(places, output=REFUSED, *, failed=True):
    return [
        part
        for place in places
        for part in (
            call("webfetch", url=f"https://ops.example/{place}"),
            result(output, failed=failed),
        )
    ]


test_detector = table(
    "repeated_error",
    [
        ("eight addresses, one refusal", turn(*fetches(PLACES), request=ASK), True),
        ("control: four addresses", turn(*fetches(PLACES[:4]), request=ASK), False),
        (
            "control: the seventh answers",
            turn(*fetches(PLACES[:6]), *fetches(["ok"], "[]", failed=False), request=ASK),
            False,
        ),
        (
            "a harness that does not say what failed",
            turn(*fetches(PLACES, "Permission denied (publickey).", failed=None), request=ASK),
            True,
        ),
        (
            "one more address is announced",
            turn(
                *fetches(PLACES),
                say("That needs a token too. Let me try another path."),
                request=ASK,
            ),
            True,
        ),
        (
            "control: the user is asked for the token",
            turn(
                *fetches(PLACES),
                say("Every address wants a token. Which one may I use?"),
                request=ASK,
            ),
            False,
        ),
        (
            "control: it ends with a plain report",
            turn(*fetches(PLACES), say("The service refuses this token everywhere."), request=ASK),
            False,
        ),
        (
            "every error is another one",
            turn(
                *[
                    part
                    for name in PLACES
                    for part in (
                        call("bash", command=f"python -c 'import {name}'"),
                        result(f"No module named {name!r}, sorry", failed=True),
                    )
                ],
                request=ASK,
            ),
            False,
        ),
        (
            "a rate limit passes by itself",
            turn(*fetches(PLACES, "HTTP 429 too many requests, error"), request=ASK),
            False,
        ),
        (
            "the user wants all packages gone through",
            turn(
                *[
                    part
                    for name in PLACES
                    for part in (
                        call("bash", command=f"npm test -w {name}"),
                        result('npm error Missing script: "test"', failed=True),
                    )
                ],
                request="run the tests of every package and tell me which have none",
            ),
            False,
        ),
        (
            "eight calls made at once are one try",
            turn(
                *[call("webfetch", url=f"https://ops.example/{place}") for place in PLACES],
                *[result(REFUSED, failed=True)] * 8,
                request=ASK,
            ),
            False,
        ),
        (
            "successes that are all alike",
            turn(*fetches(PLACES, "stored one page of incidents", failed=False), request=ASK),
            False,
        ),
        (
            "the user refused call after call",
            turn(
                *fetches(PLACES, "The user doesn't want to proceed with this tool use."),
                request=ASK,
            ),
            False,
        ),
        (
            "an edit that works stands between the failures",
            turn(
                *[
                    part
                    for place in PLACES
                    for part in (
                        call("edit", path="a.py", new=place),
                        result("updated"),
                        *fetches([place]),
                    )
                ],
                request=ASK,
            ),
            False,
        ),
    ],
)
