import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from './measure.ts'
import { stageFloor } from './stage-floor.ts'
import type { ServiceProcess } from './start-service.ts'

/** Projects read at once, by the audit and by the floor. */
const concurrency = 4

/** A directory with everything that an audit and its floor read, and what they leave. */
export interface WorkPlace {
  /** For a history. The file of a name is the same every time. */
  file(name: string): string
  remove(name: string): void
  /** Flags go to Node. */
  audit(history: string, flags?: readonly string[]): Command
  floor(database: string, flags?: readonly string[]): Command
  clear(): void
}

/** Both walk the two lists that every service has; the audit reads filter rows besides where the caller asks for them. */
export function layOut(
  { url, key, projects }: ServiceProcess,
  executable: string,
  filters: 'auto' | 'off' = 'off',
): WorkPlace {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-bench-'))
  const file = (name: string) => join(directory, name)
  const configuration = file('hookdrift.yaml')
  writeFileSync(file('key'), key)
  // The fleet is clean but for its hosts, which are examples' on purpose.
  writeFileSync(file('policy.yaml'), 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')
  writeFileSync(
    configuration,
    `policy: ./policy.yaml
concurrency: ${concurrency}
services:
  - name: bench
    url: ${url}
    key: \${file:./key}
    listings: { sources: "off", project: "off", event_types: "off", filters: "${filters}" }
    projects:
${projects.map((id) => `      - { id: ${id} }`).join('\n')}
`,
  )
  const floor = stageFloor()
  // Edits may break the policy, and a run that finds so has done its work.
  const quiet = ['--fail-on', 'never', '--quiet']
  return {
    file,
    remove(name) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(file(name) + suffix, { recursive: true, force: true })
    },
    audit: (history, flags = []) => ({
      command: process.execPath,
      args: [...flags, executable, 'audit', '--config', configuration, '--history', file(history), ...quiet],
    }),
    floor(database, flags = []) {
      const order = file(`${database}.order.json`)
      writeFileSync(order, JSON.stringify({ url, key, projects, database: file(database), concurrency }))
      return { command: process.execPath, args: [...flags, floor, order] }
    },
    clear: () => rmSync(directory, { recursive: true, force: true }),
  }
}
