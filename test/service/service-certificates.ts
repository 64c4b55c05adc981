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

const [longAgo, pastEnd, farEnd] = ['20200101000000Z', '20210101000000Z', '20490101000000Z']
const inTenDays = new Date(Date.now() + 10.5 * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')

const here = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
const authorityUse = 'basicConstraints=critical,CA:TRUE'

/** Each with the certificate that issued it (its own name: it issued itself), what it is for, and when it is valid. */
const rows = [
  ['selfSigned', 'selfSigned', here, longAgo, farEnd],
  ['expired', 'expired', here, longAgo, pastEnd],
  ['early', 'early', here, '20480101000000Z', farEnd],
  ['other', 'other', 'subjectAltName=DNS:other.example', longAgo, farEnd],
  ['ending', 'ending', here, longAgo, inTenDays],
  ['root', 'root', authorityUse, longAgo, farEnd],
  ['issuing', 'root', authorityUse, longAgo, farEnd],
  ['chained', 'issuing', here, longAgo, farEnd],
  ['direct', 'root', here, longAgo, farEnd],
  ['oldRoot', 'oldRoot', authorityUse, longAgo, pastEnd],
  ['ofOldRoot', 'oldRoot', here, longAgo, farEnd],
  ['oldIssuing', 'root', authorityUse, longAgo, pastEnd],
  ['ofOldIssuing', 'oldIssuing', here, longAgo, farEnd],
  ['notIssuing', 'root', 'basicConstraints=critical,CA:FALSE', longAgo, farEnd],
  ['ofNotIssuing', 'notIssuing', here, longAgo, farEnd],
  ['client', 'root', `${here}\nextendedKeyUsage=clientAuth`, longAgo, farEnd],
] as const

/** Makes the certificates of services, each with its own fault; call it before all tests of a file. */
export function makeCertificates(): void {
  if (certificates.selfSigned !== undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'hookdrift-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  writeFileSync(join(folder, 'ca.conf'), authority)
  writeFileSync(join(folder, 'serial'), '01')
  for (const [name, issuer, extensions, from, to] of rows) {
    writeFileSync(join(folder, 'index.txt'), '')
    const added = extensions.split('\n').flatMap((extension) => ['-addext', extension])
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
    openssl('req', '-new', ...key, '-subj', `/CN=${name}`, ...added, '-out', 'csr.pem')
    const signer = issuer === name ? ['-selfsign'] : ['-cert', `${issuer}.pem`]
    const dates = ['-startdate', from, '-enddate', to]
    openssl(
      ...['ca', '-batch', '-config', 'ca.conf', ...signer, '-keyfile', `${issuer}.key`, '-in', 'csr.pem'],
      ...dates,
      ...['-notext', '-out', `${name}.pem`],
    )
    certificates[name] = { key: read(`${name}.key`), cert: read(`${name}.pem`) }
  }
  rmSync(folder, { recursive: true })
}

export function certificateOf(name: string): { readonly key: string; readonly cert: string } {
  return certificates[name] ?? { key: '', cert: '' }
}
