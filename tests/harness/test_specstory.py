"""SpecStory histories: what begins a turn, what a bubble is, what only looks like a separator."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.assemble import turns
from auditor.harness import specstory
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    TodoStatus,
    ToolCall,
    Turn,
)

RECORDINGS = Path(__file__).parent / "recordings" / "specstory"
CURSOR = "<!-- cursor Session abc (2031-01-01 00:00Z) -->\n\n"
CLAUDE = "<!-- Claude Code Session abc (2031-01-01_00-00-00Z) -->\n\n"
USER = "\n\n---\n\n_**User**_\n\n"
AGENT = "\n\n---\n\n_**Agent**_\n\n"
FAILED = f"{AGENT}Tool use: **Bash**\n\n`ls`\n\nError:\n\n```\n"


def told(text: str) -> list[Turn]:
    lines = enumerate(text.split("\n"), 1)
    return [t for t in turns(specstory.events(lines, "file")) if isinstance(t, Turn)]


def one(text: str) -> Turn:
    (found,) = told(text)
    return found


def said(bubble: str, start: str = CURSOR) -> Turn:
    """The one turn whose agent's message is `bubble`."""
    return one(f"{start}{USER}please{AGENT}{bubble}\n")


def recorded(name: str) -> list[Turn]:
    return [t for t in turns(specstory.read(RECORDINGS / name)) if isinstance(t, Turn)]


@pytest.mark.parametrize(
    ("comment", "agent"),
    [
        ("<!-- cursor Session s1 (2031-01-01 00:00Z) -->", "cursor"),
        ("<!-- Claude Code Session s1 (2031-01-01_00-00-00Z) -->", "claude-code"),
        ("<!-- vscode-copilot Session s1 (2031-01-01 00:00Z) -->", "copilot"),
        ("<!-- VS Code Copilot Session s1 -->", "copilot"),
        ("<!-- Codex CLI Session s1 (2031-01-01 00:00Z) -->", "codex"),
    ],
)
def test_the_session_comment_names_agent_and_session(comment: str, agent: str) -> None:
    found = one(f"{comment}{USER}hi{AGENT}hello")
    assert (found.harness, found.session, found.id) == (agent, "s1", "s1#1")


@pytest.mark.parametrize(
    ("header", "agent", "model"),
    [
        ("_**Assistant**_", "cursor", None),
        ("_**Agent (mode Agent)**_", "cursor", None),
        ("_**Agent (model composer-9, mode Agent)**_", "cursor", "composer-9"),
        ("_**Agent (model default, mode Agent)**_", "cursor", None),
        ("_**Agent (claude-sample-5)**_", "claude-code", "claude-sample-5"),
        ("_**Agent (claude-sample-5 2031-01-01 00:00:00Z)**_", "claude-code", "claude-sample-5"),
        ("_**Agent (model copilot/sample-4, mode agent)**_", "copilot", "copilot/sample-4"),
    ],
)
def test_without_a_comment_the_first_header_names_the_agent(header, agent, model) -> None:
    found = one(f"_**User**_\n\nhi\n\n---\n\n{header}\n\nhello")
    assert (found.harness, found.session, found.model) == (agent, "file", model)


def test_headers_carry_utc_times() -> None:
    found = one("_**User (2031-03-04 08:15Z)**_\n\nhi\n\n---\n\n_**Agent**_\n\nhello")
    assert found.started == 1930378500.0
    assert told("_**User (2031-99-04 08:15Z)**_\n\nhi\n\n_**Agent**_\n\nhello")[0].started is None


@pytest.mark.parametrize(
    ("bubble", "name", "arguments", "output", "failed"),
    [
        pytest.param(
            '<tool-use data-tool-type="shell" data-tool-name="run_terminal_cmd">\n<details>'
            "<summary>Tool use: **run_terminal_cmd** • Run command: ls</summary>\n\n"
            "```bash\nls &amp;&amp; pwd\n```\n\n```\na\n```\n</details>\n</tool-use>",
            "run_terminal_cmd",
            '{"command":"ls && pwd"}',
            "a",
            None,
            id="a command and its output, unescaped",
        ),
        pytest.param(
            '<tool-use data-tool-type="mcp" data-tool-name="mcp_x_y"><details>\n<summary>Tool use: '
            '**mcp_x_y**</summary>\n\nParameters:\n\n```json\n{"b": 1, "a": 2}\n```\n\n'
            "Status: **completed**\n</details></tool-use>",
            "mcp_x_y",
            '{"a":2,"b":1}',
            "Status: **completed**",
            False,
            id="parameters as canonical JSON, and a status",
        ),
        pytest.param(
            '<tool-use data-tool-type="read" data-tool-name="read_file">\n<details><summary>Tool '
            "use: **read_file** • Read file: a.py</summary>\n\n</details>\n</tool-use>",
            "read_file",
            "Read file: a.py",
            "",
            None,
            id="a summary is all there is",
        ),
        pytest.param(
            "```bash\nmake\n```\n\n```\nok\n```",
            "run_terminal_cmd",
            '{"command":"make"}',
            "ok",
            None,
            id="the first versions: a command and its output",
        ),
        pytest.param(
            "Tool use: **Bash** List files\n\n`ls`\n\nResult:\n\n```\na\n```",
            "Bash",
            "List files\n\n`ls`",
            "a",
            False,
            id="Claude Code: a result",
        ),
        pytest.param(
            "Tool use: **Bash** List files\n\n`ls`\n\nError:\n\n```\nno\n```",
            "Bash",
            "List files\n\n`ls`",
            "no",
            True,
            id="Claude Code: an error",
        ),
        pytest.param("Read file: a.py", "read_file", "a.py", "", None, id="a file was read"),
        pytest.param(
            "The string to replace was not found in the file.",
            "edit_file",
            "",
            "The string to replace was not found in the file.",
            True,
            id="an edit failed",
        ),
        pytest.param(
            "<details>\n <summary>Listed directory a • **1** results</summary>\n\nb\n</details>",
            "list_dir",
            "Listed directory a • **1** results",
            "b",
            None,
            id="a folder was listed",
        ),
    ],
)
def test_a_bubble_is_the_use_of_a_tool(bubble, name, arguments, output, failed) -> None:
    found = said(bubble)
    (call,) = found.calls
    result = found.results[call.id]
    assert (call.name, call.arguments) == (name, arguments)
    assert (result.output, result.failed) == (output, failed)
    assert found.words == []


