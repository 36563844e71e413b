"""Phrases by which an agent announces its own next step, by language."""

from __future__ import annotations

from auditor.detectors._languages import Phrases

_VERB = (
    r"(?:start|begin|try|run|check|look|read|take|make|do|get|see|fix|add|update|create|write|implement|test"
    r"|verify|search|find|open|examine|inspect|investigate|review|explore|continue|proceed|move|build"
    r"|refactor|remove|delete|rename|replace|edit|modify|change|commit|push|install|apply|set|analy[sz]e"
    r"|gather|scan|list|view|fetch|execute|rerun|reread|debug|trace|dig|work|finish|complete|handle"
    r"|generate|prepare|put|integrate|map|convert|extract|compare|perform|address|tackle|identify|locate"
    r"|stage|pull|wire|draft|revert|restart|deploy|launch|correct|adjust|clean|restore|rewrite|reset|mark"
    r"|patch|simplify|switch|retry|attempt|determine|conduct|ping|load|call|query|spawn|dispatch|orient"
    r"|validate|resolve|migrate|document|import|copy|insert|format|lint|compile|double-check"
    r"|rebuild|restructure|split|extend|improve|focus|figure|tidy|parse|print|sync|trigger|upgrade|adapt"
    r"|assess|audit|use|go|crawl|merge|define|register|enable|disable|configure|connect|measure|profile"
    r"|benchmark|reproduce|isolate|research|study|plan|outline|break|wrap|bump|bring|grab|send|post)\b"
)
"""What an agent does next; "I'll wait", "I'll remember" and the like are not in it."""

_ADVERBS = r"(?:(?:now|first|next|then|also|just|quickly|immediately|start by|begin by|continue|try to|go ahead and|proceed to|re)[ -])*"
_DOING = (
    r"(?:proceeding (?:to|with)|moving on|moving to|continuing|starting|beginning|checking|running|updating|adding|fixing"
    r"|creating|implementing|reading|writing|testing|removing|verifying|deleting|applying|looking|searching"
    r"|inspecting|building|rerunning|re-running|committing|pushing|installing|deploying|refactoring|rewriting"
    r"|investigating|patching|wiring|rebuilding|restarting|generating|analy[sz]ing|exploring|reviewing|making"
    r"|working on|tracing|scanning|editing|replacing|gathering|pulling|opening|switching)\b"
)
_STATED = r"(?!.*\b(?:is|was|are|were|has|have|had|requires?|will|would|can|could|should|may|makes?|shows?|means|helps?|works?|needs?|ready)\b)"
"""A gerund that is the subject of a statement ("Running it twice is fine") announces nothing."""

_OPENERS = r"\W*(?:(?:okay|ok|great|good|perfect|alright|right|now|next|then|first|so)\W+)*"

