"""The sentences of all nudges, English and Chinese. Plain data.

A nudge approves nothing in the person's place, names what was seen, and lets the agent say that
there is nothing left. Names in braces are filled in by `words`.
"""

from __future__ import annotations

EN, ZH = "en", "zh"
LANGUAGES = (EN, ZH)

TEXTS: dict[str, dict[str, str]] = {
    "clipped_ending": {
        EN: 'Your last message seems to break off, it ended on "{tail}". Please go on from there.',
        ZH: "你上一条消息似乎中断了,结尾是“{tail}”。请从那里继续。",
    },
    "length_limit": {
        EN: 'Your last message reached the length limit at "{tail}". Please go on from there,'
        " without repeating what is written already, in smaller pieces.",
        ZH: "你上一条消息在“{tail}”处达到了长度上限。请从那里接着写,不要重复已有内容,分小段输出。",
    },
    "empty_reply": {
        EN: "Your last reply was empty. Please go on with the task.",
        ZH: "你上一条回复是空的。请继续任务。",
    },
    "reasoning_only": {
        EN: "Your last turn held only thoughts: no answer and no tool call arrived. Please act on"
        " them, or answer.",
        ZH: "你上一轮只有思考,没有回答,也没有工具调用。请付诸行动或给出回答。",
    },
    "raw_tool_text": {
        EN: "Your last message printed a tool call as text, so nothing was run. Please make the"
        " call through the tool interface.",
        ZH: "你上一条消息把工具调用写成了文本,因此什么都没有执行。请通过工具接口真正发起调用。",
    },
    "tool_text_in_reasoning": {
        EN: "A tool call was written inside your thoughts, so nothing was run. Please make the call"
        " through the tool interface.",
        ZH: "工具调用写在了思考内容里,因此没有执行。请通过工具接口真正发起调用。",
    },
    "unanswered_result": {
        EN: "Your turn ended right after {tool}, and nothing was said about its result. Please go"
        " on from it.",
        ZH: "你这一轮在 {tool} 之后就结束了,没有对其结果作出说明。请据此继续。",
    },
    "announced_action": {
        EN: 'You announced a next step ("{tail}"), and no tool call followed. Please carry it out.',
        ZH: "你说了下一步(“{tail}”),但之后没有任何工具调用。请执行它。",
    },
    "open_todos": {
        EN: "Your own list still has open items: {todos}. Please go on with them.",
        ZH: "你自己的列表中还有未完成的事项:{todos}。请继续完成。",
    },
    "false_claim": {
        EN: "Your message claims success, but the last command failed. Please check the result"
        " before you go on.",
        ZH: "你的消息称已成功,但最后一条命令失败了。请先核实结果再继续。",
    },
    "judged": {
        EN: 'Your turn ended on "{tail}", and the request seems not to be done yet. Please go on'
        " with what is left.",
        ZH: "你这一轮结束在“{tail}”,而请求似乎还没有完成。请继续剩下的部分。",
    },
    "malformed_call": {
        EN: "Your last tool call arrived without a name and was not run. Please make it again.",
        ZH: "你上一次工具调用缺少名称,无法执行。请重新发起。",
    },
    "stream_failure": {
        EN: "The connection to the model failed ({error}). Please go on where you stopped.",
        ZH: "与模型的连接失败({error})。请从中断处继续。",
    },
    "rate_limit": {
        EN: "The model's limit was reached ({error}); some time has passed. Please go on where you"
        " stopped.",
        ZH: "此前达到了模型的使用上限({error}),现已过了一段时间。请从中断处继续。",
    },
    "silent_stream": {
        EN: "The model's answer fell silent, so the turn was stopped. Please go on where you"
        " stopped.",
        ZH: "模型的回答没有了动静,因此这一轮被停止。请从中断处继续。",
    },
    "orphaned_message": {
        EN: "The program was ended in the middle of your turn. Please go on where you stopped.",
        ZH: "程序在你这一轮中途被终止。请从中断处继续。",
    },
    "orphan_parent": {
        EN: "The sub-agents have ended, but their results did not arrive, so the turn was stopped."
        " Please go on with what they left.",
        ZH: "子代理已结束,但结果没有送达,因此这一轮被停止。请根据它们留下的内容继续。",
    },
    "tool_loop": {
        EN: "You have called {tool} again and again, and it brought nothing new. Please look at"
        " why that does not help, and try another way, or say what blocks you.",
        ZH: "你反复调用 {tool},却没有新的结果。请想想为什么没有帮助,换一种方法,或说明受阻原因。",
    },
    "text_loop": {
        EN: "You have written the same text again and again. Please go on with the task itself, or"
        " say what blocks you.",
        ZH: "你在反复输出相同的文字。请继续任务本身,或说明受阻原因。",
    },
    "autonomous_loop": {
        EN: "Please go on with the task.",
        ZH: "请继续任务。",
    },
    "resume_now": {
        EN: "Please go on where you stopped.",
        ZH: "请从中断处继续。",
    },
}
"""By the name of the recovery."""

DECLINE = {
    EN: " If nothing is left to do, or the next step is the user's, say so and stop.",
    ZH: " 如果已经没有要做的,或者下一步该由用户决定,请直接说明并停下。",
}

UNSURE = {
    EN: " The last call ({tool}) may or may not have taken effect: check the state before you"
    " run it again.",
    ZH: " 最后一次调用({tool})可能已生效也可能没有:重新执行之前请先检查状态。",
}

CONFIRMED = {
    EN: " The last call ({tool}) did complete; there is no need to repeat it.",
    ZH: " 最后一次调用({tool})已经完成,无需重复。",
}

STOPPED = {
    EN: "This turn was stopped from outside, not by the user. ",
    ZH: "这一轮是由外部程序停止的,并非用户停止。",
}
