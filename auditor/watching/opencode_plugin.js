// turn auditor, plugin for OpenCode, version 1
// Written by `auditor install opencode`; `auditor uninstall opencode` takes it away again.
// It passes the events of this OpenCode on to a watcher on this machine, and carries out the few
// requests that one may make. It decides nothing, and waits for nothing: without a watcher it looks
// for one every few seconds. It keeps when it last heard of a session: several OpenCodes share their
// sessions, and only the one that works on it may be told to. A bare socket, because fetch and
// node:http go through HTTP_PROXY here even to 127.0.0.1.
import { createHmac, randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"

const WHERE = "@WHERE@" // port and secret of the watcher; only its owner can read it
const AGAIN = 3000 // ms until a watcher is looked for again
const BEAT = 10000 // ms between two signs of life: as the server's own
const BATCH = 20 // ms that events are collected: nobody notices, and it saves most writes
const BACKLOG = 8 << 20 // characters that may wait; beyond, the link is cut and begun anew
const SESSIONS = 500 // remembered
const SESSION = "/session/ses_[A-Za-z0-9]+"
const MAY = [
  ["GET", "/global/health|/session|/session/status|/permission|/question"],
  ["GET", `${SESSION}(/message|/todo|/children)?`],
  ["POST", `${SESSION}/(prompt_async|abort)|/tui/show-toast`],
].map(([method, path]) => [method, new RegExp(`^(${path})([?]|$)`)])

export const TurnAuditor = async ({ client, directory }) => {
  if (process.argv.includes("run")) return {} // its process ends with the turn: nothing to help
  const http = client._client ?? client.client
  let socket, timer, next
  const heard = new Map() // session -> ms, the latest at the end
  let lines = []
  let waiting = 0 // characters
  let live = false
  let over = false

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (live && lines.length) socket.write(lines.join(""))
    lines = []
    waiting = 0
  }
  const say = (what) => {
    if (!live) return
    const line = JSON.stringify(what) + "\n"
    waiting += line.length
    if (what.event && waiting + socket.writableLength > BACKLOG) return cut()
    lines.push(line)
    timer ??= setTimeout(flush, BATCH)
  }
  const cut = () => {
    live = false
    socket.destroy()
  }
  const carryOut = async ({ id, method, path, body }) => {
    const answer = { id, status: 403, text: "" }
    try {
      if (MAY.some(([verb, shape]) => verb === method && shape.test(path))) {
        const done = await http.request({ method, url: path, body, parseAs: "text" })
        answer.status = done.response?.status ?? 502
        answer.text = done.error ? JSON.stringify(done.error) : done.data
      }
    } catch (error) {
      answer.status = 502
      answer.text = String(error)
    }
    if (typeof answer.text !== "string") answer.text = "" // as of an answer without a body
    say(answer)
  }
  const open = async () => {
    try {
      const { port, secret } = JSON.parse(await readFile(WHERE, "utf8"))
      const nonce = randomBytes(16).toString("hex")
      const proof = (who, other) =>
        createHmac("sha256", secret).update(`${who} ${nonce} ${other}`).digest("hex")
      const take = (said) => {
        if (live) return void carryOut(said)
        if (said.proof !== proof("watcher", said.nonce)) throw new Error("a stranger")
        const about = { directory, pid: process.pid, sessions: Object.fromEntries(heard) }
        socket.write(JSON.stringify({ proof: proof("plugin", said.nonce), ...about }) + "\n")
        live = true
      }
      let rest = ""
      if (over) return
      socket = connect(port, "127.0.0.1", () => socket.write(JSON.stringify({ nonce }) + "\n"))
      socket.setEncoding("utf8")
      socket.setNoDelay(true)
      socket.unref()
      socket.setTimeout(AGAIN, () => live || cut())
      socket.on("error", () => {})
      socket.on("close", later)
      socket.on("data", (text) => {
        const all = (rest + text).split("\n")
        rest = all.pop()
        try {
          all.forEach((line) => take(JSON.parse(line)))
          if (!live && rest.length > 1000) throw new Error("a stranger")
        } catch {
          cut()
        }
      })
    } catch {
      later()
    }
  }
  const later = () => {
    live = false
    flush()
    if (!over) (next = setTimeout(open, AGAIN)).unref?.()
  }
  const stop = () => {
    over = true
    clearTimeout(next)
    clearInterval(beat)
    socket?.destroy()
  }
  const hear = ({ type, properties }) => {
    if (!type.startsWith("message.") || !properties.sessionID) return
    heard.delete(properties.sessionID)
    heard.set(properties.sessionID, Date.now())
    if (heard.size > SESSIONS) heard.delete(heard.keys().next().value)
  }
  const beat = setInterval(() => say({}), BEAT)
  beat.unref?.()
  const mine = Symbol.for(`turn-auditor ${directory}`)
  globalThis[mine]?.() // installed twice, or loaded again: the newest one speaks
  globalThis[mine] = stop
  open()
  return {
    event: async ({ event }) => {
      try {
        hear(event)
        say({ event })
      } catch {}
    },
    dispose: async () => stop(),
  }
}
