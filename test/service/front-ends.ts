import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import { certificateOf } from './service-certificates.ts'

// Services that are broken in one way each, on this machine.

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** A service that speaks plain http. */
export const plain = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`

/** Answers with JSON. */
export function json(status: number, body: object): RequestListener {
  return (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r1' }).end(JSON.stringify(body))
}

/** A service that speaks TLS, with a certificate by its name, and those above it after blanks: `chained issuing`. */
export async function tls(
  names: string,
  listener = json(200, {}),
  options: SecureContextOptions = {},
): Promise<{ url: string; ca: string }> {
  const [{ key = '', cert: ca = '' } = {}, ...more] = names.split(' ').map(certificateOf)
  const cert = [ca, ...more.map((each) => each.cert)].join('')
  const server = createTlsServer({ key, cert, ...options }, listener)
  return { url: `https://localhost:${await listen(server)}`, ca }
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const closed = createServer()
  return new Promise((resolve) =>
    closed.listen(0, '127.0.0.1', () => {
      const { port } = closed.address() as AddressInfo
      closed.close(() => resolve(port))
    }),
  )
}
