"""Work is named that is still to be done."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "remaining_work",
    [
        (
            "English: remaining",
            turn(say("The parser is in, the remaining parts are the tests.")),
            True,
        ),
        ("English: not yet", turn(say("The tests are not yet written.")), True),
        ("English: so far", turn(say("Two modules so far.")), True),
        ("Chinese", turn(say("剩余的测试还没写。")), True),
        ("Japanese", turn(say("残りはテストです。")), True),
        ("Korean", turn(say("아직 테스트가 없습니다.")), True),
        ("Spanish", turn(say("Queda pendiente la prueba.")), True),
        ("Portuguese", turn(say("Falta o teste da porta.")), True),
        ("French", turn(say("Il reste la page de test.")), True),
        ("German", turn(say("Die Tests sind noch nicht da.")), True),
        ("Russian", turn(say("Осталось написать тесты.")), True),
        ("Arabic", turn(say("المتبقي هو الاختبار.")), True),
        ("Hindi", turn(say("टेस्ट बाकी हैं।")), True),
        ("Turkish", turn(say("Testler için kalan iki dosya var.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The parser is in.")), False),
        (
            "English: in a fence",
            turn(say("It prints:\n\n```\n3 remaining\n```\n\nAs it should.")),
            False,
        ),
        ("Chinese: done", turn(say("测试已写好。")), False),
        ("Japanese: done", turn(say("テストを書きました。")), False),
        ("Korean: done", turn(say("테스트를 작성했습니다.")), False),
        ("Spanish: done", turn(say("La prueba está lista.")), False),
        ("Portuguese: done", turn(say("O teste está pronto.")), False),
        ("French: done", turn(say("La page est prête.")), False),
        ("German: done", turn(say("Die Tests sind da.")), False),
        ("German: by the way", turn(say("Das ist übrigens der Grund.")), False),
        ("Russian: done", turn(say("Тесты написаны.")), False),
        ("Arabic: done", turn(say("الاختبار جاهز.")), False),
        ("Hindi: done", turn(say("टेस्ट हो गए।")), False),
        ("Hindi: special", turn(say("यह एक विशेष टेस्ट है।")), False),
        ("Turkish: done", turn(say("Testler ve dosyalar hazır.")), False),
    ],
)
