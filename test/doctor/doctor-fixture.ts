import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'

export const acmeKey = 'CO.notarealkeymask1.not-a-real-secret-part-of-a-key'

export interface Row {
  readonly check: string
  readonly service: string | null
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly remediation: string | null
}

interface Examined {
  readonly code: number
  readonly rows: readonly Row[]
  /** The rows of a check as `status detail → remediation`, without ports and durations. */
  of(check: string): readonly string[]
  /** Names of the checks that failed, each once. */
  readonly failed: readonly string[]
}

/** Runs `doctor` in a directory, as JSON that its schema allows. */
export async function examine(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<Examined> {
  const { code, stdout, stderr } = await command(['doctor', '--format', 'json', ...more], { cwd, env })
  if (stderr !== '') throw new Error(stderr)
  if (/not-a-real-secret/.test(stdout)) throw new Error('the answer contains the key')
  const rows: readonly Row[] = JSON.parse(stdout).rows
  // Each check that a test brings to fail says what to do.
  const silent = rows.filter(({ status, remediation }) => ['warn', 'fail'].includes(status) && !remediation)
  if (silent.length > 0) throw new Error(`no remediation: ${JSON.stringify(silent)}`)
  return {
    code,
    rows,
    of: (wanted) => rows.filter(({ check }) => check === wanted).map((row) => shownRow(row, cwd)),
    failed: [...new Set(rows.filter(({ status }) => status === 'fail').map(({ check }) => check))],
  }
}

function shownRow({ status, detail, remediation }: Row, cwd: string): string {
  const advice = remediation === null ? '' : ` → ${remediation}`
  return `${status} ${detail}${advice}`
    .replaceAll(cwd, '.')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
    .replaceAll(/\d+ ms/g, 'N ms')
    .replaceAll(/\d+(?:\.\d)? [MGT]B/g, 'SIZE')
}

interface ServiceOptions {
  readonly key?: string
  /** `id: name` each. */
  readonly projects?: Readonly<Record<string, string>>
  /** Further members of the service. */
  readonly more?: string
  readonly before?: string
}

/** A directory with a configuration of one service. */
export function directoryFor(url: string, { key, projects, more = '', before = '' }: ServiceOptions = {}) {
  const directory = openDirectory()
  const listed = Object.entries(projects ?? { p1: 'billing', p2: 'orders' })
  directory.write(
    'hookdrift.yaml',
    `${before}services:
  - name: acme
    url: ${url}
    key: ${key ?? '$'.concat('{ACME_KEY}')}
    page_size: 10
    limits: { connect_timeout: 2s, page_timeout: 2s }
${more}    projects:
${listed.map(([id, name]) => `      - { id: ${id}, name: ${name} }\n`).join('')}`,
  )
  return directory
}
