"""The agent says that everything is done, and its own list says otherwise.

Only a claim about the whole counts ("all tasks complete", "everything is done"), near the end,
and not before a question or an offer. One item left open, or one merely in progress, is mostly a
list nobody ticked off; several that were never begun contradict the claim.
"""

from __future__ import annotations

import re

from auditor.signals import Signal, Stage, evidence
from auditor.turn import TodoStatus, Turn, Verdict

STAGE = Stage.TEXT

REACH = 300
"""Characters of prose before the end that may hold the claim (a guess)."""

_NEVER_BEGUN = 2
"""Pending items that contradict a claim; a single one is often a forgotten tick (a guess)."""

_CLAIM = re.compile(
    r"""
      \b(?:everything|all|all\ (?:of\ )?(?:the\ )?(?:tasks|items|steps|to-?dos|work|changes
        |requirements|points|features))
        \ (?:is|are|has\ been|have\ been|was|were)?\ ?(?:now\ )?(?:all\ )?(?:done|completed?
          |finished|implemented|in\ place|taken\ care\ of)\b
    | \bnothing\ (?:is\ |else\ is\ )?(?:left|remains|remaining)\b | \bno\ (?:tasks|items
      |to-?dos)\ (?:are\ )?(?:left|remain)
    | (?:全部|所有|一切)[^。\n]{0,16}(?:完成|搞定|做完|实现) | (?:すべて|全て
      |全部)[^。\n]{0,16}(?:完了|終わ|実装) | (?:모두|모든|전부)[^.\n]{0,16}(?:완료|끝)
    | \b(?:todo|todas?\ las\ tareas|todo\ el\ trabajo)\ (?:ya\ )?(?:está|están|queda
      |quedó)\ (?:listo|hecho|complet|terminad|list)
    | \b(?:tudo|todas\ as\ tarefas)\ (?:já\ )?(?:está|estão|foi|foram)?\ ?(?:pronto|feito
      |conclu|complet)
    | \btout(?:es\ les\ tâches)?\ (?:est|sont)\ (?:maintenant\ )?(?:fait|termin|prêt|complet)
    | \balle?s?\ (?:aufgaben\ |punkte\ |schritte\ )?(?:ist|sind)
      \ (?:jetzt\ |nun\ )?(?:erledigt|fertig|abgeschlossen|umgesetzt)
    | \bвс[её]\ (?:задачи\ |пункты\ |шаги\ )?(?:готов|сделан|выполнен|завершен|завершён)
      | كل\ شيء\ (?:جاهز|مكتمل|تم) | (?:اكتملت|تمت)\ جميع
    | सब\ (?:कुछ\ )?(?:पूरा|हो\ गया|तैयार) | \b(?:her\ şey|tüm\ görevler|hepsi)\ (?:tamam
      |hazır|bitti)
    """,
    re.X,
)
_HANDS_OVER = ("?", "？", "؟", ":", "：")


def detect(turn: Turn) -> Signal | None:
    """A claim that all is done, with open items on the list."""
    items = turn.open_todos
    if not items or not turn.reply:
        return None
    near = turn.tail[-REACH:].lower()
    if near.endswith(_HANDS_OVER):
        return None
    found = _CLAIM.search(near)
    if found is None:
        return None
    pending = sum([item.status is TodoStatus.PENDING for item in items])
    proved = pending >= _NEVER_BEGUN and pending == len(items)
    said = evidence(f"{found.group(0)} — but {len(items)} to-dos open: {items[0].content[:50]}")
    return Signal(0.9 if proved else 0.5, Verdict.UNFINISHED, said, settles=proved)
