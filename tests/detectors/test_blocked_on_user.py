"""Something only the user can do or provide is named at the end."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "blocked_on_user",
    [
        ("English: you need to", turn(say("You need to restart the app.")), True),
        ("English: please", turn(say("Please paste the log.")), True),
        ("English: an order", turn(say("Restart the server to see it.")), True),
        ("English: I cannot", turn(say("I can't open the page without a login.")), True),
        ("Chinese", turn(say("请重启服务器。")), True),
        ("Chinese: I need you to provide", turn(say("我需要您提供日志。")), True),
        ("Japanese", turn(say("サーバーを再起動してください。")), True),
        ("Korean", turn(say("서버를 재시작해 주세요.")), True),
        ("Spanish", turn(say("Para verlo, debes reiniciar el servidor.")), True),
        ("Portuguese", turn(say("Você precisa reiniciar o servidor.")), True),
        ("French", turn(say("Vous devez redémarrer le serveur.")), True),
        ("German", turn(say("Bitte den Server neu starten.")), True),
        ("Russian", turn(say("Перезапустите сервер.")), True),
        ("Arabic", turn(say("يرجى إرسال السجل.")), True),
        ("Hindi", turn(say("आपको सर्वर फिर से शुरू करना होगा।")), True),
        ("Turkish", turn(say("Sunucuyu yeniden başlatın.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The app restarts by itself.")), False),
        ("English: announced", turn(say("I'll restart the app.")), False),
        (
            "English: in a fence",
            turn(say("Shown:\n\n```\nPlease restart\n```\n\nThat is the text.")),
            False,
        ),
        ("English: a past order", turn(say("It restarted.")), False),
        ("English: run as a noun", turn(say("Run complete, no failures.")), False),
        ("Chinese: done", turn(say("服务器已启动。")), False),
        ("Japanese: done", turn(say("サーバーを起動しました。")), False),
        ("Korean: done", turn(say("서버를 켰습니다.")), False),
        ("Spanish: done", turn(say("El servidor está en marcha.")), False),
        ("Portuguese: done", turn(say("O servidor está no ar.")), False),
        ("French: done", turn(say("Le serveur est en marche.")), False),
        ("German: done", turn(say("Der Server läuft.")), False),
        ("Russian: done", turn(say("Сервер работает.")), False),
        ("Arabic: done", turn(say("الخادم يعمل.")), False),
        ("Hindi: done", turn(say("सर्वर चल रहा है।")), False),
        ("Turkish: done", turn(say("Sunucu çalışıyor.")), False),
    ],
)
