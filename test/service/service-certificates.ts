import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Makes the certificates of services, each with its own fault; call it before all tests of a file. */
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

/** `selfSigned`, `expired`, `other` (for another host) or `ending` (in ten days). */
export function certificateOf(name: string): { readonly key: string; readonly cert: string } {
  return certificates[name] ?? { key: '', cert: '' }
}
