"""Work is said to be done; what failed, is to be done or merely described is not."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "completion_claim",
    [
        ("English: all pass", turn(say("All 12 tests pass.")), True),
        ("English: done", turn(say("Done.")), True),
        ("English: committed", turn(say("The change is committed.")), True),
        ("Chinese", turn(say("修复已完成。")), True),
        ("Japanese", turn(say("テストを追加しました。")), True),
        ("Korean", turn(say("수정을 완료했습니다.")), True),
        ("Spanish", turn(say("El archivo está listo.")), True),
        ("Portuguese", turn(say("O arquivo está pronto.")), True),
        ("French", turn(say("Le fichier est corrigé.")), True),
        ("German", turn(say("Die Datei ist fertig.")), True),
        ("Russian", turn(say("Файл исправлен.")), True),
        ("Arabic", turn(say("تم تعديل الملف.")), True),
        ("Hindi", turn(say("काम पूरा हुआ।")), True),
        ("Turkish", turn(say("Dosya güncellendi ve bitti.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: a question", turn(say("Which port?")), False),
        ("English: announced", turn(say("Let me look.")), False),
        ("English: in a fence", turn(say("The log:\n\n```\ndone\n```\n\nNothing else.")), False),
        ("English: a cause", turn(say("The cause was a stale cache.")), False),
        ("Chinese: incomplete", turn(say("任务未完成。")), False),
        ("Japanese: failed", turn(say("接続に失敗しました。")), False),
        ("Korean: a cause", turn(say("원인은 캐시입니다.")), False),
        ("Spanish: the terminal", turn(say("La salida va a la terminal.")), False),
        ("Portuguese: does not work", turn(say("A porta não funciona.")), False),
        ("French: a cause", turn(say("La cause est le cache.")), False),
        ("German: the reason", turn(say("Der Grund ist der Cache.")), False),
        ("Russian: does not work", turn(say("Сервер не работает.")), False),
        ("Arabic: a community", turn(say("هذا مجتمع كبير.")), False),
        ("Hindi: unsuccessful", turn(say("टेस्ट असफल रहे।")), False),
        ("Turkish: unsuccessful", turn(say("Bu test başarısız.")), False),
    ],
)
