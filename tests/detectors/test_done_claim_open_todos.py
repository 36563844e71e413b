"""A claim that all is done against the agent's own list."""

from __future__ import annotations

from tests.words import say, table, todo, turn

test_detector = table(
    "done_claim_open_todos",
    [
        (
            "English",
            turn(
                say("Everything is done! ✅"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "English with tasks",
            turn(
                say("The limiter is in. All tasks are complete."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Chinese",
            turn(
                say("所有任务都已完成。"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Japanese",
            turn(
                say("すべての作業が完了しました。"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Korean",
            turn(
                say("모든 작업이 완료되었습니다."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Spanish",
            turn(
                say("Todo está listo."), todos=(todo("a", "completed"), todo("tests"), todo("docs"))
            ),
            True,
        ),
        (
            "Portuguese",
            turn(
                say("Tudo está pronto."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "French",
            turn(
                say("Tout est terminé."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "German",
            turn(
                say("Alles ist erledigt."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Russian",
            turn(
                say("Все задачи выполнены."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Arabic",
            turn(say("كل شيء جاهز."), todos=(todo("a", "completed"), todo("tests"), todo("docs"))),
            True,
        ),
        (
            "Hindi",
            turn(
                say("सब कुछ पूरा हो गया है।"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            True,
        ),
        (
            "Turkish",
            turn(
                say("Her şey tamam."), todos=(todo("a", "completed"), todo("tests"), todo("docs"))
            ),
            True,
        ),
        (
            "English, one file done",
            turn(
                say("The limiter is done, the tests come next."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Chinese, one step done",
            turn(
                say("第一步已完成，接下来写测试。"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Japanese, a step done",
            turn(
                say("最初の手順が完了しました。"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Korean, a step done",
            turn(
                say("첫 단계가 완료되었습니다."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Spanish, one part",
            turn(
                say("La primera parte está lista."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Portuguese, one part",
            turn(
                say("A primeira parte está pronta."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "French, one part",
            turn(
                say("La première partie est terminée."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "German, one part",
            turn(
                say("Der erste Teil ist erledigt."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Russian, one part",
            turn(
                say("Первая часть выполнена."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Arabic, one part",
            turn(
                say("الجزء الأول جاهز."),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Hindi, one part",
            turn(
                say("पहला हिस्सा पूरा है।"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "Turkish, one part",
            turn(
                say("İlk bölüm tamam."), todos=(todo("a", "completed"), todo("tests"), todo("docs"))
            ),
            False,
        ),
        (
            "a claim before a question",
            turn(
                say("All tasks are complete. Shall I also write the docs?"),
                todos=(todo("a", "completed"), todo("tests"), todo("docs")),
            ),
            False,
        ),
        (
            "one item in progress, weakly",
            turn(say("Everything is done."), todos=(todo("a", "in_progress"),)),
            True,
        ),
        (
            "a claim with a closed list",
            turn(say("Everything is done."), todos=(todo("a", "completed"),)),
            False,
        ),
        ("a claim without a list", turn(say("Everything is done.")), False),
        (
            "a claim far from the end",
            turn(
                say("Everything is done. " + "Then a long word follows on. " * 20),
                todos=(todo("a"), todo("b")),
            ),
            False,
        ),
        (
            "a claim before a colon",
            turn(say("All steps are complete. Now the commit:"), todos=(todo("a"), todo("b"))),
            False,
        ),
        (
            "a claim inside code",
            turn(say("It prints:\n\n```\nEverything is done\n```"), todos=(todo("a"), todo("b"))),
            False,
        ),
    ],
)