announcement = Phrases(
    english=(
        r"let me\b",
        r"lemme\b",
        r"let's\b",
        r"let us\b",
        rf"i'll {_ADVERBS}{_VERB}",
        rf"i will {_ADVERBS}{_VERB}",
        rf"i'm going to {_ADVERBS}{_VERB}",
        rf"i am going to {_ADVERBS}{_VERB}",
        rf"i'm gonna {_ADVERBS}{_VERB}",
        rf"i shall {_ADVERBS}{_VERB}",
        rf"we'll {_ADVERBS}{_VERB}",
        rf"we will {_ADVERBS}{_VERB}",
        r"to (?:proceed|continue|do (?:this|that|so)|start), (?:i|we) (?:need|have|must|should)\b",
    ),
    sentence=(
        (
            "i i'm now next then first time off on so okay ok great good perfect alright right "
            "proceeding moving continuing starting beginning checking running updating adding fixing "
            "creating implementing reading writing testing removing verifying deleting applying looking "
            "searching inspecting building rerunning re-running committing pushing installing deploying "
            "refactoring rewriting investigating patching wiring rebuilding restarting generating "
            "analyzing analysing exploring reviewing"
        ),
        (
            rf"{_OPENERS}(?:i(?: now| also| still| just| then)? (?:need to|have to|must) {_ADVERBS}{_VERB}"
            rf"|{_DOING}{_STATED})"
            rf"|(?:.{{0,200}}?(?:[,;:—–-]|\bso|\band) )?\W*i(?:'m| am) (?:now |also |next )?{_DOING}"
            rf"|{_OPENERS}(?:time to|on to|off to|next up)\b"
            rf"|\W*(?:now|next|then|first)\W+(?:to|let) {_ADVERBS}{_VERB}"
        ),
    ),
    others={
        "zh": r"让我(?!知道)(?:们)?|我们?(?:来|将|会|先|现在|马上|立即|这就|要|需要|准备|开始|继续)|(?:现在|接下来|下面|然后|首先|随后|下一步)(?:，|,)?(?:我|让|来|开始|继续|更新|修改|修复|添加|创建|检查|运行|实现|执行|处理|测试|查看|编写)(?!正常|良好|顺利|全部|都|均|已|通过|成功|得)|(?:\A|[，,。；;：:！!\s])开始(?:实现|执行|修改|编写|处理|整合|创建|更新|修复|检查|工作|实施)|(?<!可以)(?<!可)(?<!否)继续(?:执行|处理|实现|完成|修复|进行|下一)|(?:\A|我|现在|[，,。；;：:！!\s])正在(?!运行)",
        "ja": r"(?:次に|まず|これから|それでは|では|続いて|今から|引き続き|最初に|今度は|さっそく).{0,60}(?:ます|ましょう|たいと思います)|(?:し|やっ|見|み|確認し|直し|調べ|試し|追加し|修正し|実行し|更新し|読ん|書い|進め|始め)て(?:み|いき|き|おき)ます|(?<!\w)(?!.*(?:(?<!私)(?<!で)(?<!に)(?<!ず)(?<!度)(?<!次)(?<!僕)は|これにより|自動|ごとに|時に|際に|すると|[がも].{0,30}[をに]))(?:[^。]{0,60})(?:確認|実行|修正|更新|追加|作成|実装|調査|テスト|検索|削除|変更|開始|対応|適用|検証|分析|着手|再実行|着手|移行|整理|コミット|デプロイ|ビルド|インストール|設定|調整)します|(?:進め|始め|調べ|直し|試し|見)ます|ましょう[。:：!！]?\Z",
        "ko": r"(?:하|해\s?보|보|시작하|진행하|확인하|수정하|실행하|추가하|작성하|살펴보|적용하|업데이트하|고치|돌려보|만들|넘어가)겠습니다|할게요|(?:볼|갈|할)게요|(?:이제|다음으로|먼저|우선|그럼|이어서|지금부터)(?!.*[가-힣](?:은|는|이|가)\ ).{0,60}(?:(?:진행|시작|확인|수정|실행|추가|작성|적용|구현|검토|점검|업데이트|커밋|빌드|배포|분석|조사|삭제|생성)합니다|하겠|보겠|봅시다|할게|시다)|합시다|봅시다",
        "ru": r"\b(?:давай(?:те)?|приступа(?:ю|ем)|начина(?:ю|ем)|начн[уё]м?|перехо(?:жу|дим)|продолж(?:аю|у|аем|им)|провер(?:ю|им|яю)|запу(?:щу|стим|скаю)|обнов(?:лю|им|ляю)|исправ(?:лю|им|ляю)|добав(?:лю|им|ляю)|удал(?:ю|им|яю)|созда(?:м|дим|ю)|посмотр(?:ю|им)|попробу(?:ю|ем)|сдела(?:ю|ем)|выполн(?:ю|им|яю)|напиш(?:у|ем)|изуч(?:у|им|аю)|протестиру(?:ю|ем)|прочита(?:ю|ем)|внес(?:у|ём|ем)|внош[уе]|займусь|буду|(?:проверя|запуска|обновля|исправля|добавля|смотр|пиш|чита|ищ|меня|дела|анализиру|исследу|тестиру|перезапуска|коммич)ю|перезапу(?:щу|стим)|сейчас\ я|теперь\ (?:я(?!\ (?:понима|вижу|знаю))|мне)|(?:мне|нам)?\ ?(?:нужно|надо|необходимо)\ (?:добавить|обновить|исправить|проверить|сделать|создать|изменить|внести)|проанализирую|составлю|реализую|реализуем|найду|открою|верну|заменю|перепишу|настрою|соберу)\b",
        "ar": r"س(?:أقوم|أبدأ|أتحقق|أضيف|أشغل|أعدل|أصلح|أحدث|أنشئ|أراجع|أنظر|أفحص|أستمر|أواصل|أكمل|أقرأ|أبحث|أجرب|أنتقل|أختبر|أكتب|أحذف|أنفذ|أطبق|نقوم|نبدأ|نتحقق|نضيف)|سوف\ (?:أ|ن)|دعني|دعونا|دعنا|الآن\ (?:س[أن]|أ(?:قوم|بدأ|تحقق|ضيف|شغل|عدل|صلح|نشئ|راجع|فحص|كمل|كتب|ختبر|نتقل))|لنبدأ|لنتحقق|\bهيا\b|لنقم|\bلنر\b|سأ(?!نتظر)\w+",
        "hi": r"(?:अब|पहले|आगे|फिर)\ (?:मैं|हम|मुझे)|(?:अब|पहले|फिर|चलो|तो)\ (?!.*(?:सभी|सारे|दोनों|ये\ |वे\ )).{0,60}(?:(?:चला|देख|जाँच|जांच|जोड़|बना|लिख|सुधार|ठीक\ कर|शुरू\ कर)ते\ (?:हैं|है)|(?:ूँगा|ूंगा|ूँगी|ूंगी))|मैं\ .{0,80}(?:ूँगा|ूंगा|ूँगी|ूंगी|ता\ हूँ|ती\ हूँ|रहा\ हूँ|रही\ हूँ|ता\ हूं|रहा\ हूं)|आइए|चलिए|(?:कर|चला|जोड़|देख|जाँच|जांच|बना|लिख|सुधार|शुरू\ कर|पढ़|हटा)(?:(?:ता|ती)\ हू[ँं]|ूँगा|ूंगा|ूँगी|ूंगी|\ ले(?:ता|ती)\ हू[ँं])",
        "es": r"\b(?:voy\ a|vamos\ a|procedo\ a|proceder[eé]|d[eé]jame|perm[ií]teme|a\ continuaci[oó]n,?\ (?:reviso|ejecuto|actualizo|implemento|corrijo|a[nñ]ado|agrego|creo|compruebo|\w+(?:ar|er|ir)[eé]\b)|empiezo|empezar[eé]|comenzar[eé]|(?<!\bel\ )(?<!\bal\ )(?<!\bun\ )comienzo\ (?:a|por|con)\b|empecemos|comencemos|sigo\ con\b|continúo\ (?:con|ahora|por)|\Acontinuo\ con|continuar[eé]|ahora\ (?:voy|vamos|procedo|proceder[eé]|actualizo|corrijo|agrego|a[nñ]ado|reviso|verifico|ejecuto|implemento|creo|pruebo|paso\ a|toca|falta|\w+(?:ar|er|ir)[eé]\b)|(?:revisar|ejecutar|verificar|actualizar|corregir|agregar|a[nñ]adir|implementar|crear|comprobar|probar|escribir|buscar|modificar|eliminar|arreglar|leer|lanzar)[eé]\b|tengo\ que|necesito\ (?:revis|actuali|corre|agreg|a[nñ]ad|modific|verific)\w+|primero,?\ (?:voy|vamos|revis))",
        "pt": r"\b(?:vou|vamos|deixe-me|deixa\ eu|deixe\ eu|irei|(?<!\bo\ )(?<!\bno\ )(?<!\bdo\ )come[cç]o\ (?:a|por|com|pel[oa])\b|come[cç]arei|prosseguirei|(?:\A|(?<=[.:!,]\ ))(?:come[cç]ando|prosseguindo|continuando|iniciando|continuo)\b|agora\ (?:vou|vamos|preciso|irei|falta|atualizo|corrijo|adiciono|verifico|executo|implemento|crio|testo|\w+(?:ar|er|ir)ei\b)|preciso\ (?:atualiz|corri|adicion|verific|modific|ajust|cri)\w+|(?:executar|verificar|atualizar|corrigir|adicionar|implementar|criar|testar|revisar|rodar)ei\b|primeiro,?\ vou)",
        "fr": r"\b(?:je\ vais|nous\ allons|on\ va|allons-y|passons|je\ (?:commence|m'occupe|lance|continue|passe|proc[eè]de|v[eé]rifie|corrige|mets|met|regarde|relance|modifie|teste|cr[eé]e|ajoute|lis|m'attaque|poursuis|reprends)|laisse[z]?-moi|proc[eé]dons|commen[cç]ons|on\ (?:encha[iî]ne|passe|continue)|j'encha[iî]ne|j'ajoute|j'ex[eé]cute|maintenant,?\ (?:je|on|nous|il\ faut)|ensuite,?\ (?:je|on)|voyons|v[eé]rifions|corrigeons|ajoutons|mettons|il\ (?:me\ )?(?:reste\ [aà]|faut\ (?:maintenant|que\ je)))",
        "de": r"\b(?:ich\ (?:werde|f[uü]hre|pr[uü]fe|starte|aktualisiere|[aä]ndere|passe|schaue|beginne|mache|f[uü]ge|erstelle|lasse|lese|suche|behebe|korrigiere|teste|implementiere|schreibe|sehe|muss|gehe|fange|baue|ersetze|entferne|setze|untersuche)\b(?!\ (?:warten|davon\ aus|auf\ (?:deine|ihre)|(?:hier\ )?keine?))|(?:werde|f[uü]hre|pr[uü]fe|starte|aktualisiere|[aä]ndere|passe|schaue|beginne|mache|f[uü]ge|erstelle|lese|suche|behebe|korrigiere|teste|implementiere|schreibe|k[uü]mmere|baue|ersetze|entferne)\ ich\b|lass(?:t|en\ sie)?\ (?:mich|uns)|jetzt\ (?:werde|f[uü]hre|pr[uü]fe|starte|aktualisiere|[aä]ndere|passe|f[uü]ge|erstelle|behebe|muss)|\A\W*(?:(?:so|ok|okay|gut|super|und),?\ )?(?:jetzt|nun)\ (?:noch\ )?(?:de[rn]|die|das|zu[rm]?)\b(?!.*\b(?:nicht|kein\w*|l[aä]uft|ist|sind|hat)\b)|jetzt\ geht\'?s\ (?:an|weiter|los)|als\ n[aä]chstes|n[aä]chster\ schritt|nun\ (?:werde|f[uü]hre|pr[uü]fe|aktualisiere|erstelle|f[uü]ge)|wir\ (?:werden|m[uü]ssen)|schauen\ wir|machen\ wir|\A\W*(?:und\ |dann\ )?weiter\ (?:mit|geht))",
        "tr": r"(?:(?:şimdi|önce|ardından|sonra|hemen|i\u0307?lk\ olarak).{0,80}(?:[ıiuü]yorum|[ae]ca[gğ]ım|[ae]ce[gğ]im|[ae]l[ıi]m|[ae]y[ıi]m)|\w(?:aca[gğ]ım|ece[gğ]im|ayım|eyim|alım|elim)\b|devam\ ediyorum|başlıyorum|geçiyorum|kontrol\ ediyorum|çalıştırıyorum|ekliyorum|düzeltiyorum|güncelliyorum|bakıyorum)",
        "it": r"\b(?:ora\ (?:procedo|eseguo|vado|controllo|aggiorno|verifico|passo|aggiungo|correggo|devo)|adesso\ \w+o\b|procedo|vediamo|fammi\ (?:controllare|vedere|verificare|provare)|lasciami|passiamo|iniziamo|inizio\ (?:a|con)|far[oò]|eseguir[oò]|controller[oò]|aggiorner[oò]|verificher[oò])",
    },
)  # fmt: skip
"""The agent says what it does next."""