@pytest.mark.parametrize(
    "bubble",
    [
        "Run this:\n\n```bash\nls\n```",
        "```bash\nls\n```\n\nand then\n\n```bash\npwd\n```",
        "```python\nprint()\n```",
        "I used Tool use: **Bash** before.",
        "<details>\n<summary>More about tides</summary>\n\nlong\n</details>",
        "Read file: a.py\nand then b.py",
    ],
)
def test_a_bubble_is_text(bubble: str) -> None:
    assert said(bubble).parts == (Text(bubble),)


def test_thoughts_are_reasoning() -> None:
    found = said(
        "<think><details><summary>Thought Process</summary>\nhm\n\n---\n\nyes</details></think>"
    )
    assert found.parts == (Reasoning("hm\n\n---\n\nyes"),)


def test_a_command_without_output_is_unanswered_and_ends_the_turn() -> None:
    found = said("Flashing:\n\n---\n\n```bash\nflash\n```")
    assert isinstance(found.last, ToolCall)
    assert found.last.id not in found.results
    assert found.reply == ""


def test_rules_between_bubbles_are_no_text_but_rules_in_code_are() -> None:
    found = said("one\n\n---\n\ntwo\n\n```yaml\n---\na: 1\n---\n```")
    assert found.words == ["one", "two\n\n```yaml\n---\na: 1\n---\n```"]


QUOTE = "_**User**_\n\nhi\n\n---\n\n_**Assistant**_\n\nhello"


@pytest.mark.parametrize(
    ("bubble", "count"),
    [
        pytest.param(f"So:\n\n```\n{QUOTE}\n```\n\nThat is all.", 1, id="in a fence"),
        pytest.param(f"So:\n\n```markdown\n{QUOTE}\n```", 1, id="in a fence that ends the turn"),
        pytest.param(f"So:\n\n~~~\n{QUOTE}\n~~~\n\nfine", 1, id="in tildes"),
        pytest.param(f"```markdown\nx\n```bash\nls\n```\n{QUOTE}\n```\n\nfine", 1, id="nested"),
        pytest.param(
            '<tool-use data-tool-type="x" data-tool-name="cat"><details>\n<summary>s</summary>\n\n'
            f"{QUOTE}\n</details></tool-use>",
            1,
            id="in a tool block",
        ),
        pytest.param(f"So:\n\n{QUOTE}", 2, id="control: no fence"),
        pytest.param(f"So:\n\n```\ncut here\n\n{QUOTE}", 2, id="control: a fence never closed"),
        pytest.param(
            f"```markdown\ncut\n\n---\n\n{QUOTE}\n\n```bash\nls\n```\n\nyes",
            2,
            id="control: the next fence opens",
        ),
        pytest.param(
            f'<tool-use data-tool-type="x" data-tool-name="cat">\ncut\n\n{QUOTE}',
            2,
            id="control: a block never closed",
        ),
    ],
)
def test_quoted_separators_split_no_turn(bubble: str, count: int) -> None:
    found = told(f"{CURSOR}{USER}please{AGENT}{bubble}\n\n---\n")
    assert len(found) == count
    assert found[-1].request == ("hi" if count == 2 else "please")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("what now?", RequestKind.HUMAN),
        ("<command-name>/deploy</command-name>", RequestKind.COMMAND),
        ("<task-notification>x</task-notification>", RequestKind.NOTIFICATION),
        ("Stop hook feedback:\n- no", RequestKind.STOP_HOOK),
        ("", None),
        ("<command-name>/clear</command-name>", None),
        ("<local-command-stdout>ok</local-command-stdout>", None),
        ("<bash-input>ls</bash-input>", None),
        ("[Request interrupted by user]", None),
        ("This session is being continued from a previous conversation.", None),
    ],
)
def test_what_begins_a_turn_in_claude_code(message: str, kind: RequestKind | None) -> None:
    found = told(f"{CLAUDE}{USER}first{AGENT}one{USER}{message}{AGENT}two")
    assert [t.request_kind for t in found] == [RequestKind.HUMAN, *([kind] if kind else [])]
    assert found[0].words == (["one"] if kind else ["one", "two"])
    assert found[0].compacted is message.startswith("This session")


