"""A tool call printed as text, in every notation, against texts that only look like one.

‹ and › stand for the angle brackets, so that nothing that reads this file takes it for a call.
"""

from __future__ import annotations

from tests.words import call, result, say, table, think, turn


def raw(text: str, **more: object):  # type: ignore[no-untyped-def]
    """A turn that ends on this text."""
    return turn(say(tags(text)), **more)


def tags(text: str) -> str:
    return text.replace("‹", "<").replace("›", ">")


QWEN = "‹function=edit›\n‹parameter=path›\na.py\n‹/parameter›\n‹/function›\n‹/tool_call›"
HERMES = '‹tool_call›\n{"name": "bash", "arguments": {"command": "ls"}}\n‹/tool_call›'
INVOKE = (
    '‹function_calls›\n‹invoke name="Read"›\n‹parameter name="path"›a‹/parameter›\n'
    "‹/invoke›\n‹/function_calls›"
)
JSON = '{"name": "read_file", "arguments": {"path": "src/a.py"}}'
OPENAI = '{"type": "function", "function": {"name": "write", "arguments": {"path": "a"}}}'
KIMI = (
    "‹|tool_calls_section_begin|›‹|tool_call_begin|›functions.bash:0‹|tool_call_argument_begin|›"
    '{"command": "df"}‹|tool_call_end|›‹|tool_calls_section_end|›'
)
DEEPSEEK = (
    "‹｜tool▁calls▁begin｜›‹｜tool▁call▁begin｜›function‹｜tool▁sep｜›bash\n```json\n"
    '{"command": "ls"}\n```‹｜tool▁call▁end｜›‹｜tool▁calls▁end｜›'
)
GLM = "‹tool_call›edit\n‹arg_key›path‹/arg_key›\n‹arg_value›a.md‹/arg_value›\n‹/tool_call›"
HARMONY = '‹|channel|›commentary to=functions.shell ‹|message|›{"command": ["ls"]}‹|call|›'

