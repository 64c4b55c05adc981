import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTransport } from '../../src/service/transport.ts'
import { listen } from './fake-service.ts'

const mib = 1024 * 1024
const request = { method: 'GET', path: '/', headers: {}, body: null } as const

/** A transport with one connection to a server that answers so. `connections`: how many were made. */
async function talkTo(answer: (response: ServerResponse) => void) {
  const { server, url } = await listen((_, response) => answer(response))
  const sockets: Promise<unknown>[] = []
  server.on('connection', (socket) => sockets.push(new Promise((resolve) => socket.on('close', resolve))))
  const limits = { connectTimeoutMs: 5_000, pageTimeoutMs: 5_000 }
  const transport = createTransport({ url, ca: undefined, connections: 1, limits }, {})
  onTestFinished(() => transport.close())
  const send = (signal = new AbortController().signal) => transport.send(request, signal)
  return { send, connections: () => sockets.length, closed: () => sockets[0] }
}

describe('an exchange', () => {
  it('keeps the beginning of a body that is read late, and lets the rest wait', async () => {
    const body = Buffer.alloc(4 * mib, 'abc')
    const { send, connections } = await talkTo((response) => response.end(body))
    const answer = await send()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    expect((await answer.read(8 * mib, body.length))?.equals(body)).toBe(true)
    const next = await send()
    expect((await next.read(8 * mib))?.equals(body)).toBe(true)
    expect(connections()).toBe(1)
  })

  it('closes the connection of a body that is larger than allowed', async () => {
    const { send, connections, closed } = await talkTo((response) => response.end(Buffer.alloc(4 * mib)))
    expect(await (await send()).read(mib)).toBe(undefined)
    await closed()
    expect(await (await send()).read(4 * mib)).toHaveLength(4 * mib)
    expect(connections()).toBe(2)
  })

  it('closes the connection of a body that is dropped', async () => {
    const { send, closed } = await talkTo((response) => response.end(Buffer.alloc(4 * mib)))
    const answer = await send()
    answer.discard()
    await closed()
  })

  it('rejects a body that breaks off, whether or not it is being read then', async () => {
    const { send, closed } = await talkTo((response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('12345', () => response.destroy())
    })
    const read = await send()
    await expect(read.read(100)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    const late = await send()
    await closed()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    await expect(late.read(100)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  it('ends with the reason of an abort, before and after the head', async () => {
    const { send } = await talkTo((response) => void response.write('12345'))
    const [early, late] = [new AbortController(), new AbortController()]
    early.abort(new Error('before'))
    await expect(send(early.signal)).rejects.toThrow('before')
    const reading = (await send(late.signal)).read(100)
    late.abort(new Error('after'))
    await expect(reading).rejects.toThrow('after')
  })
})
