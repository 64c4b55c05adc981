import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Random } from '../../src/demo/random.ts'
import { notHttp } from '../../test/service/not-http-replies.ts'

/** How the answers of one page reach the reader. */
export interface Delivery {
  /** In words. */
  readonly text: string
  /** Whether a whole answer arrives. `either`: that depends on timing. */
  readonly outcome: 'whole' | 'broken' | 'either'
  /** Where the walk begins. */
  readonly port: 'plain' | 'refused' | 'selfSigned' | 'expired' | 'other' | 'https to plain' | 'plain to https'
  /** Which page, from 0. */
  readonly page: number
  /** How many tries of it. */
  readonly times: number
  write(socket: Socket, answer: GoodAnswer): void
}

/** What a healthy service sends. */
export interface GoodAnswer {
  readonly body: Buffer
  /** Another host, with the path of the request. */
  readonly elsewhere: string
  /** Counts what an endless answer wrote. */
  readonly onSent: (bytes: number) => void
}

type Sending = Pick<Delivery, 'text' | 'outcome' | 'write'>

const places = [
  'before the status line',
  'in the status line',
  'in the headers',
  'at the blank line',
  'in the body',
] as const
const ends = ['reset', 'end', 'stall'] as const
const framings = ['length', 'chunks', 'close'] as const

export function drawDelivery(random: Random): Delivery {
  const page = random.below(3)
  const times = random.chance(0.7) ? Number.POSITIVE_INFINITY : 1
  const port = random.chance(0.04)
    ? random.pick(['refused', 'selfSigned', 'expired', 'other', 'https to plain', 'plain to https'] as const)
    : 'plain'
  if (port !== 'plain') {
    return { text: port, outcome: 'broken', port, page: 0, times: 1, write: (socket, answer) => write(socket, answer) }
  }
  const sending = drawSending(random)
  // A fault that passes may be tried again.
  const outcome = times === 1 && sending.outcome === 'broken' ? 'either' : sending.outcome
  const text = `page ${page + 1}${times === 1 ? ', once' : ''}: ${sending.text}`
  return { text, outcome, port, page, times, write: sending.write }
}

function drawSending(random: Random): Sending {
  const kind = random.pick([
    'cut',
    'cut',
    'cut',
    'cut',
    'cut',
    'cut',
    'drip',
    'length',
    'redirect',
    'redirect',
    'compressed',
    'more',
    'before',
    'not HTTP',
    'not HTTP',
    'endless',
  ])
  switch (kind) {
    case 'cut':
      return drawCut(random)
    case 'drip':
      return random.chance(0.5)
        ? { text: 'a byte at a time', outcome: 'whole', write: (socket, answer) => drip(socket, answer, 0) }
        : { text: 'a byte every 50 ms', outcome: 'broken', write: (socket, answer) => drip(socket, answer, 50) }
    case 'length':
      return drawLength(random)
    case 'redirect':
      return drawRedirect(random)
    case 'compressed':
      return drawCompressed(random)
    case 'more':
      return drawMore(random)
    case 'before':
      return drawBefore(random)
    case 'endless':
      return drawEndless(random)
    default: {
      const [first = '', ...others] = Object.keys(notHttp)
      const name = random.pick([first, ...others])
      return { text: name, outcome: 'broken', write: (socket) => notHttp[name]?.(socket) }
    }
  }
}

/** The answer up to a place, and how it ends there. */
function drawCut(random: Random): Sending {
  const framing = random.pick(framings)
  const place = random.pick([...places, 'at the end'] as const)
  const end = random.pick(ends)
  const share = random.bits() / 0x1_0000_0000
  const isAtEnd = place === 'at the end'
  const atEnd =
    framing === 'close'
      ? ({ reset: 'either', end: 'either', stall: 'broken' } as const)
      : ({ reset: 'either', end: 'either', stall: 'whole' } as const)
  return {
    text: `${framing}, ${end} ${place} (${share.toFixed(3)})`,
    outcome: isAtEnd ? atEnd[end] : 'broken',
    write(socket, answer) {
      const { head, bytes } = bytesOf(answer, framing)
      const statusLine = bytes.indexOf('\r\n')
      const within = (from: number, to: number) => from + Math.floor(share * Math.max(1, to - from))
      const at = {
        'before the status line': 0,
        'in the status line': within(1, statusLine),
        'in the headers': within(statusLine + 2, head - 2),
        'at the blank line': head - 2 + Math.floor(share * 2),
        'in the body': within(head, bytes.length),
        'at the end': bytes.length,
      }[place]
      finish(socket, bytes.subarray(0, at), end)
    },
  }
}

function finish(socket: Socket, bytes: Buffer, end: (typeof ends)[number]): void {
  const close = () => {
    if (end === 'reset') socket.resetAndDestroy()
    if (end === 'end') socket.end()
  }
  if (bytes.length === 0) close()
  else socket.write(bytes, close)
}