test_detector = table(
    "tool_call_as_text",
    [
        ("Qwen's function block", raw(f"The list has to shrink.\n\n{QWEN}"), True),
        ("Hermes' JSON in tags", raw(f"I list the folder.\n{HERMES}"), True),
        ("invoke with parameters", raw(f"I want to see it.\n\n{INVOKE}"), True),
        ("OpenAI's function object, bare", raw(OPENAI), True),
        ("a bare object after a sentence", raw(f"I read it first.\n\n{JSON}"), True),
        ("a tool's JSON in a fence after a colon", raw(f"I search:\n\n```json\n{JSON}\n```"), True),
        (
            "a fence with a tool of this session",
            turn(
                call("zz_probe", a=1),
                result("x"),
                say('Again:\n\n```json\n{"name": "zz_probe", "arguments": {}}\n```'),
            ),
            True,
        ),
        ("Kimi's section tokens", raw(f"Checking the disk.{KIMI}"), True),
        ("DeepSeek's wide bars", raw(f"I ask for it.{DEEPSEEK}"), True),
        ("GLM's keys and values", raw(f"我来修改。\n{GLM}"), True),
        ("Llama's python tag", raw(f"‹|python_tag|›{JSON}‹|eom_id|›"), True),
        ("Mistral's list", raw(f"[TOOL_CALLS][{JSON}]"), True),
        ("harmony's channel", raw(HARMONY), True),
        ("Gemini's fence", raw("I look.\n\n```tool_code\nprint(default_api.ls(p='/'))\n```"), True),
        (
            "a ReAct step",
            raw('I need the date.\nAction: bash\nAction Input: {"command": "date"}'),
            True,
        ),
        ("Cline's tool tags", raw("I read.\n‹read_file›\n‹path›a.py‹/path›\n‹/read_file›"), True),
        (
            "MiniMax's tags",
            raw(
                '‹minimax:tool_call›\n‹invoke name="ls"›\n‹parameter name="p"›/‹/parameter›\n'
                "‹/invoke›\n‹/minimax:tool_call›"
            ),
            True,
        ),
        (
            "a file cut in its middle",
            raw(
                "Now the client.\n\n‹function=write›\n‹parameter=content›\nimport a\n\n\ndef b(",
                finish="length",
            ),
            True,
        ),
        (
            "a call that never closes",
            raw('It moves.\n‹tool_call›\n{"name": "bash", "arguments": {"command": "git mv '),
            True,
        ),
        ("an opening cut in the tag", raw("I list the folder.\n‹tool_ca"), True),
        ("only closing tags left", raw("I look.\n\nMakefile\n‹/parameter›\n‹/function›"), True),
        (
            "calls with invented results",
            raw(f"{HERMES}\n‹tool_response›a b‹/tool_response›\n\nThe folder holds a and b."),
            True,
        ),
        ("Portuguese words before it", raw(f"Vou listar a pasta.\n{HERMES}"), True),
        ("a Russian word before it", raw(f"Сначала посмотрю.\n{HERMES}"), True),
        (
            "a request about the notation, weakly",
            raw(f"Here it is.\n{HERMES}", request="what does a tool call look like?"),
            True,
        ),
        (
            "a call in a plain fence, explained",
            raw(f"One object in tags:\n\n```\n{HERMES}\n```\n\nThat is all."),
            False,
        ),
        (
            "a tag in inline code",
            raw("The filter drops a lone `‹/function›` and `‹tool_call›`."),
            False,
        ),
        (
            "a quoted line of a log",
            raw(f"The log says:\n\n> model: {JSON}\n\nSo it was text."),
            False,
        ),
        (
            "tags inside a test case",
            raw(f'```python\nCASES = ["{QWEN[:20]}"]\n```\n\nThree cases.'),
            False,
        ),
        ("a package file", raw('```json\n{"name": "worker", "version": "0.1.0"}\n```'), False),
        (
            "a package file unfenced",
            raw('{"name": "worker", "version": "0.1.0", "scripts": {}}'),
            False,
        ),
        (
            "tool definitions",
            raw(
                '```json\n[{"type": "function", "function": {"name": "refund", '
                '"parameters": {"type": "object"}}}]\n```'
            ),
            False,
        ),
        (
            "tool definitions unfenced",
            raw('{"name": "refund", "parameters": {"type": "object", "properties": {}}}'),
            False,
        ),
        (
            "a JSON-RPC message",
            raw(
                '```json\n{"jsonrpc": "2.0", "method": "tools/call", '
                '"params": {"name": "q", "arguments": {}}}\n```'
            ),
            False,
        ),
        (
            "a server entry",
            raw('```json\n{"mcpServers": {"db": {"command": "npx", "args": ["-y"]}}}\n```'),
            False,
        ),
        (
            "a record with a person's name",
            raw('```json\n{"name": "Ada", "arguments": {"age": 36}}\n```'),
            False,
        ),
        ("an HTML form", raw('```html\n‹form›\n‹input name="function"›\n‹/form›\n```'), False),
        ("HTML without a fence", raw("‹div›\n‹p›Hello‹/p›\n‹/div›"), False),
        ("C++ templates", raw("Take it by value: std::function‹void(int)› is copied once."), False),
        ("generics at the end", raw("It returns a Promise‹Map‹string, number››"), False),
        ("a placeholder", raw("Put your key in place of ‹KEY› and start it."), False),
        (
            "a workflow's keys",
            raw("```yaml\nfunctions:\n  edit:\n    parameters: {}\n```\n\nDone."),
            False,
        ),
        ("an action item", raw("Action: tell the team.\nOwner: Kim."), False),
        (
            "a real call holds the markup",
            turn(call("write", content=tags(QWEN)), result("ok"), say("The fixture is in.")),
            False,
        ),
        (
            "a result holds the markup",
            turn(call("bash", command="cat x"), result(tags(HERMES)), say("Line 3 leaks.")),
            False,
        ),
        (
            "a printed call, then a real one",
            turn(say(tags(f"I list.\n{HERMES}")), call("bash", command="ls"), result("a")),
            False,
        ),
        (
            "a call in the thoughts only",
            turn(think(tags(HERMES)), say("Nothing imports it.")),
            False,
        ),
        ("a printed call the user stopped", raw(f"I list.\n{HERMES}", finish="aborted"), False),
        (
            "prose after a whole block",
            raw(f"{HERMES}\n\nThis block is what the server gets."),
            False,
        ),
        ("a plain report", raw("The index is in and the plan uses it."), False),
        ("a Chinese report", raw("安装步骤已改为 uv。"), False),
        (
            "a report that ends on JSON",
            raw('The answer is:\n\n{"status": "ok", "count": 3}'),
            False,
        ),
        ("a shell snippet", raw("Run this:\n\n```bash\ncat ‹ in.txt › out.txt\n```"), False),
        ("an arrow at the end", raw("The order is a -› b ‹"), False),
    ],
)
