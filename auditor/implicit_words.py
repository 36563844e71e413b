"""Words inside longer messages, of users and agents, in two dozen languages; data for `implicit`.

Owns the patterns, which are for texts that `implicit_phrases.folded` has folded. Knows no turn.
"""

# ruff: noqa: E501 (phrase tables: a language a line)

from __future__ import annotations

import re

from auditor.implicit_phrases import bare


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(bare(pattern), re.X)


UNDONE = _compiled(
    r"""\b(?:continu|resum|keep|go\ on|proceed|finish|complet|remain|rest\b|next\b|still|again|retry|try|forg[oe]t|miss(?:ed|ing)|stop|left|pending|unfinished|incomplete|half|did(?:n't|nt|\ not)|does(?:n't|nt|\ not)|have(?:n't|nt|\ not)|is(?:n't|nt|\ not)|not\b|never|no\b|error|fail|broken?|wrong|issue|bug|crash|phase|step|part\b|todo|same|why|where|status|progress|done\b|
    weiter|fort|rest|noch|wieder|fehl|nicht|kein|vergess|schritt|fertig|warum|
    poursui|termin|fini|encore|reste|suite|erreur|oubli|etape|pourquoi|pas\b|
    sigu|segui|falta|resto|todavia|aun\b|otra\ vez|olvid|siguiente|paso|fase|por\ que|sigue|error|
    prossig|ainda|proxim|de\ novo|esque|etapa|erro|nao\b|
    prosegu|ancora|dimentic|prossim|passo|errore|perche|manca|non\b|
    verder|doorga|nog\b|opnieuw|volgende|stap|fout|niet|waarom|
    kontynu|dalej|dokoncz|jeszcze|znowu|reszt|blad|nie\b|krok|nastepn|zapomn|
    devam|kalan|hala|tekrar|unut|hata|bitir|tamamla|sonraki|adim|neden|degil|
    lanjut|terus|masih|lagi\b|sisa|lupa|belum|gagal|salah|selesai|tahap|
    tiep|con\ lai|chua|loi|quen|van\ con|buoc|sai\b|
    fortsatt|vidare|resten|fortfarande|igen|glomde|fel\b|nasta|steg|inte|
    fortsæt|fortsett|videre|stadig|stadigvæk|fejl|feil|ikke|
    pokrac|dal\b|zbyt|stale|znovu|zapomn|chyb|dokonc|dals|krok)
    |продолж|дальше|доделай|осталь|остал|еще|снова|опять|забыл|ошибк|не\b|следующ|шаг|этап|законч|почему|заверш
    |продовж|далі|решт|ще\b|знову|помилк|наступн|крок|закінч|чому
    |继续|接着|繼續|剩|还|未|没|再|错|失败|下一步|阶段|完成|为什么|问题|停|忘
    |続|まだ|残|次|エラー|失敗|ない|忘|なぜ|完了|終わ
    |계속|이어|아직|나머지|남은|다음|다시|오류|에러|실패|안\b|왜|완료|끝
    |استمر|اكمل|تابع|واصل|الباقي|مازال|خطأ|مرة\ اخرى|لماذا|لم\b|لا\b|التالي
    |जारी|आगे|बाकी|अभी|फिर|गलती|त्रुटि|नहीं|क्यों|अगला|पूरा
    |συνεχ|υπολοιπ|ακομα|ξανα|λαθος|σφαλμα|δεν\b|γιατι|επομεν
    |המשך|תמשיך|נשאר|עדיין|שוב|שגיאה|לא\b|למה"""
)
"""Words after which a longer message may be about work that the agent left undone."""

