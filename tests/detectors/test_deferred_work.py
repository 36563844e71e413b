"""The rest is put off; what is done, or done next, is not."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "deferred_work",
    [
        ("English: the next session", turn(say("The styles are for the next session.")), True),
        ("English: when it finishes", turn(say("I report when the job finishes.")), True),
        ("English: out of scope", turn(say("The styles are out of scope.")), True),
        ("English: from now on", turn(say("I use tabs from now on.")), True),
        ("Chinese", turn(say("样式稍后处理。")), True),
        ("Japanese", turn(say("スタイルは次回対応です。")), True),
        ("Korean", turn(say("스타일은 나중에 처리합니다.")), True),
        ("Spanish", turn(say("Los estilos quedan para más tarde.")), True),
        ("Portuguese", turn(say("Os estilos ficam para mais tarde.")), True),
        ("French", turn(say("Les styles viendront plus tard.")), True),
        ("German", turn(say("Die Stile kommen später.")), True),
        ("Russian", turn(say("Стили сделаем позже.")), True),
        ("Arabic", turn(say("سنعالج الأنماط لاحقا.")), True),
        ("Hindi", turn(say("स्टाइल बाद में होंगे।")), True),
        ("Turkish", turn(say("Stiller daha sonra yapılacak.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The styles are in.")), False),
        ("English: announced", turn(say("Let me do the styles.")), False),
        ("English: in a fence", turn(say("Log:\n\n```\ndeferred\n```\n\nThat was it.")), False),
        ("English: next in another sense", turn(say("The next button is blue.")), False),
        ("Chinese: done", turn(say("样式已完成。")), False),
        ("Japanese: done", turn(say("スタイルを直しました。")), False),
        ("Korean: done", turn(say("스타일을 고쳤습니다.")), False),
        ("Spanish: done", turn(say("Los estilos están listos.")), False),
        ("Portuguese: done", turn(say("Os estilos estão prontos.")), False),
        ("French: done", turn(say("Les styles sont prêts.")), False),
        ("German: done", turn(say("Die Stile sind fertig.")), False),
        ("Russian: done", turn(say("Стили готовы.")), False),
        ("Russian: child processes", turn(say("Добавлены потомки процесса.")), False),
        ("Arabic: done", turn(say("الأنماط جاهزة.")), False),
        ("Hindi: done", turn(say("स्टाइल तैयार हैं।")), False),
        ("Hindi: options", turn(say("दो विकल्प जोड़े गए।")), False),
        ("Turkish: done", turn(say("Stiller hazır.")), False),
    ],
)
