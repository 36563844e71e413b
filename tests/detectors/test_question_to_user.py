"""The reply ends by asking; what is asked in passing or in code is no question to the user."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "question_to_user",
    [
        ("a Greek question", turn(say("Θέλετε να συνεχίσω;")), True),
        ("a semicolon after Latin letters", turn(say("`é` is kept; `a` is not;")), False),
        ("English", turn(say("Which port should the server use?")), True),
        ("English, in bold", turn(say("**Shall I go on?**")), True),
        ("English, in quotation marks", turn(say('Do you mean "now"?"')), True),
        ("English, with an emoji behind it", turn(say("Shall I deploy it? 🚀")), True),
        ("English, near the end", turn(say("Do you want the old flag kept? Both work.")), True),
        ("Chinese", turn(say("要我提交这些修改吗？")), True),
        ("Chinese, without a question mark", turn(say("要我提交这些修改吗")), True),
        ("Japanese", turn(say("どのポートを使いますか？")), True),
        (
            "Japanese, without a question mark",
            turn(say("このまま進めてよろしいでしょうか。")),
            True,
        ),
        ("Korean", turn(say("어느 포트를 사용할까요?")), True),
        ("Korean, without a question mark", turn(say("이대로 진행해도 될까요")), True),
        ("Spanish", turn(say("¿Qué puerto debe usar el servidor?")), True),
        ("Portuguese", turn(say("Qual porta o servidor deve usar?")), True),
        ("French", turn(say("Quel port le serveur doit-il utiliser ?")), True),
        ("German", turn(say("Welchen Port soll der Server nehmen?")), True),
        ("Russian", turn(say("Какой порт использовать?")), True),
        ("Arabic", turn(say("أي منفذ يجب أن يستخدم الخادم؟")), True),
        ("Hindi", turn(say("सर्वर कौन सा पोर्ट इस्तेमाल करे?")), True),
        ("Turkish", turn(say("Sunucu hangi portu kullansın?")), True),
        ("an empty reply", turn(say("")), False),
        ("English: done", turn(say("The server uses port 80.")), False),
        (
            "English: an indirect question",
            turn(say("I checked which port the server uses.")),
            False,
        ),
        (
            "a question mark in a fence",
            turn(say("The code:\n\n```\na ? b : c\n```\n\nIt is short.")),
            False,
        ),
        ("a question mark in inline code", turn(say("The operator is `?`, twice.")), False),
        ("a question quoted with a mark", turn(say("> Which port?\n\nPort 80 it is.")), False),
        (
            "a question long before the end",
            turn(say("Why did it fail? " + "The cache held the old table. " * 14)),
            False,
        ),
        ("a colon", turn(say("The ports are:")), False),
        ("Chinese: done", turn(say("服务器使用 80 端口。")), False),
        ("Chinese: a particle in the middle", turn(say("呢绒的样本已经上传。")), False),
        ("Japanese: done", turn(say("ポートを変更しました。")), False),
        ("Korean: done", turn(say("포트를 변경했습니다.")), False),
        ("Spanish: done", turn(say("El servidor usa el puerto 80.")), False),
        ("Portuguese: done", turn(say("O servidor usa a porta 80.")), False),
        ("French: done", turn(say("Le serveur utilise le port 80.")), False),
        ("German: done", turn(say("Der Server nutzt Port 80.")), False),
        ("Russian: done", turn(say("Сервер использует порт 80.")), False),
        ("Arabic: done", turn(say("الخادم يستخدم المنفذ 80.")), False),
        ("Hindi: done", turn(say("सर्वर पोर्ट 80 इस्तेमाल करता है।")), False),
        ("Turkish: done", turn(say("Sunucu 80 portunu kullanıyor.")), False),
    ],
)
