"""The agent will be woken later."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "scheduled_work",
    [
        (
            "a pending schedule",
            turn(say("I look again at 9."), pending=(pending("schedule", "9:00"),)),
            True,
        ),
        (
            "a wake-up as the last call",
            turn(
                call("ScheduleWakeup", seconds=600),
                result("scheduled"),
                say("I check again in ten minutes."),
            ),
            True,
        ),
        (
            "a cron entry as the last call",
            turn(call("CronCreate", cron="*/15 * * * *"), result("created")),
            True,
        ),
        (
            "a wake-up without a result",
            turn(call("ScheduleWakeup", seconds=60), finish=None),
            False,
        ),
        (
            "a wake-up that failed",
            turn(call("ScheduleWakeup", seconds=-1), result("must be positive", failed=True)),
            False,
        ),
        (
            "a wake-up, then other work",
            turn(
                call("ScheduleWakeup", seconds=60),
                result("ok"),
                call("Read", path="a"),
                result("x"),
            ),
            False,
        ),
        ("no schedule", turn(call("bash", command="crontab -l"), result("")), False),
        ("a text about a cron job", turn(say("The cron job runs every night.")), False),
        (
            "only a background job pending",
            turn(say("It runs."), pending=(pending("background"),)),
            False,
        ),
        (
            "only a permission pending",
            turn(call("bash", command="x"), pending=(pending("permission"),)),
            False,
        ),
    ],
)
