"""An optional more is offered; what was done or is announced is no offer."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "offer",
    [
        (
            "English: let me know",
            turn(say("The cache is on. Let me know if it is too slow.")),
            True,
        ),
        ("English: if you want", turn(say("If you want, I can add a test.")), True),
        ("English: happy to", turn(say("Happy to explain the index.")), True),
        (
            "English: near the end",
            turn(say("Tell me if the colours are off. The build is green.")),
            True,
        ),
        ("Chinese", turn(say("已完成。如果需要,我可以继续优化。")), True),
        ("Japanese", turn(say("必要であればテストも追加できます。")), True),
        ("Korean", turn(say("원하시면 테스트도 추가해 드릴게요.")), True),
        ("Spanish", turn(say("Si quieres, también añado pruebas.")), True),
        ("Portuguese", turn(say("Se quiser, também adiciono testes.")), True),
        ("French", turn(say("N'hésitez pas à demander plus.")), True),
        ("German", turn(say("Sag Bescheid, wenn etwas fehlt.")), True),
        ("Russian", turn(say("Если хотите, добавлю тесты.")), True),
        ("Arabic", turn(say("إذا أردت، أضيف الاختبارات.")), True),
        ("Hindi", turn(say("अगर आप चाहें तो टेस्ट भी जोड़ दूँ।")), True),
        ("Turkish", turn(say("İsterseniz testleri de eklerim.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The cache is on.")), False),
        ("English: announced", turn(say("Let me look at the cache.")), False),
        (
            "English: an offer in a fence",
            turn(say("The reply:\n\n```\nLet me know!\n```\n\nIt is sent.")),
            False,
        ),
        (
            "English: the quoted offer",
            turn(say("> Let me know if it is slow.\n\nIt is not slow.")),
            False,
        ),
        (
            "English: an offer long before the end",
            turn(say("Let me know if it is slow. " + "The cache holds one table. " * 14)),
            False,
        ),
        ("English: if of the code", turn(say("If the file is missing, the loader stops.")), False),
        ("Chinese: done", turn(say("缓存已启用。")), False),
        ("Japanese: done", turn(say("キャッシュを有効にしました。")), False),
        ("Korean: done", turn(say("캐시를 켰습니다.")), False),
        ("Spanish: done", turn(say("La caché está activa.")), False),
        ("Portuguese: done", turn(say("O cache está ativo.")), False),
        ("French: done", turn(say("Le cache est actif.")), False),
        ("German: done", turn(say("Der Cache ist aktiv.")), False),
        ("Russian: done", turn(say("Кэш включён.")), False),
        ("Arabic: done", turn(say("تم تفعيل الذاكرة.")), False),
        ("Hindi: done", turn(say("कैश चालू है।")), False),
        ("Turkish: done", turn(say("Önbellek açık.")), False),
    ],
)