def test_cursor_has_no_such_marks() -> None:
    assert len(told(f"{CURSOR}{USER}first{AGENT}one{USER}{AGENT}two")) == 2


@pytest.mark.parametrize(
    ("ending", "finish"),
    [
        (f"{USER}[Request interrupted by user]", FinishReason.ABORTED),
        (
            f"{FAILED}The user doesn't want to proceed with this tool use.\n```",
            FinishReason.ABORTED,
        ),
        (f"{AGENT}User aborted request.", FinishReason.ABORTED),
        (f"{FAILED}no such file\n```", None),
        (f"{USER}[Request interrupted by user]{AGENT}Still here.", None),
        (f"{AGENT}You aborted the request, I see.", None),
    ],
)
def test_the_user_stopped_the_agent(ending: str, finish: FinishReason | None) -> None:
    assert one(f"{CLAUDE}{USER}go{AGENT}I go.{ending}").finish is finish


def test_side_chains_are_sessions_of_their_own() -> None:
    main, side = recorded("claude-code.md")[0], recorded("claude-code.md")[-1]
    assert (side.request_kind, side.parent) == (RequestKind.AGENT, main.session)
    assert side.session == f"{main.session}/sidechain"
    assert side.reply == "There is only one picker."
    assert all("one picker" not in word for word in main.words)


def test_to_dos_are_kept_over_turns_and_amended() -> None:
    first, second, third = recorded("cursor-blocks.md")
    assert first.todos == (
        Todo("Round in the formatter", TodoStatus.IN_PROGRESS),
        Todo("Add a test for 1.005 m"),
    )
    amended = tuple(Todo(todo.content, TodoStatus.IN_PROGRESS) for todo in first.todos)
    assert second.todos == third.todos == amended
    assert said("no list here").todos is None


def test_a_claude_list_loses_its_signs() -> None:
    found = said("**Agent task list:**\n- [X] 🔥 one\n- [⚡] 🌡️ two\n- [ ] three")
    assert found.todos == (
        Todo("one", TodoStatus.COMPLETED),
        Todo("two", TodoStatus.IN_PROGRESS),
        Todo("three"),
    )


def test_what_is_pending() -> None:
    turns_ = recorded("claude-code.md")
    assert [[what.kind for what in t.pending] for t in turns_[:5]] == [
        [],
        [],
        [PendingKind.PERMISSION],
        [PendingKind.BACKGROUND],
        [],
    ]
    assert recorded("cursor-blocks.md")[-1].pending == (
        Pending(PendingKind.QUESTION, "ask_question"),
    )


PIECES = [line for path in sorted(RECORDINGS.glob("*.md")) for line in path.read_text().split("\n")]


@given(st.lists(st.sampled_from(sorted(set(PIECES))), max_size=40), st.integers(0, 400))
def test_any_lines_in_any_order_are_read(lines: list[str], cut: int) -> None:
    for found in told("\n".join(lines)[: cut or None]):
        assert found.id.startswith(found.session)
        assert set(found.results) <= {call.id for call in found.calls}


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["```a", "---"] * 20_000, id="fences in fences"),
        pytest.param(["```a", "---", "```", "---"] * 10_000, id="rules in fences"),
        pytest.param(["```", *["_**User**_"] * 20_000], id="separators in a fence"),
        pytest.param(["<details>", *["<summary>"] * 20_000], id="summaries without an end"),
    ],
)
def test_no_history_takes_quadratic_time(lines: list[str]) -> None:
    told("\n".join(["_**User**_", "go", "_**Agent**_", *lines]))  # a minute and more, if it did


def test_broken_bytes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(
        b"<!-- Generated by SpecStory -->\r\n\r\n_**User**_\r\n\r\nhi \xff\r\n\r\n---\r\n\r\n"
        b"_**Assistant**_\r\n\r\nhe\x00llo\r\n"
    )
    (found,) = turns(specstory.read(path))
    assert isinstance(found, Turn)
    assert (found.request, found.reply) == ("hi \ufffd", "he\x00llo")


def test_claims_what_names_its_generator(tmp_path: Path) -> None:
    assert specstory.claims(tmp_path, b"\xef\xbb\xbf\n<!-- Generated by SpecStory, Markdown v9 -->")
    assert specstory.claims(tmp_path, b"<!-- Generated by SpecStory")
    assert not specstory.claims(tmp_path, b"# Notes\n\n<!-- Generated by SpecStory -->")
    assert not specstory.claims(tmp_path, b"")


def test_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "home" / "project"
    history = project / ".specstory" / "history"
    history.mkdir(parents=True)
    (history / "a.md").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(project)
    assert list(specstory.transcripts()) == [history / "a.md"]
    monkeypatch.chdir(tmp_path)
    assert list(specstory.transcripts()) == []
