"""The agent's own next step, announced in twelve languages; and what only looks like one."""

from __future__ import annotations

import pytest

from auditor.turn import Verdict
from tests.words import BY_NAME, call, result, say, table, turn

REAL = {
    "English: let me": "The import is wrong. Let me fix it now.",
    "English: I'll": "I'll run the migration and look at the output.",
    "English: I am going to": "I'm going to rewrite the parser.",
    "English: a gerund": "The config was wrong. Updating the config file.",
    "English: time to": "Time to fix the failing tests.",
    "Chinese: let me": "问题出在配置里。让我检查一下日志。",
    "Chinese: we now": "接下来我们先更新接口。",
    "Japanese: next": "原因がわかりました。次にテストを追加します。",
    "Japanese: a bare action": "設定ファイルを修正します。",
    "Korean: I will": "원인을 찾았습니다. 이제 설정 파일을 수정하겠습니다.",
    "Korean: first": "먼저 로그를 확인합니다.",
    "Spanish: voy a": "El puerto estaba mal. Voy a corregir la configuración.",
    "Spanish: future": "Ahora ejecutaré las pruebas.",
    "Portuguese: vou": "A causa é o cache. Vou limpar o diretório agora.",
    "French: je vais": "Le chemin est faux. Je vais corriger le fichier.",
    "French: je lance": "Je lance les tests.",
    "German: ich werde": "Der Pfad ist falsch. Ich werde ihn jetzt korrigieren.",
    "German: verb before ich": "Als Erstes prüfe ich die Logdatei.",
    "German: now the": "Jetzt noch die Tests.",
    "Russian: perfective": "Причина найдена. Сейчас исправлю конфигурацию.",
    "Russian: imperfective": "Запускаю тесты.",
    "Arabic: sa-": "وجدت السبب. سأقوم بتعديل الملف الآن.",
    "Arabic: let me": "دعني أتحقق من السجل.",
    "Hindi: now I": "कारण मिल गया। अब मैं फ़ाइल ठीक करूँगा।",
    "Hindi: let us": "चलिए टेस्ट चलाते हैं।",
    "Turkish: future": "Sebep bulundu. Şimdi ayar dosyasını düzelteceğim.",
    "Turkish: present": "Testleri çalıştırıyorum.",
}
"""Announcements of the agent's own next step: proofs in every language."""

SPARED = {
    "a list item that begins with a gerund": "It does:\n\n- Checking it\n- Updating the index",
    "English: if and then": "If the cache is stale, then I'll rebuild it.",
    "English: let me know": "Let me know if this works.",
    "English: once you": "Once you confirm, I'll run the migration.",
    "English: if you like": "If you like, I'll add a test.",
    "English: I'll once": "I'll start the import once you have pasted the key.",
    "English: I'll wait": "I'll wait for the build.",
    "English: I'll be here": "I'll be here.",
    "English: I'll remember": "I'll remember to run the linter.",
    "English: from now on": "From now on I'll run the linter first.",
    "English: when approved": "When approved, I'll push the branch.",
    "English: I need your": "I need your API key to continue.",
    "English: say the word": "Say the word and I'll deploy.",
    "English: let me summarise": "Let me summarize the state.",
    "Chinese: after you confirm": "您确认后,我会开始执行。",
    "Chinese: I'll remember": "我会记住这一点。",
    "Chinese: I need you to provide": "我需要您提供日志。",
    "Chinese: if needed": "如果需要,我会添加测试。",
    "Japanese: after approval": "承認いただいたら、修正を開始します。",
    "Japanese: if needed": "必要であれば、テストを追加します。",
    "Korean: if you confirm": "확인해 주시면 바로 진행하겠습니다.",
    "Korean: I'll keep in mind": "앞으로 꼭 기억하겠습니다.",
    "Spanish: when you confirm": "Cuando confirmes, voy a desplegar los cambios.",
    "Spanish: if you want": "Si quieres, voy a añadir pruebas.",
    "Portuguese: as soon as": "Assim que você confirmar, vou publicar as mudanças.",
    "Portuguese: if you like": "Se quiser, vou adicionar testes.",
    "French: once you": "Dès que vous confirmez, je vais lancer la migration.",
    "French: if you like": "Si tu veux, je vais ajouter des tests.",
    "French: I'll remember": "Je vais m'en souvenir.",
    "German: as soon as you": "Sobald du bestätigst, werde ich die Migration starten.",
    "German: then I": "Schick mir das Protokoll, dann passe ich die Konfiguration an.",
    "German: I assume": "Ich gehe davon aus, dass das genügt.",
    "German: I see none": "Ich sehe keine Fehler mehr.",
    "Russian: as soon as you": "Как только вы подтвердите, начну миграцию.",
    "Russian: glad to help": "Буду рад помочь.",
    "Russian: I'll bear in mind": "Буду учитывать это.",
    "Arabic: if you like": "إذا أردت، سأقوم بإضافة الاختبارات.",
    "Arabic: I'll wait": "سأنتظر موافقتك.",
    "Arabic: I'll be glad": "سأكون سعيدا بالمساعدة.",
    "Hindi: if you like": "अगर आप चाहें तो मैं टेस्ट जोड़ दूँगा।",
    "Hindi: I can help": "मैं इसमें मदद कर सकता हूँ।",
    "Turkish: if you like": "İsterseniz testleri ekleyeceğim.",
    "Turkish: when you confirm": "Onay verdiğinizde dağıtımı başlatacağım.",
    "Turkish: I'll remember": "Bunu hatırlayacağım.",
}
"""Conditional, directed at the user, or of later: never a proof."""

