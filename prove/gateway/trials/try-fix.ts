import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type PrintedRow, sendRows } from '../../../test/repair/send-rows.ts'
import type { FixTrial } from './fixes.ts'
import { type TrialBench, TriedProject } from './tried-project.ts'

const program = join(import.meta.dirname, '../../../src/cli/start.ts')

/** Breaks a rule on a running gateway, does what fixes it, and has hookdrift audit before and after. */
export async function tryFix(
  bench: TrialBench,
  { rule, has, breaks = [], options = '', steps }: FixTrial,
): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-trial-'))
  const project = await TriedProject.open(bench, has.type)
  const run = async (...args: string[]) => {
    const env = { ...process.env, TRIAL_KEY: bench.key }
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: directory, env })
    return JSON.parse(stdout)
  }
  const audit = async (): Promise<readonly Violation[]> => {
    const { violations } = await run('audit', '--fail-on', 'never', '--format', 'json')
    return violations
  }
  try {
    await project.fill(has)
    for (const step of breaks) {
      const fault = await step(project)
      if (fault !== undefined) return `cannot be broken: ${fault}`
    }
    writeFileSync(join(directory, 'policy.yaml'), `extends: []\nrules:\n  ${rule}: { ${options} }\n`)
    writeFileSync(
      join(directory, 'hookdrift.yaml'),
      `policy: policy.yaml\nservices:\n  - { name: tried, url: "${bench.gateway.url}", key: "\${TRIAL_KEY}", projects: [{ id: ${project.uid}, name: trial }] }\n`,
    )
    const [violation] = await audit()
    if (violation === undefined) return 'the audit before did not report it'
    if (steps === undefined) {
      const { rows } = await run('restore', violation.uid, '--rule', rule, '--format', 'json')
      if (rows.length === 0) return 'restore printed no request'
      const answers = await sendRows(rows as readonly PrintedRow[], new Map([['TRIAL_KEY', bench.key]]))
      const refused = answers.find(({ status }) => status >= 300)
      if (refused !== undefined) return `what restore printed was answered with ${refused.status}`
    }
    for (const step of steps ?? []) {
      const fault = await step(project)
      if (fault !== undefined) return fault
    }
    const left = (await audit()).filter(({ state }) => state !== 'resolved')
    return left.length === 0
      ? undefined
      : `still ${left.map(({ state, message }) => `${state}: ${message}`).join('; ')}`
  } finally {
    await project.remove()
    rmSync(directory, { recursive: true })
  }
}

/** Of a report. */
interface Violation {
  readonly uid: string
  readonly state: string
  readonly message: string
}
