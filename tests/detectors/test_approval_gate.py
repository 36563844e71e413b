"""The user is to confirm or to choose; words that only contain such a word are none."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "approval_gate",
    [
        ("English: awaiting", turn(say("The plan is above. Awaiting your approval.")), True),
        ("English: please confirm", turn(say("Please confirm the port.")), True),
        ("English: once you approve", turn(say("I start once you approve.")), True),
        ("English: reply with", turn(say("Reply with yes or no.")), True),
        ("Chinese", turn(say("请确认后我再继续。")), True),
        ("Japanese", turn(say("ご確認をお願いします。")), True),
        ("Korean", turn(say("승인해 주시면 진행하겠습니다.")), True),
        ("Spanish", turn(say("Por favor, confirma el puerto.")), True),
        ("Portuguese", turn(say("Aguardo sua confirmação para seguir.")), True),
        ("French", turn(say("J'attends votre feu vert pour la suite.")), True),
        ("German", turn(say("Ich warte auf deine Freigabe.")), True),
        ("Russian", turn(say("Жду вашего подтверждения.")), True),
        ("Arabic", turn(say("بانتظار موافقتك.")), True),
        ("Hindi", turn(say("कृपया पुष्टि करें।")), True),
        ("Turkish", turn(say("Onayınızı bekliyorum.")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The port is set.")), False),
        ("English: announced", turn(say("Let me set the port.")), False),
        ("English: in a fence", turn(say("Output:\n\n```\nPlease confirm\n```\n\nIt ran.")), False),
        ("English: a dialog that confirms", turn(say("The dialog now has two buttons.")), False),
        ("Chinese: done", turn(say("端口已设置。")), False),
        ("Japanese: done", turn(say("ポートを設定しました。")), False),
        ("Korean: done", turn(say("포트를 설정했습니다.")), False),
        ("Spanish: done", turn(say("El puerto ya está puesto.")), False),
        ("Portuguese: done", turn(say("A porta foi definida.")), False),
        ("French: done", turn(say("Le port est défini.")), False),
        ("German: done", turn(say("Der Port ist gesetzt.")), False),
        ("Russian: done", turn(say("Порт задан.")), False),
        ("Russian: between", turn(say("Разница между файлами устранена.")), False),
        ("Russian: each", turn(say("Проверил каждую строку.")), False),
        ("Arabic: done", turn(say("تم ضبط المنفذ.")), False),
        ("Hindi: done", turn(say("पोर्ट सेट है।")), False),
        ("Turkish: done", turn(say("Port ayarlandı.")), False),
    ],
)