QUIET = {
    "an empty reply": "",
    "done": "The parser is fixed and all tests pass.",
    "a gerund as the subject of a statement": "Running it twice is safe.",
    "a gerund as a heading": "# Updating the parser",
    "an announcement inside a fence": "It prints:\n\n```\nLet me check.\n```\n\nThat is all.",
    "an announcement inside inline code": "The prompt ends with `let me check`.",
    "an announcement in a quoted block": "It said:\n\n> I'll run the tests.\n\nIt is gone.",
    "a quoted announcement": 'The template began with "I\'ll check the logs".',
    "a question": "Should I run the tests now?",
    "earlier, not last": "Let me check. The value is 4 in both files.",
    "I'll wait": "I'll wait.",
    "I'll remember": "I'll remember that.",
    "a statement about the agent's past": "I ran the suite and fixed two failures.",
    "the user is let know": "The server lets you know.",
    "Chinese: done": "登录问题已修复,测试全部通过。",
    "Chinese: now it runs well": "服务现在运行正常。",
    "Chinese: the server is running": "开发服务器正在运行。",
    "Japanese: done": "設定ファイルを修正しました。",
    "Japanese: what a script does": "このスクリプトはテストを実行します。",
    "Japanese: what the CI does": "CIが毎回テストを実行します。",
    "Korean: done": "설정 파일을 수정했습니다.",
    "Korean: now all pass": "이제 모든 테스트가 통과합니다.",
    "Korean: now it works": "이제 로그인이 정상적으로 동작합니다.",
    "Spanish: done": "He corregido la configuración y las pruebas pasan.",
    "Spanish: continuous deployment": "Queda configurado el despliegue continuo.",
    "Spanish: shown below": "A continuación se muestra la tabla de cambios.",
    "Portuguese: done": "Corrigi a configuração e os testes passam.",
    "Portuguese: since the beginning": "O erro estava ali desde o começo.",
    "Portuguese: the steps below": "Os passos a seguir estão no README.",
    "French: done": "J'ai corrigé le fichier et les tests passent.",
    "German: done": "Ich habe den Pfad korrigiert, alle Tests sind grün.",
    "German: what happens first": "Die Middleware prüft zuerst das Token.",
    "German: now in the middle": "Der Server nutzt jetzt die neue Konfiguration.",
    "German: works again": "Jetzt geht alles wieder.",
    "Russian: done": "Конфигурация исправлена, тесты проходят.",
    "Russian: now by default": "Теперь по умолчанию включено кэширование.",
    "Arabic: done": "تم تعديل الملف وكل الاختبارات ناجحة.",
    "Arabic: structures": "تم تحديث هياكل البيانات.",
    "Arabic: now it became": "الآن أصبح كل شيء جاهزا.",
    "Hindi: done": "फ़ाइल ठीक कर दी गई है।",
    "Hindi: what functions do": "ये फ़ंक्शन डेटा को सुरक्षित करते हैं।",
    "Hindi: it can be run now": "अब इसे चलाया जा सकता है।",
    "Turkish: done": "Ayar dosyası düzeltildi ve testler geçiyor.",
    "Turkish: it runs": "Sunucu şimdi çalışıyor.",
}
"""No announcement at the end at all."""

test_detector = table(
    "announced_action",
    [
        *((sentence, turn(say(text)), True) for sentence, text in REAL.items()),
        *((sentence, turn(say(text)), False) for sentence, text in QUIET.items()),
        (
            "an announcement, then its call",
            turn(say("Let me look."), call("bash", command="ls")),
            False,
        ),
        (
            "an announcement, then a call with its result",
            turn(say("Let me look."), call("ls"), result("a")),
            False,
        ),
    ],
)


def settles(text: str) -> bool:
    signal = BY_NAME["announced_action"].detect(turn(say(text)))
    return signal is not None and signal.settles


@pytest.mark.parametrize("text", REAL.values(), ids=REAL.keys())
def test_a_real_announcement_settles_with_full_strength(text: str) -> None:
    signal = BY_NAME["announced_action"].detect(turn(say(text)))
    assert signal is not None
    assert (signal.strength, signal.settles) == (1.0, True)
    assert signal.points_to is Verdict.UNFINISHED


@pytest.mark.parametrize("text", SPARED.values(), ids=SPARED.keys())
def test_what_is_conditional_or_for_the_user_never_settles(text: str) -> None:
    assert not settles(text)


@pytest.mark.parametrize("text", [text for text in REAL.values() if text.isascii()])
def test_case_and_typographic_apostrophes_do_not_matter(text: str) -> None:
    assert settles(text.upper())
    assert settles(text.replace("'", "’"))