spare = Phrases(
    english=(
        r"let me know",
        r"let's see (?:if|whether) (?:this|that|it|these)",
        r"let's (?:keep|leave|stick|not|hold off|see (?:what|how) you|hear|discuss|talk|proceed\.?\Z)",
        r"let me (?:summari[sz]e|recap|explain|clarify|be |say|answer|give you|walk|break|apologi[sz]e|share|rephrase|help you|correct myself|put it|be clear|show you)",
        r"i'll (?:now )?(?:wait|be|keep|remember|stop|hold|pause|stand|need (?:you|your|the (?:file|full|exact|name|url|password))|leave|defer|assume|let you|exit|end|continue to (?:wait|monitor|supervise|be|follow|keep|hold|rely|use|act|operate|treat|respect|refer|listen|serve)|do better|try\.?\Z|listen|care|follow|respect|default to)",
        r"i will (?:now )?(?:wait|be|keep|remember|stop|hold|pause|stand|need (?:you|your|the (?:file|full|exact|name|url|password))|leave|defer|assume|let you|exit|end|continue to (?:wait|monitor|supervise|be|follow|keep|hold|rely|use|act|operate|treat|respect|refer|listen|serve)|do better|try\.?\Z|listen|care|follow|respect|default to)",
        r"i (?:now )?(?:wait|be|keep|remember|stop|hold|pause|stand|need (?:you|your|the (?:file|full|exact|name|url|password))|leave|defer|assume|let you|exit|end|continue to (?:wait|monitor|supervise|be|follow|keep|hold|rely|use|act|operate|treat|respect|refer|listen|serve)|do better|try\.?\Z|listen|care|follow|respect|default to)",
        r"i (?:need|have) to (?:know|ask|stop|be |wait|apologi[sz]e|understand|respect|update my)",
        r"we (?:need|have|should) (?:to )?(?:decide|discuss|agree)",
        r"if (?:you|your|approved|needed|necessary)",
        r"once (?:you|your|approved|needed|necessary)",
        r"when (?:you|your|approved|needed|necessary)",
        r"after (?:you|your|approved|needed|necessary)",
        r"until (?:you|your|approved|needed|necessary)",
        r"unless (?:you|your|approved|needed|necessary)",
        r"whenever (?:you|your|approved|needed|necessary)",
        r"as soon as (?:you|your|approved|we|that's|it|they|this|everything|all)",
        r"once (?:we|that's|it(?:'s| is)?\b|they|this|everything|all|the [\w-]+ (?:is|are|has|finish|complete|return|land))",
        r"until (?:we|that's|it(?:'s| is)?\b|they|this|everything|all|the [\w-]+ (?:is|are|has|finish|complete|return|land))",
        r"unless (?:we|that's|it(?:'s| is)?\b|they|this|everything|all|the [\w-]+ (?:is|are|has|finish|complete|return|land))",
        r"based on your",
        r"otherwise\b",
        r"when we\b",
        r"if any\b",
        r"in my future",
        r"in a (?:few|moment|minute|bit|while)",
        r"every (?:future|time|new|pr\b)",
        r"please\b",
        r"would\b",
        r"you (?:can|need|should|must|may|will|want|might|could|have)",
        r"your (?:answer|feedback|input|approval|confirmation|reply|go|side|end|machine|browser|terminal|turn|call|direction|choice|decision|review)",
        r"you'(?:ll|d|re)",
        r"together\b",
        r"say the word",
        r"suggest(?:ed|ion)?",
        r"suggested",
        r"recommend",
        r"from now",
        r"going forward",
        r"in (?:the )?future",
        r"next (?:time|session|phase|turn|run|pr)\b",
        r"later (?:time|session|phase|turn|run|pr)\b",
        r"tomorrow",
        r"no changes",
        r"optional",
        r"and i'll",
        r"then i'll",
    ),
    sentence=(
        "if once when after until unless whenever assuming",
        r"\W*(?:if|once|when|after|until|unless|whenever|assuming)\b",
    ),
    others={
        "zh": r"优先|给我|如果|如需|若|需要(?:你|您)|记住|牢记|注意|遵守|避免|关注|留意|监控|等待|等候|稍后|停(?:在|下|止|手)|暂停|不(?:会|再|做|改)|根据(?:你|您)|(?:回答|回复|确认|收到|得到).{0,12}后|等你|等您|请|你(?:可以|需要|想|要)|您(?:可以|需要|想|要)|之后再|后再|告诉|后我(?:会|将|再)|确认后|吗[？?]?\Z|已(?:经)?(?:完成|全部)",
        "ja": r"れば|ください|場合|たら|必要(?:なら|に応|であれば)|もし|お待ち|お知らせ|ご|いただ|でしょうか|ますか|次第|可能です|完了します",
        "ko": r"기억하|유의하|명심하|주의하|준수하|감사하|중단하|멈추|보류하|앞으로|주시면|주세요|원하|필요하시|경우|기다리|알려|말씀|드리겠습니다|까요|되면|대기하",
        "ru": r"\b(?:если|тогда\ я|как\ только|после\ (?:ваш|подтвержд|одобр|ответ)|подтверд|ваш|рад[аы]?\b|учту|учитыва|запомню|помнить|подожд|дожд|остановлюсь|впредь|когда\ вы|после\ того|жду|ожида|скажите|сообщите|вы\ (?:можете|хотите)|вам|хотите|подождать|ждать)",
        "ar": r"إذا|إن\ (?:كنت|أردت|رغبت)|بمجرد|سأكون|سأتذكر|سأبقى|سأتوقف|سألتزم|سأراعي|عندما\ ت|بعد\ أن|أنتظر|سأنتظر|بانتظار|أخبرني|يمكنك|هل|موافقت|تأكيد",
        "hi": r"अगर|यदि|सकत[ाी]\ हू[ँं]|समझत[ाी]|याद\ रख|ध्यान\ रख|रुक[ूत]|उम्मीद|आशा|जैसे\ ही|के\ बाद\ ही|जब\ आप|आपके|आपकी|इंतज़?ार|प्रतीक्षा|बताइए|बताएँ|कृपया|आप\ .{0,20}(?:दें|करें)|क्या",
        "es": r"\b(?:si\ |entonces|cuando|una\ vez|en\ cuanto|tras\ tu|recordar|tener\ en\ cuenta|tendr[eé]\ en\ cuenta|evitar[eé]|necesito\ que|av[ií]sa|dime|espero|esperar|puedes|quieres|tu\ (?:confirm|aprob|respuesta)|confirm|apru)",
        "pt": r"\b(?:em\ (?:alguns|poucos)\ (?:instantes|minutos)|em\ breve|se\ |então|quando|assim\ que|ap[oó]s\ (?:sua|a\ sua)|lembrar|levar\ em\ conta|evitar|preciso\ que|avise|me\ diga|aguard|espero|esperar|voc[eê]|quiser|sua\ (?:confirm|aprov|resposta)|confirm|aprov)",
        "fr": r"\b(?:si\ |alors\ je|lorsque|apr[eè]s\ (?:ta|ton|votre|confirm|valid)|souvenir|souviendr|retenir|retiendr|[eé]viter|arr[eê]te|quand|d[eè]s\ que|une\ fois|dis-moi|dites|attend|vous\ (?:pouvez|voulez|souhaitez)|tu\ (?:peux|veux)|votre|ton\ |ta\ |confirm|valid)",
        "de": r"\b(?:wenn|falls|sobald|dann\ \w+\ ich|nachdem\ (?:du|sie)|w[aä]re|k[oö]nnte|merke|merken|abwarten|daran\ (?:halten|denken)|beachten|vermeiden|ich\ (?:sehe|gehe)\ (?:keine?|davon)|warte|sag|du\ (?:kannst|willst|musst)|sie\ (?:k[oö]nnen|m[oö]chten|m[uü]ssen)|deine?[rn]?\b|ihre?[rn]?\b|bitte|best[aä]tig|freigabe)",
        "tr": r"(?:i\u0307?sters|olursa|hatırla|unutma|dikkat\ ed|\w(?:dığında|diğinde|duğunda|düğünde)|\w[sş][ea](?:n|nız|niz)\b|bekl|onay|haber|söyle|lütfen|eğer|dilersen|[ıiuü]nca\b|gerekirse|misin|mısın)",
        "it": r"\b(?:se\ |quando|una\ volta|fammi\ sapere|dimmi|attend|aspett|puoi|vuoi|conferm)",
    },
)  # fmt: skip
"""Announcements that are no next step of the work: they speak to the user, or of later."""
