"""Phrases that say how far the work is, by language."""

from __future__ import annotations

from auditor.detectors._languages import Phrases

remaining = Phrases(
    english=(
        r"still (?:to do|to be done|need(?:s|ed)? to|left|missing|pending|outstanding|open|unfinished|incomplete)",
        r"remaining\b",
        r"not (?:yet )?(?:done|finished|implemented|complete|started)\b",
        r"not yet\b",
        r"left to do",
        r"todo\b",
        r"todos\b",
        r"the (?:other|rest)\b",
        r"one of the\b",
        r"in progress\b",
        r"so far\b",
        r"next (?:up|steps?)\b",
    ),
    others={
        "zh": r"(?:剩余|剩下|尚未|还没|还需要|待完成|未完成|待办|接下来|下一步|目前完成)",
        "ja": r"(?:残り|未完了|未実装|まだ|これから|次のステップ)",
        "ko": r"(?:남은|아직|미완료|다음\s단계|진행\s중)",
        "ru": r"(?:оста(?:лось|вш|льн)|ещё\ не|еще\ не|не\ (?:готов|завершен)|предстоит|следующ(?:ий|ие)\ шаг|в\ процессе)",
        "ar": r"(?:المتبقي|لم\ يتم|لم\ يكتمل|قيد\ التنفيذ|الخطوة\ التالية|بقي)",
        "hi": r"(?:बाकी|(?<!वि)शेष|अभी\ तक\ नहीं|अगला\ कदम|अधूर)",
        "es": r"(?:pendiente|falta[n]?\b|restante|todav[ií]a\ no|a[uú]n\ no|pr[oó]ximos?\ pasos?|queda[n]?\b)",
        "pt": r"(?:pendente|falta[m]?\b|restante|ainda\ n[aã]o|pr[oó]ximos?\ passos?)",
        "fr": r"(?:restant|il\ reste|reste\ [aà]|pas\ encore|prochaines?\ [eé]tapes?|en\ cours)",
        "de": r"(?:verbleibend|noch\ (?:offen|zu\ tun|nicht|ausstehend)|restlich|[uü]brig(?!ens)|n[aä]chste\ schritte)",
        "tr": r"(?:kalan|henüz|tamamlanmadı|sonraki\ adım|devam\ ediyor)",
        "it": r"(?:restant|rimanent|ancora\ da|non\ ancora|prossimi\ passi|manca)",
    },
)  # fmt: skip
"""Work is named that is not done."""

claim = Phrases(
    english=(
        r"all\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"everything\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"tests\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"build\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"suite\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"it\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"this\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"task\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"work\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"implementation\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"changes\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"feature\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"fix\b.{0,40}\b(?:pass(?:es|ed|ing)?|done|completed?|green|work(?:s|ing)?|fixed|finished|resolved|successful(?:ly)?|ready|live|deployed|clean)\b",
        r"done\b",
        r"fixed\b",
        r"complete\b",
        r"completed\b",
        r"finished\b",
        r"resolved\b",
        r"committed\b",
        r"pushed\b",
        r"implemented\b",
        r"updated\b",
        r"added\b",
        r"created\b",
        r"merged\b",
        r"deployed\b",
        r"verified\b",
        r"removed\b",
        r"renamed\b",
        r"refactored\b",
    ),
    others={
        "zh": r"(?:已(?:经)?(?:完成|修复|更新|添加|创建|提交|部署|实现|删除|推送|解决)|(?<!未)(?<!待)(?<!没)完成(?!后|之后|前)|成功|通过|搞定)",
        "ja": r"(?:(?<!失敗)しました|(?<!未)完了(?!後|次第)|済み|できました|成功)",
        "ko": r"(?:했습니다|완료|되었습니다|됐습니다|성공|통과)",
        "ru": r"(?:(?<!не)(?<!не\ )готово|(?<!не)завершен|исправлен|добавлен|обновлен|выполнен|успешно|создан|удал[её]н|(?<!не\ )работает)",
        "ar": r"(?:(?<!لم\ )\bو?تمت?\b|اكتمل|\bو?نجح|انته)",
        "hi": r"(?:पूरा|हो\ गया|(?<!अ)सफल|कर\ दिया|जोड़\ दिया)",
        "es": r"\b(?:listo|hecho|complet|corregid|actualizad|a[nñ]adid|agregad|cread|implementad|exitos|pasan|(?<!\bno\ )funciona|termin(?!al))",
        "pt": r"\b(?:pronto|feito|conclu[ií]|corrigid|atualizad|adicionad|criad|implementad|sucesso|passam|(?<!não\ )funciona|termin(?!al))",
        "fr": r"\b(?:termin[eé]|fait|corrig[eé]|ajout[eé]|cr[eé][eé]|mis\ [aà]\ jour|r[eé]ussi|fonctionne|passent|impl[eé]ment[eé])",
        "de": r"\b(?:fertig|erledigt|abgeschlossen|behoben|hinzugef[uü]gt|erstellt|aktualisiert|erfolgreich|funktioniert|gr[uü]n\b|implementiert)",
        "tr": r"(?:tamamlan|bitti|düzeltil|eklen|güncellen|oluşturul|başarı(?!s[ıi]z)|çalışıyor|geçiyor|geçti)",
        "it": r"\b(?:fatto|completat|corrett|aggiunt|creat|aggiornat|riuscit|funziona|terminat)",
    },
)  # fmt: skip
"""Work is said to be done."""
