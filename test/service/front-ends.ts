import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

// Services that are broken in one way each, on this machine.

async function listen(server: Server): Promise<number> {
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

const certificates: Record<string, { key: string; cert: string }> = {}

const authority = `
[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`

/** Makes the certificates of `tls`, each for its own fault; call it before all tests of a file. */
export function makeCertificates(): void {
  if (certificates.selfSigned !== undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'hookdrift-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  writeFileSync(join(folder, 'ca.conf'), authority)
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'serial'), '01')
  const inTenDays = new Date(Date.now() + 10.5 * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')
  for (const [name, host, from, to] of [
    ['selfSigned', 'localhost', '20200101000000Z', '20490101000000Z'],
    ['expired', 'localhost', '20200101000000Z', '20210101000000Z'],
    ['other', 'other.example', '20200101000000Z', '20490101000000Z'],
    ['ending', 'localhost', '20200101000000Z', inTenDays],
  ] as const) {
    writeFileSync(join(folder, 'index.txt'), '')
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
    const names = host === 'localhost' ? 'DNS:localhost,IP:127.0.0.1' : `DNS:${host}`
    openssl('req', '-new', ...key, '-subj', `/CN=${host}`, '-addext', `subjectAltName=${names}`, '-out', 'csr.pem')
    const dates = ['-startdate', from, '-enddate', to]
    openssl(
      ...['ca', '-batch', '-config', 'ca.conf', '-selfsign', '-keyfile', 'key.pem', '-in', 'csr.pem'],
      ...dates,
      ...['-notext', '-out', 'cert.pem'],
    )
    const read = (file: string) => readFileSync(join(folder, file), 'utf8')
    certificates[name] = { key: read('key.pem'), cert: read('cert.pem') }
  }
  rmSync(folder, { recursive: true })
}

/** A service that speaks TLS, with the certificate `selfSigned`, `expired`, `other` or `ending` (in ten days). */
export async function tls(name: string, listener = json(200, {})): Promise<{ url: string; ca: string }> {
  const { key, cert } = certificates[name] ?? { key: '', cert: '' }
  return { url: `https://localhost:${await listen(createTlsServer({ key, cert }, listener))}`, ca: cert }
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