NOTHING_LEFT = _compiled(
    r"""\b(?:nothing\ (?:left|more|else|further|remaining|remains|to\ continue|to\ do|to\ resume|pending|outstanding)|no\ (?:further|remaining|more|outstanding|pending|additional|unfinished)\ (?:work|steps?|tasks?|action|changes?|items?)|already\ (?:complete|completed|done|finished)|(?:everything|all\ (?:tasks?|work|steps?|items?))\ (?:is|are|was|were|has\ been|have\ been)\ (?:already\ )?(?:complete|completed|done|finished)|there\ (?:is|was|'s)\ nothing
    |nichts\ (?:mehr|weiter|offen)|bereits\ (?:erledigt|fertig|abgeschlossen)|alles\ (?:ist\ )?(?:erledigt|fertig)
    |rien\ (?:de\ plus|a\ faire|d'autre)|il\ ne\ reste\ (?:plus\ )?rien|tout\ est\ (?:deja\ )?(?:termine|fait)|deja\ (?:termine|fait)
    |(?:no\ (?:queda|hay)\ nada|nada\ (?:mas|pendiente))|ya\ esta\ (?:todo\ )?(?:hecho|completo|terminado)|todo\ esta\ (?:hecho|completo|terminado)
    |(?:nao\ (?:ha|resta)\ (?:mais\ )?nada|nada\ mais)|ja\ (?:esta|foi)\ (?:tudo\ )?(?:feito|concluido|pronto)|tudo\ (?:ja\ )?(?:esta|foi)\ (?:feito|concluido|pronto)
    |(?:non\ (?:c'e|resta|rimane)\ (?:altro|nulla|niente)|niente\ altro)|gia\ (?:completato|fatto|finito)|tutto\ (?:e\ )?(?:completato|fatto)
    |niets\ (?:meer|te\ doen)|al\ (?:klaar|afgerond)|alles\ is\ (?:al\ )?(?:klaar|af)
    |nic\ (?:wiecej|do\ zrobienia)|juz\ (?:gotowe|zrobione|ukonczone)|wszystko\ (?:jest\ )?(?:gotowe|zrobione)
    |yapilacak\ (?:bir\ sey|baska\ bir\ sey)\ (?:yok|kalmadi)|zaten\ tamamlan|her\ sey\ tamam
    |khong\ con\ gi|da\ hoan\ thanh\ (?:tat\ ca|het)|tidak\ ada\ (?:lagi|yang\ tersisa)|sudah\ selesai\ semua
    |inget\ (?:mer|kvar|att\ gora)|redan\ (?:klart|klar|gjort)|intet\ (?:mere|tilbage)|ikke\ mere\ at\ gore|allerede\ (?:faerdig|ferdig|gjort)|ei\ ole\ (?:enaa|mitaan)
    |nic\ (?:dalsiho|nezbyva)|uz\ (?:je\ )?hotovo|vse\ (?:je\ )?hotovo|nimic\ (?:altceva|de\ facut)|totul\ este\ gata)\b
    |(?:больше\ )?нечего\ (?:делать|продолжать)|ничего\ не\ осталось|уже\ (?:все\ )?(?:сделано|готово|завершено|выполнено)|все\ (?:уже\ )?(?:сделано|готово|завершено|выполнено)
    |нічого\ не\ залишилось|уже\ (?:все\ )?зроблено|все\ вже\ (?:зроблено|готово)
    |没有(?:其他|更多|剩余|未完成|需要继续)|无需(?:继续|进一步)|已(?:经)?全部完成|(?:所有|全部)(?:任务|工作)?(?:都)?已(?:经)?完成|没什么(?:可|要)
    |残(?:り|って).{0,8}(?:ありません|ない)|すべて完了|既に完了|すでに完了|やることは(?:もう)?ありません
    |남은\ (?:작업|일)(?:이|은)?\ ?없|이미\ (?:모두\ )?완료|모두\ 완료|더\ 할\ (?:일|것)(?:이|은)?\ ?없
    |لا\ يوجد\ (?:شيء|المزيد|ما)|لم\ يتبق|تم\ (?:بالفعل|الانتهاء\ من\ كل)|اكتمل\ كل
    |कुछ\ (?:भी\ )?(?:नहीं\ बचा|बाकी\ नहीं|शेष\ नहीं)|पहले\ ही\ पूरा|सब\ (?:कुछ\ )?पूरा
    |δεν\ (?:υπαρχει|απομενει|εμεινε)\ (?:τιποτα|κατι)|εχει\ ηδη\ ολοκληρωθει|ολα\ (?:εχουν|ειναι)\ (?:ολοκληρωθει|ετοιμα)
    |לא\ נשאר|אין\ (?:עוד|יותר)\ מה|הכל\ (?:כבר\ )?(?:הושלם|מוכן)"""
)
"""The agent says that there was nothing to go on with."""

REVERSES = _compiled(
    r"""(?:stop|no|nope|wait|undo|revert|roll\ ?back|cancel|why\ (?:did|are|would|have)\ you(?!\ (?:just\ )?stop)|i\ did(?:n't|\ not)\ (?:ask|want|tell)|
    stopp|nein|halt|mach\ .{0,20}ruckgangig|warum\ hast\ du(?!\ .{0,12}(?:aufgehort|gestoppt))|arrete|non|annule|pourquoi\ (?:as|tu\ as)(?!\ .{0,12}arrete)|
    detente|deshaz|revierte|cancela|por\ que\ hiciste|desfaz|desfaca|reverte|nao|pare|ferma|annulla|perche\ hai(?!\ .{0,12}ferm)|nee|hou\ op|
    nie|cofnij|anuluj|dlaczego\ to|dur|hayir|geri\ al|jangan|batalkan|dung\ lai|huy|sluta|nej|nei|angra|ne|vrat|zrus|
    стоп|стой|нет|откати|верни|отмени|зачем\ ты|ні|відкоти|скасуй|توقف|لا|تراجع|रुको|नहीं|वापस|οχι|σταματα|αναιρεσ|עצור|לא|בטל)(?:\ |$)
    |停下|停止|不要|别|撤销|回滚|不对|やめて|止めて|元に戻|いいえ|멈춰|그만|되돌려|아니"""
)
"""How a longer message begins that takes back what was done, or objects to it."""
