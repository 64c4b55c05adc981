import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type AnswerLimits, type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { gatherBytes, streamBytes } from '../../src/app/serving/stream-bytes.ts'

const mebibyte = 1024 * 1024
const opened: (HttpListener | Socket)[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) 'url' in each ? await each.close() : each.destroy()
})

/** A port whose answers have as many bytes as their path says. */
async function open(limits: Partial<AnswerLimits>) {
  const place = { host: '127.0.0.1', port: 0, limits: { stalledMs: 60_000, ...limits } }
  const serving = await listen(place, ({ url }) => new Response('x'.repeat(Number(new URL(url).pathname.slice(1)))), '')
  opened.push(serving)
  const port = Number(new URL(serving.url).port)
  return {
    /** Sends requests, and reads no more than the first bytes of what comes back. */
    async stall(...paths: readonly string[]): Promise<Socket> {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
      opened.push(socket)
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
      await once(socket, 'readable')
      return socket
    },
    async ask(path: string) {
      const answer = await fetch(`${serving.url}${path}`)
      const { length } = await answer.text()
      return { status: answer.status, length, later: answer.headers.get('retry-after') }
    },
  }
}

describe('answers that clients do not read', () => {
  it('are bounded over all connections, and leave room for pages', async () => {
    const port = await open({ mostAnswerBytes: 64 * mebibyte })
    const large = `/${20 * mebibyte}`
    const stalled = [await port.stall(large), await port.stall(large)]
    expect(await port.ask(large)).toMatchObject({ status: 503, later: '10' })
    for (let round = 0; round < 20; round++) {
      expect(await port.ask(`/${mebibyte}`)).toEqual({ status: 200, length: mebibyte, later: null })
    }
    const closed = once(stalled[0] as Socket, 'close')
    stalled[0]?.destroy()
    await closed
    // The port learns of it a little later.
    let answer = await port.ask(large)
    while (answer.status === 503) {
      await turn()
      answer = await port.ask(large)
    }
    expect(answer).toMatchObject({ status: 200, length: 20 * mebibyte })
  })

  it('count until the connection ends, also those that wait for their turn on it', async () => {
    const port = await open({ mostAnswerBytes: 64 * mebibyte })
    const large = `/${20 * mebibyte}`
    const socket = await port.stall(large, large)
    while ((await port.ask(large)).status === 200) await turn()
    socket.destroy()
    while ((await port.ask(large)).status === 503) await turn()
    expect(await port.ask(large)).toMatchObject({ status: 200 })
  })

  it('give their room to others, where they are taken too slowly', async () => {
    const port = await open({ mostAnswerBytes: 40 * mebibyte, slowMs: 100 })
    const large = `/${20 * mebibyte}`
    const slow = await port.stall(large)
    let ended = false
    slow.once('close', () => {
      ended = true
    })
    const taking = setInterval(() => slow.read(1_000), 5)
    try {
      while ((await port.ask(large)).status === 503) await turn()
      slow.resume()
      while (!ended) await turn()
      expect(slow.bytesRead).toBeLessThan(20 * mebibyte)
    } finally {
      clearInterval(taking)
    }
  })

  it('may be larger than all that is allowed, one at a time', async () => {
    const port = await open({ mostAnswerBytes: mebibyte })
    expect(await port.ask(`/${30 * mebibyte}`)).toMatchObject({ status: 200, length: 30 * mebibyte })
    await port.stall('/100000')
    expect(await port.ask(`/${30 * mebibyte}`)).toMatchObject({ status: 200 })
    await port.stall(`/${30 * mebibyte}`)
    expect(await port.ask(`/${30 * mebibyte}`)).toMatchObject({ status: 503 })
  })

  it('end with their connection when nothing is taken for long, and go on while something is', async () => {
    const port = await open({ mostAnswerBytes: 40 * mebibyte, stalledMs: 100 })
    const large = `/${20 * mebibyte}`
    const socket = await port.stall(large)
    expect((await port.ask(large)).status).toBe(503)
    while ((await port.ask(large)).status === 503) await turn()
    // What it has not taken is no longer sent.
    await once(socket.resume(), 'close')
    expect(socket.bytesRead).toBeLessThan(20 * mebibyte)

    const slow = await port.stall(`/${8 * mebibyte}`)
    let taken = 0
    while (taken < 8 * mebibyte) {
      const part: Buffer | null = slow.read()
      if (part === null) await once(slow, 'readable')
      else taken += part.byteLength
    }
    expect(taken).toBeGreaterThan(8 * mebibyte)
  })
})

describe('bytes as a body', () => {
  it.each([0, 1, 65_536, 65_537, 300_000])('are %i again when they are read', async (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251)
    expect(await gatherBytes(streamBytes(bytes))).toEqual(bytes)
  })

  it('are not copied where they come in one piece', async () => {
    const { buffer } = await gatherBytes(new Response('x'.repeat(1000)).body ?? streamBytes(new Uint8Array()))
    expect(buffer.byteLength).toBe(1000)
    const part = new Uint8Array(new ArrayBuffer(100), 10, 20)
    expect((await gatherBytes(ReadableStream.from([part]))).buffer.byteLength).toBe(20)
  })
})
