"""What a tool is for, by its name: one table for every harness.

Knows names only, never what a call did. A name nobody listed belongs to no family, and no
detector may conclude anything from that. The names are those of the harnesses and agents we have
transcripts or documentation of (Claude Code, Codex, Cursor, Copilot, OpenCode, Crush, Gemini CLI,
Qwen Code, Cline, Roo Code, OpenHands, SWE-agent, Antigravity, Pi).
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from auditor.turn import ToolCall


class Family(Enum):
    """What a tool is for."""

    ASK = "asks the user, or hands a plan over for approval"
    COMPLETE = "says that the task is over"
    BOOKKEEPING = "keeps the agent's own list, plan, topic or memory"
    SUBAGENT = "starts another agent"
    SCHEDULE = "wakes the agent up later"
    SHELL = "runs a command"
    EDIT = "writes files"
    READ = "looks at something and changes nothing"


# Names without case, underscores and other signs, so that one spelling covers all.
_NAMES = {
    Family.ASK: """
        askuserquestion askuserquestions askuser askquestion askquestions askhuman askuserinput
        askfollowupquestion askforclarification askclarification clarify question questions
        requestuserinput requestinput requestuserapproval requestapproval requestclarification
        getuserinput userinput humaninput promptuser messageaskuser vscodeaskquestions elicit
        exitplanmode planmoderespond planexit exitplan presentplan submitplan createplan
        proposeplan notifyuser""",
    Family.COMPLETE: """
        attemptcompletion submit finish finished taskcomplete taskcompleted completetask taskdone
        finishtask endtask taskfinished submitpatch submitresult submitanswer submitfinalanswer
        finalanswer completetaskandsubmit completetaskandsubmitfinaloutput markcomplete
        markascomplete marktaskcomplete structuredoutput terminate reportcompletion done""",
    Family.BOOKKEEPING: """
        todowrite todoread todowrites todos todo writetodos updatetodos updatetodolist
        managetodolist readtodos taskcreate taskupdate tasklist taskget updateplan updatetopic
        updatetasks tasktracker focuschain reportintent savememory updatememory creatememory
        memory setsessiontitle updategoal markchapter think setplan""",
    Family.SUBAGENT: """
        task agent subagent spawnagent spawnsubagent startagent startsubagent runsubagent
        dispatchagent delegate delegatetask delegatetoagent newtask callagent callomoagent
        backgroundtask usesubagents codebaseinvestigator sendmessagetoagent""",
    Family.SCHEDULE: """
        schedulewakeup croncreate schedule scheduletask schedulejob createscheduledtask
        createschedule setreminder setalarm remindme wakeup""",
    Family.SHELL: """
        bash shell cmd terminal powershell run runcommand runterminalcmd runterminalcommand
        runinterminal runshellcommand execcommand shellcommand localshell localshellcall
        executecommand executebash exec developershell launchprocess writestdin ipython
        executeipythoncell runprocess command""",
    Family.EDIT: """
        edit write multiedit notebookedit editnotebook editfile editfiles editdiff searchreplace
        applypatch patch writefile writetofile replace replaceinfile create createfile
        createnewfile inserteditintofile replacestringinfile multireplacestringinfile insert
        insertcontent applydiff deletefile removefile renamefile movefile savefile newfilecreated
        editedexistingfile editfilev2searchreplace strreplace writefilev2 append undoedit""",
    Family.READ: """
        read readfile readfiles readmanyfiles view viewfile viewimage cat open openfile grep glob
        ls list listdir listdirectory listfiles listfilestoplevel listfilesrecursive tree
        searchfiles searchfile searchdir search filesearch findfile find findfiles grepsearch
        codebasesearch codesearch semanticsearch ripgreprawsearch ripgrep globfilesearch readlints
        getdiagnostics diagnostics listcodedefinitionnames readnotebook lsp toolsearch webfetch
        websearch fetch fetchwebpage googlewebsearch websearchcall searched listed listmcpresources
        gototdefinition gotodefinition findreferences bashoutput taskoutput""",
}

FAMILIES = {name: family for family, names in _NAMES.items() for name in names.split()}

_OUTER = re.compile(r"^(?:mcp_{1,2}[^_].*?__|functions\.|default_api\.|\w+---)")
_VERSION = re.compile(r"_?v\d+$")
_READING = re.compile(
    r"(?:get|list|search|read|fetch|find|query|view|lookup|describe)(?:[_-]|[A-Z])"
)

COMPLETED = "COMPLETE_TASK_AND_SUBMIT"
"""What mini-swe-agent's shell command prints to end the task (its documented protocol)."""


def bare(name: str) -> str:
    """The name without the server or name space in front of it."""
    return _OUTER.sub("", name)


@lru_cache(maxsize=4096)
def family(name: str) -> Family | None:
    """The family of a tool, or None where its name says nothing."""
    short = bare(name)
    found = FAMILIES.get(_squeezed(short)) or FAMILIES.get(_squeezed(_VERSION.sub("", short)))
    if found is None and _READING.match(short):
        return Family.READ
    return found


def _squeezed(name: str) -> str:
    return "".join([sign for sign in name.lower() if sign.isalnum()])


def of(call: ToolCall) -> Family | None:
    """The family of a call; a shell command that submits the task completes it."""
    found = family(call.name)
    if found is Family.SHELL and COMPLETED in call.arguments:
        return Family.COMPLETE
    return found
