import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { JsonObject } from '../../src/model/json.ts'
import { certificateOf, makeCertificates } from '../../test/service/service-certificates.ts'
import { type Delivery, write } from './delivery.ts'

export const project = 'project-1'

/** On three pages of two. */
export const items: readonly JsonObject[] = Array.from({ length: 6 }, (_, at) => ({
  uid: `EP-${at}`,
  project_id: project,
  name: `endpoint ${at}`,
  url: 'https://a.example.com/hooks',
}))

interface Walked {
  readonly delivery: Delivery
  /** Tries of the page. */
  tries: number
  sent: number
  strayed: number
}

/** Servers on loopback that answer walks, each as its delivery says. */
export async function openBrokenServer() {
  makeCertificates()
  const walks = new Map<string, Walked>()
  const gone = createServer()
  const refused = await listen(gone)
  await new Promise<void>((resolve) => gone.close(() => resolve()))
  const elsewhere = await listen(
    createServer((socket) => {
      socket.on('error', () => {})
      onRequest(socket, (request) => {
        const walk = walks.get(caseOf(request))
        if (walk !== undefined) walk.strayed += 1
        socket.destroy()
      })
    }),
  )
  const plain = await listen(createServer((socket) => serveWalks(socket, walks, elsewhere)))
  const tls = (name: string) => listen(createTlsServer(certificateOf(name), (_, response) => response.end()))
  const shown = { selfSigned: await tls('selfSigned'), expired: await tls('expired'), other: await tls('other') }
  const addresses: Readonly<Record<Delivery['port'], string>> = {
    plain: `http://127.0.0.1:${plain}`,
    refused: `http://127.0.0.1:${refused}`,
    selfSigned: `https://localhost:${shown.selfSigned}`,
    expired: `https://localhost:${shown.expired}`,
    other: `https://localhost:${shown.other}`,
    'https to plain': `https://127.0.0.1:${plain}`,
    'plain to https': `http://localhost:${shown.selfSigned}`,
  }
  return {
    /** The address for a walk that is answered so. */
    begin(id: string, delivery: Delivery): string {
      walks.set(id, { delivery, tries: 0, sent: 0, strayed: 0 })
      return `${addresses[delivery.port]}/${id}`
    },
    /** What came of it: bytes of an endless answer, and requests to another host. */
    end(id: string): { readonly sent: number; readonly strayed: number } {
      const { sent, strayed } = walks.get(id) ?? { sent: 0, strayed: 0 }
      walks.delete(id)
      return { sent, strayed }
    },
  }
}

function serveWalks(socket: Socket, walks: ReadonlyMap<string, Walked>, elsewhere: number): void {
  socket.on('error', () => {})
  onRequest(socket, (request) => {
    const walk = walks.get(caseOf(request))
    if (walk === undefined) return socket.destroy()
    const page = Number(/next_page_cursor=page-(\d)/.exec(request)?.[1] ?? 0)
    const path = /^GET (\S+)/.exec(request)?.[1] ?? '/'
    const answer = {
      body: bodyOf(page),
      elsewhere: `http://127.0.0.1:${elsewhere}${path}`,
      onSent: (bytes: number) => {
        walk.sent += bytes
      },
    }
    const { delivery } = walk
    if (page !== delivery.page || walk.tries >= delivery.times) return write(socket, answer)
    walk.tries += 1
    delivery.write(socket, answer)
  })
}

function bodyOf(page: number): Buffer {
  const hasNext = page < 2
  const pagination = { has_next_page: hasNext, next_page_cursor: hasNext ? `page-${page + 1}` : '' }
  const data = { content: items.slice(page * 2, page * 2 + 2), pagination }
  return Buffer.from(JSON.stringify({ status: true, message: 'ok', data }))
}

/** Calls for the head of each request; the walks send no bodies. */
function onRequest(socket: Socket, take: (request: string) => void): void {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const request = text.slice(0, end)
      text = text.slice(end + 4)
      take(request)
    }
  })
}

function caseOf(request: string): string {
  return /^GET \/(\w+)\//.exec(request)?.[1] ?? ''
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port // as: it listens on a port, not on a pipe
}
