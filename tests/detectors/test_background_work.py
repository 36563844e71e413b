"""A job runs on, and the agent waits for it."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "background_work",
    [
        ("a pending job", turn(say("It builds."), pending=(pending("background", "make"),)), True),
        (
            "a launch as the last thing",
            turn(
                call("Bash", command="make", run_in_background=True),
                result("Command running in background with ID: b2"),
            ),
            True,
        ),
        (
            "English, a report promised",
            turn(say("The image builds. I'll report once it is through.")),
            True,
        ),
        (
            "English, waiting",
            turn(say("The planner works. I'll wait for it to complete before the next step.")),
            True,
        ),
        (
            "English, when it finishes",
            turn(say("Once the suite finishes, I'll summarize the failures.")),
            True,
        ),
        (
            "English, still running, weakly",
            turn(say("The deployment is still running; it takes two minutes.")),
            True,
        ),
        ("Chinese", turn(say("构建已在后台运行，完成后会生成报告。")), True),
        (
            "Japanese",
            turn(say("ビルドはバックグラウンドで動いています。完了したら結果を報告します。")),
            True,
        ),
        (
            "Korean",
            turn(say("빌드가 백그라운드에서 실행 중입니다. 완료되면 알려 드리겠습니다.")),
            True,
        ),
        ("Spanish", turn(say("Corre en segundo plano; te aviso cuando termine.")), True),
        ("Portuguese", turn(say("Está em segundo plano; vou te avisar quando terminar.")), True),
        ("French, weakly", turn(say("La compilation tourne en arrière-plan.")), True),
        (
            "German",
            turn(say("Der Build läuft im Hintergrund, ich melde mich, sobald er fertig ist.")),
            True,
        ),
        ("Russian", turn(say("Сборка идёт в фоне, сообщу, когда закончится.")), True),
        ("Arabic, weakly", turn(say("يعمل البناء الآن في الخلفية وسيستغرق عدة دقائق")), True),
        ("Hindi, weakly", turn(say("बिल्ड अभी पृष्ठभूमि में चल रहा है।")), True),
        ("Turkish, weakly", turn(say("Derleme arka planda çalışıyor.")), True),
        (
            "English, a report given, no job",
            turn(say("The image is built and pushed; 14 layers.")),
            False,
        ),
        (
            "English, the person has to finish, no job",
            turn(say("I'll deploy once you are done with the review.")),
            False,
        ),
        (
            "English, the agent's own step, no job",
            turn(say("Once all of this is in place I will write up what I saw.")),
            False,
        ),
        (
            "English, a colour behind the letters, no job",
            turn(say("The title now stands on a dark background.")),
            False,
        ),
        (
            "English, an announcement, no job",
            turn(say("It is still running. Let me look at the output:")),
            False,
        ),
        ("Chinese, no job", turn(say("构建完成，报告在下面。")), False),
        ("Japanese, no job", turn(say("ビルドが完了しました。")), False),
        ("Korean, no job", turn(say("빌드가 완료되었습니다.")), False),
        ("Spanish, no job", turn(say("La compilación terminó sin errores.")), False),
        ("Portuguese, no job", turn(say("A compilação terminou sem erros.")), False),
        ("French, no job", turn(say("La compilation est terminée.")), False),
        ("German, no job", turn(say("Der Hintergrund ist jetzt dunkel.")), False),
        ("Russian, no job", turn(say("Сборка закончена без ошибок.")), False),
        ("Arabic, no job", turn(say("انتهى البناء بنجاح ولا توجد أخطاء.")), False),
        ("Hindi, no job", turn(say("बिल्ड सफल रहा।")), False),
        ("Turkish, no job", turn(say("Derleme hatasız bitti.")), False),
        ("nothing pending", turn(call("bash", command="make"), result("ok")), False),
        (
            "only a permission pending",
            turn(call("bash", command="make"), pending=(pending("permission"),)),
            False,
        ),
        (
            "a launch that failed",
            turn(
                call("Bash", command="x"),
                result("could not be started in the background", failed=True),
            ),
            False,
        ),
    ],
)
