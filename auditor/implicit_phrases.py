"""Short messages of users in two dozen languages, by what they mean; data for `implicit`.

Owns the phrases and how a text is folded before it is compared. Knows no turn and no label. A
phrase counts only where the whole message consists of phrases, so a common word may stand here.
"""

# ruff: noqa: E501 (phrase tables: a language a line)

from __future__ import annotations

import re
import unicodedata
from enum import Enum


class Meaning(Enum):
    """What a phrase of a user says."""

    CONTINUE = "go on with your work"
    APPROVE = "yes, do it"
    ACKNOWLEDGE = "ok: a yes, or nothing, by what stands beside it"
    THANK = "thanks, it works"
    WRAP_UP = "commit it: one is done with what was made"
    STOP = "stop, no, undo that"
    COMPLAIN = "why did you stop?"
    POLITE = "please, now: says nothing"


_PHRASES = {
    Meaning.CONTINUE: {
        "en": "continue|please continue|pls continue|cont|go on|keep going|keep on going|carry on|keep working|keep at it|resume|resume work|resume your work|continue working|continue the work|continue your work|continue from where you left off|continue from where you stopped|continue where you left off|continue where you stopped|pick up where you left off|pick up where you stopped|keep on|move on|proceed with the rest|continue with the rest|continue the rest|finish it|finish the rest|finish the job|finish the work|finish what you started|do the rest|complete the rest|complete the task|continue the task|continue with the task|finish the task|continue implementation|continue the implementation|continue implementing|you can continue|lets continue|let's continue|then continue|continue on|go ahead and continue|you were cut off|you got cut off|your message was cut off",
        "zh": "继续|请继续|继续吧|你继续|接着|接着做|接着来|继续做|继续工作|继续执行|继续完成|继续实现|继续全部完成|继续全部执行|继续全部实现|继续下去|往下做|接着干|接着写|继续写|繼續|請繼續",
        "ja": "続けて|続けてください|続けてくれ|続き|続きを|続きお願いします|続きをお願いします|続きを作成して|続きを書いて|続行|続行して|続行してください|継続|継続して|継続してください|再開して|再開してください|つづけて|そのまま続けて",
        "ko": "계속|계속해|계속해줘|계속해 줘|계속해주세요|계속해 주세요|계속하세요|계속 진행|계속 진행해|계속 진행해줘|계속 진행해 줘|계속 진행해주세요|계속 진행해 주세요|이어서|이어서 해줘|이어서 진행해줘|이어서 진행해|이어서 계속|계속 작업해줘",
        "de": "weiter|mach weiter|machen sie weiter|mache weiter|fahre fort|fahr fort|fahren sie fort|weitermachen|fortfahren|fortsetzen|bitte weiter|weiter geht's|weiter gehts|arbeite weiter|mach den rest|mach es fertig|setze fort|setz fort|mach da weiter wo du aufgehört hast",
        "fr": "continue|continuez|continuer|poursuis|poursuivez|vas y continue|reprends|reprenez|reprends où tu t'es arrêté|termine|terminez|finis|continue le travail|continue ton travail|enchaîne",
        "es": "continúa|continua|continúe|continuar|sigue|siga|seguir|sigue adelante|prosigue|prosiga|sigue trabajando|continúa con el trabajo|continúa donde lo dejaste|sigue donde lo dejaste|termina|termínalo|sigamos|continuemos|retoma",
        "pt": "continua|continue|continuar|continua a trabalhar|continue trabalhando|prossiga|prossegue|segue|siga|siga em frente|continue de onde parou|continua de onde paraste|pode continuar|termina|termine|retome",
        "it": "continua|continui|prosegui|prosegua|vai avanti|vada avanti|continua pure|riprendi|riprendi da dove eri rimasto|finisci|continua da dove eri rimasto|continuiamo|continua il lavoro",
        "nl": "ga door|ga verder|doorgaan|verder|verdergaan|ga maar door|ga maar verder|werk verder|maak het af|ga door waar je gebleven was|vervolg",
        "pl": "kontynuuj|kontynuj|dalej|kontynuować|kontynuujemy|idź dalej|lecimy dalej|leć dalej|rób dalej|działaj dalej|jedź dalej|dokończ|wznów|pracuj dalej",
        "ru": "продолжай|продолжайте|продолжить|продолжаем|продолжи|дальше|давай дальше|продолжай работу|продолжай реализацию|продолжай выполнение|продолжай с того места где остановился|едем дальше|работай дальше|делай дальше|доделай|доделывай|закончи|заверши|поехали дальше",
        "uk": "продовжуй|продовжуйте|продовжити|продовжуємо|далі|давай далі|працюй далі|роби далі|доробляй|закінчи|заверши",
        "tr": "devam|devam et|devam edin|devam edelim|devam ediniz|sürdür|kaldığın yerden devam et|kaldığın yerden devam|devam etsene|çalışmaya devam et|bitir|tamamla",
        "ar": "استمر|استمري|أكمل|اكمل|أكملي|واصل|تابع|تابعي|كمل|كملي|استمر من فضلك|أكمل العمل|واصل العمل|أكمل من حيث توقفت|تابع العمل",
        "hi": "जारी रखो|जारी रखें|जारी रखिए|आगे बढ़ो|आगे बढ़ें|आगे बढ़िए|चालू रखो|आगे करो|काम जारी रखो|काम जारी रखें|पूरा करो|jari rakho|aage badho|aage bado|continue karo|continue kro",
        "vi": "tiếp tục|tiếp|tiếp đi|tiếp tục đi|làm tiếp|làm tiếp đi|hãy tiếp tục|tiếp tục làm|tiếp tục công việc|cứ tiếp tục|hoàn thành nốt",
        "id": "lanjut|lanjutkan|lanjutin|teruskan|lanjut terus|ayo lanjut|lanjut kerja|lanjutkan pekerjaan|selesaikan|lanjut aja",
        "sv": "fortsätt|fortsätta|kör vidare|gå vidare|jobba vidare|fortsätt jobba|fortsätt där du slutade|gör klart|gör klart det|fortsätt med resten",
        "da": "fortsæt|bliv ved|kør videre|gå videre|arbejd videre|fortsæt arbejdet|gør det færdigt",
        "no": "fortsett|kjør videre|gå videre|jobb videre|fortsett arbeidet|gjør det ferdig",
        "fi": "jatka|jatka vain|jatketaan|jatka siitä mihin jäit|jatka työtä|tee loppuun",
        "cs": "pokračuj|pokračujte|pokračovat|dál|jeď dál|dělej dál|pokračujeme|dokonči|dokonči to|pracuj dál",
        "el": "συνέχισε|συνεχίστε|συνέχεια|προχώρα|προχώρησε|συνέχισε τη δουλειά|συνέχισε από εκεί που σταμάτησες|ολοκλήρωσε",
        "ro": "continuă|continuați|mergi mai departe|mai departe|dă-i înainte|continuă treaba|termină",
        "he": "המשך|תמשיך|תמשיכי|להמשיך|המשיכי|תמשיך בבקשה",
    },
    Meaning.APPROVE: {
        "en": "yes|yep|yeah|yup|y|ya|sure|sure thing|of course|absolutely|definitely|correct|right|exactly|agreed|approved|approve|confirmed|confirm|i approve|i agree|i confirm|go|go ahead|go for it|proceed|please proceed|you may proceed|do it|do that|do so|make it so|let's do it|lets do it|let's go|lets go|sounds good|looks good|lgtm|ship it|do all|do all of it|all of them|all|both|yes to all|please do|start|begin|you can proceed|that works for me|fine|fine by me|yes i do|implement it|execute|execute it|run it|go with that|go with it",
        "zh": "是|是的|对|对的|好的|好|好啊|可以|可以的|行|同意|批准|确认|没问题|开始|开始吧|执行|执行吧|全部执行|全部|全部实施|全部实现|全部修复|要|需要|做吧|去做|就这样|按你说的做|没错",
        "ja": "はい|ええ|お願いします|お願い|おねがいします|いいです|いいよ|承認|承認します|了解|そうして|そうしてください|それで|それでお願いします|進めて|進めてください|実行して|実行してください|やって|やってください|ok です",
        "ko": "네|예|응|어|그래|좋아|좋아요|좋습니다|승인|진행|진행해|진행해줘|진행해 줘|진행해주세요|진행해 주세요|해줘|해 줘|해주세요|그렇게 해줘|맞아|맞아요|시작|시작해|시작해줘",
        "de": "ja|jo|jep|jup|genau|klar|gerne|gern|passt|einverstanden|mach das|mach es|los|los geht's|los gehts|leg los|richtig|bestätigt|freigegeben|stimmt|in ordnung|ja mach das|tu das",
        "fr": "oui|ouais|d'accord|vas y|allez y|allez|fais le|faites le|exact|exactement|c'est bon|parfait vas y|je valide|validé|je confirme|bien sûr|go",
        "es": "sí|si|claro|dale|vale|adelante|hazlo|hágalo|correcto|exacto|de acuerdo|por supuesto|confirmo|confirmado|apruebo|aprobado|procede|proceda|empieza|eso",
        "pt": "sim|claro|pode|pode sim|pode fazer|faça|faz|faça isso|isso|isso mesmo|certo|correto|manda ver|manda|bora|vamos|confirmo|confirmado|aprovado|pode ir|concordo",
        "it": "sì|si|certo|va bene|vai|fallo|procedi|proceda|esatto|d'accordo|confermo|approvato|giusto|perfetto procedi",
        "nl": "ja|jazeker|doe maar|doe dat|doe het|akkoord|klopt|goed|is goed|graag|zeker",
        "pl": "tak|jasne|pewnie|zgoda|dobrze|zrób to|rób|działaj|potwierdzam|zatwierdzam|dawaj|dokładnie|zgadza się",
        "ru": "да|ага|угу|давай|давайте|хорошо|конечно|согласен|согласна|подтверждаю|одобряю|делай|сделай|делайте|верно|правильно|начинай|поехали|го|приступай|выполняй|утверждаю",
        "uk": "так|ага|давай|добре|звичайно|згоден|згодна|підтверджую|роби|зроби|починай|вірно|правильно",
        "tr": "evet|olur|tabii|tabi|yap|yapalım|onaylıyorum|onay|başla|hadi|doğru|peki|aynen",
        "ar": "نعم|أجل|ايوه|أيوه|موافق|تمام|حسنا|افعل|نفذ|ابدأ|صحيح|طبعا|أوافق|أؤكد",
        "hi": "हाँ|हां|जी|जी हाँ|ठीक है|करो|कर दो|करें|सही|बिल्कुल|मंज़ूर|शुरू करो|haan|han|kar do|theek hai|thik hai",
        "vi": "có|vâng|ừ|đồng ý|được|làm đi|triển khai đi|đúng rồi|bắt đầu đi|dạ",
        "id": "ya|iya|boleh|setuju|silakan|lakukan|kerjakan|benar|betul|gas|mulai|oke lakukan",
        "sv": "ja|japp|absolut|kör|kör på|gör det|gör så|godkänt|stämmer|visst|gärna",
        "da": "ja|jep|gør det|godkendt|kør|selvfølgelig|gerne|korrekt",
        "no": "ja|jepp|gjør det|godkjent|kjør|kjør på|selvfølgelig|gjerne|riktig",
        "fi": "kyllä|joo|juu|tee se|tee niin|hyväksytty|selvä|anna mennä",
        "cs": "ano|jo|jasně|souhlasím|udělej to|proveď|potvrzuji|správně|dobře|tak jo|schvaluji",
        "el": "ναι|σωστά|εντάξει|συμφωνώ|κάν' το|κάντο|προχώρα το|βεβαίως|εγκρίνω|ξεκίνα",
        "ro": "da|sigur|de acord|fă asta|fă-o|corect|aprob|confirm|exact|bine",
        "he": "כן|בטח|מאשר|מסכים|תעשה|תעשה את זה|נכון|קדימה",
    },
    Meaning.ACKNOWLEDGE: {
        "any": "ok|okay|okey|oke|okej|k|kk|alright|all right|got it|i see|hmm|cool|good|noted|understood|ок|окей|ок да|好吧|明白|オーケー|알겠어|알겠습니다|alles klar|entendido|compris|capito|begrepen|tamam|jasne ok|εντάξει ok|oki",
    },
    Meaning.THANK: {
        "en": "thanks|thank you|thank you very much|thank you so much|thanks a lot|many thanks|thx|ty|tysm|cheers|perfect|great|awesome|excellent|amazing|wonderful|fantastic|brilliant|nice|nice work|good job|great job|great work|good work|well done|it works|that works|works|works now|it works now|this works|that worked|it worked|works perfectly|works great|it works perfectly|now it works|that fixed it|fixed|all good|looks great|looks perfect|love it|that's it|that's all|that is all|done|beautiful|super",
        "zh": "谢谢|谢谢你|多谢|感谢|谢了|太好了|很好|完美|不错|非常好|棒|太棒了|可以了|好了|搞定|辛苦了|謝謝",
        "ja": "ありがとう|ありがとうございます|ありがとうございました|感謝|完璧|完璧です|素晴らしい|いいね|できました|動きました|助かりました|お疲れ様|お疲れ様です|お疲れさま",
        "ko": "감사|감사합니다|고마워|고마워요|고맙습니다|완벽해|완벽합니다|잘했어|수고했어|수고하셨습니다|훌륭해|잘 됩니다|잘돼",
        "de": "danke|danke schön|dankeschön|vielen dank|danke dir|super|perfekt|klasse|toll|sehr gut|funktioniert|es funktioniert|jetzt funktioniert es|gut gemacht|läuft|spitze|top",
        "fr": "merci|merci beaucoup|super|parfait|génial|excellent|très bien|bravo|ça marche|ça fonctionne|bien joué|nickel|top",
        "es": "gracias|muchas gracias|perfecto|genial|excelente|muy bien|buen trabajo|funciona|ya funciona|estupendo|fantástico|bravo",
        "pt": "obrigado|obrigada|muito obrigado|valeu|perfeito|ótimo|excelente|muito bom|bom trabalho|funcionou|funciona|deu certo|show|maravilha|beleza",
        "it": "grazie|grazie mille|perfetto|ottimo|eccellente|bravo|bravissimo|ottimo lavoro|funziona|ora funziona|fantastico|benissimo",
        "nl": "dank je|dankjewel|dank u|bedankt|dank|perfect|geweldig|super|mooi|goed gedaan|het werkt|werkt",
        "pl": "dzięki|dziękuję|dzięki wielkie|super|świetnie|doskonale|idealnie|działa|dobra robota|ekstra",
        "ru": "спасибо|спасибо большое|большое спасибо|благодарю|отлично|супер|класс|круто|прекрасно|замечательно|работает|всё работает|теперь работает|заработало|идеально|молодец|здорово",
        "uk": "дякую|щиро дякую|спасибі|чудово|супер|клас|відмінно|працює|все працює|молодець",
        "tr": "teşekkürler|teşekkür ederim|sağ ol|sağol|çok teşekkürler|eyvallah|mükemmel|harika|süper|güzel|çalışıyor|çalıştı|eline sağlık",
        "ar": "شكرا|شكرا لك|شكرا جزيلا|ممتاز|رائع|مذهل|أحسنت|عظيم|يعمل الآن",
        "hi": "धन्यवाद|शुक्रिया|बहुत बढ़िया|शानदार|बढ़िया|उत्तम|काम कर रहा है|dhanyavad|shukriya",
        "vi": "cảm ơn|cám ơn|cảm ơn bạn|cảm ơn nhiều|tuyệt vời|tuyệt|hoàn hảo|tốt lắm|ngon|chạy được rồi",
        "id": "terima kasih|makasih|trims|thanks ya|mantap|keren|sempurna|bagus|berhasil|hebat|sip",
        "sv": "tack|tack så mycket|tackar|perfekt|toppen|grymt|bra jobbat|jättebra|det fungerar|fungerar|underbart",
        "da": "tak for det|mange tak|perfekt|fantastisk|super|godt gået|godt arbejde|det virker|virker",
        "no": "takk|tusen takk|takk skal du ha|perfekt|flott|supert|bra jobba|det fungerer|fungerer",
        "fi": "kiitos|kiitti|kiitoksia|täydellistä|loistavaa|hienoa|mahtavaa|toimii|hyvää työtä",
        "cs": "díky|děkuji|děkuju|diky moc|perfektní|skvělé|super|výborně|funguje|dobrá práce|parádní",
        "el": "ευχαριστώ|ευχαριστώ πολύ|τέλεια|τέλειο|υπέροχα|μπράβο|δουλεύει|πολύ καλά",
        "ro": "mulțumesc|mulțumesc mult|mersi|perfect|excelent|super|minunat|funcționează|bravo",
        "he": "תודה|תודה רבה|מעולה|מושלם|נהדר|עובד|כל הכבוד",
    },
    Meaning.WRAP_UP: {
        "en": "commit|commit this|commit it|commit all|commit everything|commit that|commit the changes|commit these changes|commit your changes|commit changes|commit and push|commit and push it|commit and push this|commit push|push|push it|push this|commit to git|git commit|git push|create a pr|create the pr|open a pr|make a pr|push and create a pr|commit and create a pr|merge it|merge|deploy|deploy it|update the changelog|update changelog",
        "zh": "提交|提交代码|提交吧|推送|提交并推送|部署",
        "ja": "コミット|コミットして|コミットしてください|プッシュして|コミットしてプッシュして|デプロイして",
        "ko": "커밋|커밋해|커밋해줘|푸시해|푸시해줘|커밋하고 푸시해줘|배포해줘",
        "de": "committe|committen|commit und push|pushen|push es|committe das|deploye|einchecken",
        "fr": "commite|commit et push|pousse|fais un commit|déploie",
        "es": "haz commit|commitea|haz push|sube los cambios|haz commit y push|despliega",
        "pt": "commita|faz commit|faça o commit|faz o commit|commit e push|faz push|faz deploy",
        "it": "committa|fai commit|fai il commit|fai push|commit e push",
        "nl": "commit en push|committen|push maar|commit het",
        "pl": "zacommituj|commituj|zrób commit|commit i push|wypchnij",
        "ru": "коммит|закоммить|закоммить и запушь|коммить|сделай коммит|запушь|пуш|задеплой",
        "uk": "закоміть|зроби коміт|коміт|запуш",
        "tr": "commit et|commitle|pushla|commit at|commit ve push",
        "vi": "commit đi|commit và push|push đi",
        "id": "commit dan push|commit aja|push aja",
        "sv": "committa|pusha|committa och pusha",
        "cs": "commitni|commitni to|pushni|commitni a pushni",
    },
    Meaning.STOP: {
        "en": "stop|stop it|stop that|stop now|stop right there|no|nope|nah|no stop|don't|do not|wait|wait no|hold on|halt|cancel|abort|quit it|enough|undo|undo that|undo it|undo this|revert|revert that|revert it|revert this|roll back|roll it back|roll that back|rollback|do a rollback|why did you do that|why did you do this|why are you doing this|why are you doing that|i didn't ask for that|i did not ask for that|i didn't ask for this|not what i asked|that's not what i asked|that is not what i asked|that's not what i wanted|leave it|wrong|that's wrong|nobody asked",
        "zh": "停|停止|停下|停下来|别|别做了|不|不要|不用|不用了|不对|不是|等等|等一下|取消|撤销|回滚|撤回|为什么|你为什么这么做|我没让你这么做|错了",
        "ja": "止めて|やめて|やめてください|止まって|ストップ|いいえ|違う|違います|待って|待ってください|中止|中止して|取り消して|元に戻して|戻して|なぜ|どうしてそんなことをした|頼んでない",
        "ko": "멈춰|멈춰줘|그만|그만해|중지|중단|아니|아니요|아니야|하지마|하지 마|잠깐|기다려|취소|취소해|되돌려|되돌려줘|왜 그랬어|틀렸어",
        "de": "stopp|stop|halt|nein|nee|nicht|warte|abbrechen|abbruch|hör auf|lass das|rückgängig|mach das rückgängig|mach es rückgängig|zurück|warum hast du das gemacht|warum machst du das|falsch|das wollte ich nicht",
        "fr": "arrête|arrêtez|stop|non|attends|attendez|annule|annulez|reviens en arrière|défais ça|pourquoi as-tu fait ça|pourquoi tu as fait ça|pourquoi|faux|je n'ai pas demandé ça",
        "es": "para|detente|alto|stop|no|espera|espere|cancela|cancelar|deshaz|deshazlo|revierte|deshacer|por qué hiciste eso|por qué|no pedí eso|basta",
        "pt": "para|pare|parar|stop|não|nao|espera|espere|cancela|cancele|desfaz|desfaça|reverte|reverta|por que você fez isso|por quê|errado|não pedi isso|chega",
        "it": "ferma|fermati|stop|no|aspetta|annulla|torna indietro|ripristina|perché l'hai fatto|perché|sbagliato|non l'ho chiesto|basta",
        "nl": "stop|nee|wacht|hou op|annuleer|maak ongedaan|draai terug|waarom deed je dat|fout|dat vroeg ik niet",
        "pl": "stop|stój|nie|czekaj|przestań|anuluj|cofnij|cofnij to|dlaczego to zrobiłeś|źle|nie prosiłem o to",
        "ru": "стоп|стой|нет|не надо|подожди|погоди|остановись|хватит|прекрати|отмена|отмени|откати|верни|верни как было|зачем|зачем ты это сделал|почему ты это сделал|неправильно|неверно|я не просил",
        "uk": "стоп|стій|ні|не треба|зачекай|зупинись|досить|припини|скасуй|відкоти|поверни|навіщо|навіщо ти це зробив|неправильно|я не просив",
        "tr": "dur|durdur|hayır|bekle|yapma|iptal|iptal et|geri al|neden yaptın|neden|yanlış|bunu istemedim|yeter",
        "ar": "توقف|قف|لا|انتظر|كفى|ألغ|إلغاء|تراجع|تراجع عن ذلك|لماذا فعلت ذلك|لماذا|خطأ|لم أطلب ذلك",
        "hi": "रुको|रुकिए|रुकें|बंद करो|नहीं|मत करो|रद्द करो|वापस करो|पूर्ववत करो|क्यों|ऐसा क्यों किया|गलत|ruko|nahi|mat karo",
        "vi": "dừng lại|không|khoan|khoan đã|chờ đã|hủy|hủy đi|hoàn tác|tại sao|tại sao bạn làm vậy|sai|sai rồi|tôi không yêu cầu",
        "id": "berhenti|stop|tidak|jangan|tunggu|batal|batalkan|kembalikan|urungkan|kenapa|kenapa kamu lakukan itu|salah|bukan itu",
        "sv": "stopp|sluta|nej|vänta|avbryt|ångra|återställ|varför gjorde du så|varför|fel|det bad jag inte om",
        "da": "stop|nej|vent|annuller|fortryd|hvorfor gjorde du det|forkert",
        "no": "stopp|nei|vent|avbryt|angre|hvorfor gjorde du det|feil",
        "fi": "seis|lopeta|ei|odota|peruuta|kumoa|miksi teit niin|väärin",
        "cs": "stop|zastav|ne|počkej|přestaň|zruš|zruš to|vrať to|vrať zpět|proč jsi to udělal|proč|špatně",
        "el": "σταμάτα|όχι|περίμενε|ακύρωσε|αναίρεσε|γύρνα το πίσω|γιατί το έκανες|γιατί|λάθος",
        "ro": "stai|oprește|oprește-te|nu|așteaptă|anulează|de ce ai făcut asta|de ce|greșit",
        "he": "עצור|תעצור|לא|חכה|בטל|תבטל|תחזיר|למה עשית את זה|למה|טעות",
    },
    Meaning.COMPLAIN: {
        "en": "why did you stop|why have you stopped|why you stopped|why stop|why are you stopping|why do you stop|why do you keep stopping|you stopped|you just stopped|you stopped again|don't stop|do not stop|dont stop|never stop|stop stopping|you are not done|you're not done|you didn't finish|you did not finish|you haven't finished|you are not finished|you're not finished|not done yet|it's not done",
        "zh": "为什么停了|为什么停下|为什么停下来|怎么停了|你怎么停了|你停了|不要停|别停|还没完成|没做完",
        "ja": "なぜ止まった|なんで止まった|止まらないで|止まっています|まだ終わってない",
        "ko": "왜 멈췄어|왜 멈춰|멈추지 마|멈추지마|아직 안 끝났어",
        "de": "warum hast du aufgehört|warum hörst du auf|warum stoppst du|hör nicht auf|nicht aufhören|du bist nicht fertig|noch nicht fertig",
        "fr": "pourquoi tu t'es arrêté|pourquoi t'es-tu arrêté|ne t'arrête pas|tu n'as pas fini",
        "es": "por qué paraste|por qué te detuviste|no pares|no te detengas|no has terminado|no terminaste",
        "pt": "por que parou|por que você parou|não pare|não para|você não terminou|porque paraste",
        "it": "perché ti sei fermato|non fermarti|non hai finito",
        "nl": "waarom stop je|waarom stopte je|niet stoppen|je bent niet klaar",
        "pl": "dlaczego przestałeś|czemu się zatrzymałeś|nie przestawaj|nie zatrzymuj się|nie skończyłeś",
        "ru": "почему остановился|почему ты остановился|чего остановился|не останавливайся|ты не закончил|не доделал|ты не доделал",
        "uk": "чому зупинився|чому ти зупинився|не зупиняйся|ти не закінчив",
        "tr": "neden durdun|niye durdun|durma|bitirmedin",
        "ar": "لماذا توقفت|لا تتوقف|لم تنته",
        "hi": "क्यों रुक गए|रुको मत|मत रुको|kyu ruk gaye",
        "vi": "sao dừng lại|tại sao dừng lại|đừng dừng lại|chưa xong",
        "id": "kenapa berhenti|jangan berhenti|belum selesai",
        "sv": "varför slutade du|sluta inte|du är inte klar",
        "cs": "proč jsi přestal|proč jsi skončil|nepřestávej|neskončil jsi",
        "el": "γιατί σταμάτησες|μη σταματάς|δεν τελείωσες",
    },
    Meaning.POLITE: {
        "any": "please|pls|plz|now|then|so|just|and|with it|for me|you|that|this|it|again|bitte|jetzt|mal|einfach|s'il te plait|s'il vous plait|svp|stp|maintenant|por favor|porfa|ahora|agora|per favore|adesso|alsjeblieft|alstublieft|maar|prosze|пожалуйста|плиз|теперь|будь ласка|lutfen|من فضلك|رجاء|الآن|कृपया|अब|vui long|ngay|di|nhe|tolong|dong|snalla|prosim|παρακαλω|τωρα|va rog|בבקשה|请|吧|呢|啊|了|呀|ください|よ|ね|sir|bro|buddy|man|mate",
    },
}

_FOLDED = str.maketrans({"ı": "i", "đ": "d", "ł": "l", "ø": "o", "’": "'", "`": "'", "´": "'"})
_MARKS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
_APART = re.compile(r"[^\w\u0900-\u097f']+|_+|(?<!\w)'|'(?!\w)")
"""What stands between words; vowel signs of Devanagari are part of one."""


def folded(text: str) -> str:
    """Fold case, accents and vowel points, width, apostrophes; signs become single spaces."""
    return " ".join(_APART.sub(" ", bare(text)).split())


def bare(text: str) -> str:
    """Do the same with the letters alone, and leave what stands between words."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", apart)).translate(_FOLDED)


def _by_beginning() -> dict[str, list[tuple[str, Meaning]]]:
    found: dict[str, dict[str, Meaning]] = {}
    for meaning, languages in _PHRASES.items():
        for phrases in languages.values():
            for phrase in map(folded, phrases.split("|")):
                found.setdefault(phrase[0], {}).setdefault(phrase, meaning)
    return {
        first: sorted(phrases.items(), key=lambda entry: -len(entry[0]))
        for first, phrases in found.items()
    }


BY_BEGINNING = _by_beginning()
"""First sign -> its folded phrases, longest first; a phrase listed twice has its first meaning."""
