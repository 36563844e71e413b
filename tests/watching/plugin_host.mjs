// The host of the plugin in tests: what OpenCode 1.18.33 gives a plugin, as seen there.
// Arguments: the plugin's file, the directory, how many copies.
// In: lines of JSON on standard input; out: what the plugin asked of the client, and `ready`.
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const [file, directory, copies] = process.argv.slice(2)
const out = (what) => process.stdout.write(JSON.stringify(what) + "\n")
const text = "x".repeat(300_000) + "\u4e2d\n\\"

async function request({ method, url, body, parseAs }) {
  out({ method, url, body, parseAs })
  const path = url.split("?")[0]
  const response = (status) => ({ response: { status } })
  if (path === "/global/health") return { data: '{"healthy":true,"version":"1.18.33"}', ...response(200) }
  if (path === "/session/ses_gone") return { error: { name: "NotFoundError" }, ...response(404) }
  if (path === "/session/ses_bad") throw new Error("broken")
  if (path === "/session/ses_never") return new Promise(() => {})
  if (path === "/session/status") return { data: '{"ses_1":{"type":"busy"}}', ...response(200) }
  if (path === "/session/ses_1") return { data: JSON.stringify({ id: "ses_1", text }), ...response(200) }
  if (path === "/session/ses_1/message") return { data: '[{"info":{"id":"msg_1"},"parts":[]}]', ...response(200) }
  if (path.endsWith("/prompt_async")) return { data: {}, ...response(204) }
  if (method === "POST") return { data: "true", ...response(200) }
  return { data: "[]", ...response(200) }
}
const client = { _client: { request } }
const { TurnAuditor, ...others } = await import(pathToFileURL(file))
if (Object.keys(others).length) throw new Error("a plugin file exports its plugin and nothing else")
let hooks = []
for (let i = 0; i < Number(copies); i++)
  hooks.push(await TurnAuditor({ client, directory }))
out({ ready: hooks.map((each) => Object.keys(each)) })
for await (const line of createInterface({ input: process.stdin })) {
  const said = JSON.parse(line)
  if (said.dispose) for (const each of hooks) await each.dispose?.()
  else for (let i = 0; i < (said.times ?? 1); i++) for (const each of hooks) each.event?.({ event: said.event })
  out({ took: true })
}
