import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type ProcessContext, printMessage } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { SimulatedFleet } from '../demo/fleet.ts'
import { generateFleet } from '../demo/generate-fleet.ts'
import { makeDirectories } from '../history/make-directories.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { shellWord } from '../report/text/commands.ts'

/** What a demo keeps in a directory: what its gateway is made from, and where the configuration expects it. */
export interface KeptDemo {
  readonly seed: string
  /** Whether the history has seen the changes of the colleague. */
  readonly isChanged: boolean
  readonly url: string
  /** The history as the configuration names it; absent: next to it. */
  readonly history?: string
}

/** The key is made up, so it may be in a file next to the configuration. */
const files = { configuration: 'hookdrift.yaml', policy: 'policy.yaml', key: 'demo-key' }
const ofHistory = ['hookdrift.db', 'hookdrift.key']
/** SQLite has them next to a history that is open. */
const ofOpenHistory = ['hookdrift.db-wal', 'hookdrift.db-shm']

/** The simulated fleet uses example.com, which a recommended rule would report for every endpoint. */
const policy = 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n'

export function demoFleet(seed: string): SimulatedFleet {
  return generateFleet({ seed, endpointsPerProject: 12, sourcesPerProject: 4 })
}

/** Configures all projects of a simulated service. `key`: a reference to the key. */
export function demoConfiguration(
  { url, history }: Pick<KeptDemo, 'url' | 'history'>,
  fleet: SimulatedFleet,
  key: string,
): string {
  const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }`)
  return `${history === undefined ? '' : `history: ${JSON.stringify(history)}\n`}policy: ./${files.policy}
services:
  - name: demo
    url: ${url}
    key: ${key}
    projects:
${projects.join('\n')}
`
}

/** The configuration that a demo keeps. Its first line holds what makes the same gateway again. */
function keptConfiguration(kept: KeptDemo, fleet: SimulatedFleet): string {
  const seed = JSON.stringify(kept.seed).replace(/[^ -~]/g, escaped)
  return `# hookdrift demo, seed ${seed}, ${kept.isChanged ? 'after' : 'before'} the changes
# \`hookdrift demo --serve --keep DIRECTORY\` starts this gateway.
${demoConfiguration(kept, fleet, `\${file:${files.key}}`)}`
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Reads what a demo has kept in a directory; undefined where there is none, or it is empty.
 * @throws AuditError.usage when it contains something else
 */
export function readKeptDemo(directory: string, named: string): KeptDemo | undefined {
  if (filesIn(directory, named).length === 0) return undefined
  const kept = keptDemoAt(join(directory, files.configuration))
  if (kept !== undefined) return kept
  throw AuditError.usage(`the directory ${named} is not empty, and no demo made it`, { advice: another })
}

const another = 'name another one with --keep DIRECTORY, or keep nothing with --no-keep'

/** Undefined where the file is missing, or not such a configuration. */
function keptDemoAt(configuration: string): KeptDemo | undefined {
  const text = textOf(configuration)
  const [, seed, when] = /^# hookdrift demo, seed ("[ -~]{0,9999}"), (before|after) the changes\n/.exec(text) ?? []
  const [, url] = /^ {4}url: (http:\/\/\S{1,300}:\d{1,5})$/m.exec(text) ?? []
  const [, history = 'null'] = /^history: (".{0,9999}")$/m.exec(text) ?? []
  if (seed === undefined || url === undefined) return undefined
  try {
    const kept = { seed: String(JSON.parse(seed)), isChanged: when === 'after', url }
    const elsewhere: unknown = JSON.parse(history)
    return typeof elsewhere === 'string' ? { ...kept, history: elsewhere } : kept
  } catch {
    return undefined
  }
}

/** Empty where the file cannot be read. */
function textOf(file: string): string {
  try {
    return readTextFile(file)
  } catch {
    return ''
  }
}

/**
 * Removes what an earlier demo has kept, for another one. Returns whether there was something.
 * @throws AuditError.usage when the directory contains what a person wrote, or its history is in use
 */
export function clearKeptDemo(directory: string, named: string): boolean {
  const kept = readKeptDemo(directory, named)
  if (kept === undefined) return false
  const isOurs =
    textOf(join(directory, files.policy)) === policy &&
    textOf(join(directory, files.configuration)) === keptConfiguration(kept, demoFleet(kept.seed))
  if (!isOurs) {
    throw AuditError.usage(`the configuration or the policy in ${named} was edited since a demo wrote it`, {
      advice: `move what you need, and remove the rest with \`rm -r ${shellWord(named)}\`; or ${another}`,
    })
  }
  if (ofOpenHistory.some((file) => existsSync(join(directory, file)))) {
    throw AuditError.usage(`the history in ${named} is open`, {
      advice: `end the command that uses it; where none does, remove it: \`rm -r ${shellWord(named)}\``,
    })
  }
  try {
    for (const file of [...Object.values(files), ...ofHistory]) rmSync(join(directory, file), { force: true })
  } catch (error) {
    throw unwritable(directory, error)
  }
  return true
}

function filesIn(directory: string, named: string): readonly string[] {
  try {
    makeDirectories(directory, 0o700)
    return readdirSync(directory)
  } catch (error) {
    throw AuditError.usage(`cannot make the directory ${named}: ${reasonOf(error)}`, { advice: another, cause: error })
  }
}

/**
 * Writes what a demo keeps, for this user alone. Returns the configuration's path.
 * @throws AuditError.failure when it cannot be written
 */
export function layOut(directory: string, kept: KeptDemo, fleet: SimulatedFleet): string {
  const file = join(directory, files.configuration)
  const options = { mode: 0o600 }
  try {
    writeFileSync(file, keptConfiguration(kept, fleet), options)
    writeFileSync(join(directory, files.policy), policy, options)
    writeFileSync(join(directory, files.key), `${fleet.personalKey}\n`, options)
  } catch (error) {
    throw unwritable(directory, error)
  }
  return file
}

/** Has the configuration name another address of the gateway, and leaves all else as it is. */
export function moveKeptDemo(directory: string, from: string, to: string): void {
  const file = join(directory, files.configuration)
  try {
    writeFileSync(file, readTextFile(file).replace(`    url: ${from}\n`, `    url: ${to}\n`))
  } catch (error) {
    throw unwritable(directory, error)
  }
}

function unwritable(directory: string, error: unknown): AuditError {
  return AuditError.failure(`cannot write to ${directory}: ${reasonOf(error)}`, { cause: error })
}

/** Starts the gateway of what a demo has kept. */
export function servingCommand(named: string): string {
  return `hookdrift demo --serve --keep ${shellWord(named)}`
}

/** Says how the gateway of a demo is started, where a command could not audit it. */
export function adviseServing(config: string, terminal: ProcessContext): void {
  if (keptDemoAt(resolve(terminal.cwd(), config)) === undefined) return
  printMessage(
    `hookdrift: the gateway of this demo is simulated: \`${servingCommand(dirname(config))}\` starts it`,
    terminal,
  )
}