function bytesOf({ body }: GoodAnswer, framing: (typeof framings)[number]): { head: number; bytes: Buffer } {
  const middle = Math.floor(body.length / 2)
  const chunk = (part: Buffer) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  const header = {
    length: `content-length: ${body.length}\r\n`,
    chunks: 'transfer-encoding: chunked\r\n',
    close: 'connection: close\r\n',
  }
  const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header[framing]}\r\n`)
  const sent =
    framing === 'chunks'
      ? [chunk(body.subarray(0, middle)), chunk(body.subarray(middle)), Buffer.from('0\r\n\r\n')]
      : [body]
  return { head: head.length, bytes: Buffer.concat([head, ...sent]) }
}

export function write(socket: Socket, answer: GoodAnswer): void {
  socket.write(bytesOf(answer, 'length').bytes)
}

function drip(socket: Socket, answer: GoodAnswer, everyMs: number): void {
  const { bytes } = bytesOf(answer, 'length')
  let at = 0
  const next = () => {
    if (socket.destroyed || at >= bytes.length) return
    socket.write(bytes.subarray(at, at + 1))
    at += 1
    if (everyMs === 0) setImmediate(next)
    else setTimeout(next, everyMs)
  }
  socket.setNoDelay(true)
  next()
}

/** A length that is not that of the body. */
function drawLength(random: Random): Sending {
  const off = 1 + random.below(200)
  const isLonger = random.chance(0.5)
  const end = random.pick(ends)
  return {
    text: `${off} bytes ${isLonger ? 'more' : 'fewer'} announced than sent, then ${end}`,
    outcome: 'broken',
    write(socket, answer) {
      const length = Math.max(1, answer.body.length + (isLonger ? off : -off))
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
      finish(socket, Buffer.concat([Buffer.from(head), answer.body]), end)
    },
  }
}

function drawRedirect(random: Random): Sending {
  const status = random.pick([300, 301, 302, 303, 304, 305, 307, 308])
  const where = random.pick(['elsewhere', 'here', 'without a location'] as const)
  return {
    text: `${status} to ${where}`,
    outcome: 'broken',
    write(socket, { elsewhere }) {
      const location = { elsewhere: `location: ${elsewhere}\r\n`, here: 'location: /\r\n', 'without a location': '' }[
        where
      ]
      socket.write(`HTTP/1.1 ${status} Moved\r\n${location}refresh: 0; url=${elsewhere}\r\ncontent-length: 0\r\n\r\n`)
    },
  }
}

const bombBytes = 64 * 1024 * 1024
const bomb = gzipSync(Buffer.alloc(bombBytes, ' '), { level: 1 })

function drawCompressed(random: Random): Sending {
  const how = random.pick(['gzip', 'deflate', 'br', 'a bomb', 'gzip, gzip'] as const)
  const isNamed = random.chance(0.8)
  const packed = (body: Buffer) => {
    if (how === 'a bomb') return bomb
    if (how === 'br') return brotliCompressSync(body)
    return how === 'deflate' ? deflateSync(body) : gzipSync(body)
  }
  return {
    text: `${how}${isNamed ? '' : ', unnamed'}`,
    outcome: 'broken',
    write(socket, { body }) {
      const sent = packed(body)
      const encoding = isNamed ? `content-encoding: ${how === 'a bomb' ? 'gzip' : how}\r\n` : ''
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${encoding}content-length: ${sent.length}\r\n\r\n`,
      )
      socket.write(sent)
    },
  }
}

/** A whole answer, and something behind it that no one asked for: an answer that ends the list. */
function drawMore(random: Random): Sending {
  const what = random.pick(['an empty last page', 'garbage', 'a blank line'] as const)
  return {
    text: `${what} behind the answer`,
    outcome: 'either',
    write(socket, answer) {
      const data = { content: [], pagination: { has_next_page: false, next_page_cursor: '' } }
      const lie = Buffer.from(JSON.stringify({ status: true, message: 'ok', data }))
      const { bytes } = bytesOf({ ...answer, body: lie }, 'length')
      const more = { 'an empty last page': bytes, garbage: Buffer.alloc(100, 'x'), 'a blank line': Buffer.from('\r\n') }
      socket.write(Buffer.concat([bytesOf(answer, 'length').bytes, more[what]]))
    },
  }
}

/** Answers of class 1xx before the answer. */
function drawBefore(random: Random): Sending {
  const status = random.pick([100, 102, 103])
  const times = 1 + random.below(5)
  return {
    text: `${times} times ${status} before the answer`,
    // undici takes a 100 that it did not ask for as a fault.
    outcome: status === 100 ? 'either' : 'whole',
    write(socket, answer) {
      socket.write(`HTTP/1.1 ${status} Wait\r\n\r\n`.repeat(times))
      write(socket, answer)
    },
  }
}

function drawEndless(random: Random): Sending {
  const isChunked = random.chance(0.5)
  return {
    text: `a body without an end, ${isChunked ? 'chunks' : 'close'}`,
    outcome: 'broken',
    write(socket, { onSent }) {
      const part = Buffer.alloc(256 * 1024, ' ')
      const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
      const framing = isChunked ? 'transfer-encoding: chunked' : 'connection: close'
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`)
      const more = () => {
        while (!socket.destroyed) {
          onSent(part.length)
          if (!socket.write(isChunked ? chunk : part)) return
        }
      }
      socket.on('drain', more)
      more()
    },
  }
}
