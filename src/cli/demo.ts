import { readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { verificationOf } from '../app/copy-database.ts'
import { untilSignalled } from '../app/end-in-order.ts'
import { requireGivenKey } from '../app/installation-key.ts'
import { examineHistory } from '../app/open-history.ts'
import { performAudit } from '../app/perform-audit.ts'
import { openPrivateDirectory } from '../app/private-directory.ts'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import { type ListenAddress, listenAddress } from '../config/serve-schema.ts'
import { afternoonOf } from '../demo/colleague.ts'
import type { SimulatedFleet } from '../demo/fleet.ts'
import { generateFleet } from '../demo/generate-fleet.ts'
import { type SimulatedService, startSimulatedService } from '../demo/simulated-service.ts'
import { readLocation } from '../history/location.ts'
import { makeDirectories } from '../history/make-directories.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import type { Clock } from '../model/time.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { locatingOptions } from '../report/text/commands.ts'
import { text } from '../report/text.ts'
import { locatingOf } from './query-options.ts'

interface DemoOptions {
  readonly seed: string
  readonly keep?: string
  readonly history?: string
  /** true without an address. */
  readonly serve?: string | true
  readonly changes: boolean
}

const usualAddress = '127.0.0.1:8080'

export function defineDemo(command: Command) {
  command
    .option(
      '--serve [address]',
      `only serve the simulated service, until stopped: port, or address and port such as 0.0.0.0:8080 (default: ${usualAddress})`,
    )
    .option('--no-changes', 'with --serve: simulate no changes')
    .option('--seed <text>', 'seed of the simulated fleet; each seed makes another one', 'hookdrift')
    .option(
      '--keep <directory>',
      'keep configuration, policy and history in this directory, to try other commands on them',
    )
    .option('--history <file>', 'keep the history in a new file, or in an empty database at postgres://…')
  return async (options: DemoOptions, terminal: ProcessContext) => {
    refuseUnclear(options)
    return options.serve === undefined
      ? demo(options, terminal)
      : serve(options.serve === true ? usualAddress : options.serve, options, terminal)
  }
}

/** Without `--serve` it audits twice, with it not at all. */
function refuseUnclear({ serve, history, changes }: DemoOptions): void {
  if (serve !== undefined && history !== undefined) {
    throw AuditError.usage('--serve audits nothing, so there is no --history to keep', {
      advice: 'leave one of them out; --keep lays out a configuration',
    })
  }
  if (serve === undefined && !changes) {
    throw AuditError.usage('--no-changes is for --serve', { advice: 'add --serve, or leave it out' })
  }
}

/** stdout gets the configuration for the service, stderr a line for each change. */
async function serve(text: string, { seed, keep, changes }: DemoOptions, terminal: ProcessContext): Promise<number> {
  const address = demoAddress(text)
  const directory = keep === undefined ? undefined : newDirectory(keep, terminal)
  const request = {
    address,
    fleet: await demoFleet(seed),
    changes,
    clock: systemClock,
    print: (text: string) => terminal.stderr.write(`${text}\n`),
    ready(configuration: string) {
      if (directory !== undefined) layOut(directory, configuration)
      terminal.stdout.write(configuration)
    },
  }
  const { exitCode } = await untilSignalled((signal) => serveDemo(request, signal))
  return exitCode ?? exitCodes.clean
}

async function demoFleet(seed: string): Promise<SimulatedFleet> {
  return generateFleet({ seed, endpointsPerProject: 12, sourcesPerProject: 4 })
}

/** Only the service is simulated: configuration, client, history and report are those of `audit`. */
async function demo({ seed, keep, history }: DemoOptions, terminal: ProcessContext): Promise<number> {
  const fleet = await demoFleet(seed)
  const afternoon = afternoonOf(fleet)
  if (history !== undefined) await refuseUsed(history, terminal)
  using place =
    keep === undefined
      ? openPrivateDirectory('hookdrift-demo-')
      : { path: newDirectory(keep, terminal), [Symbol.dispose]() {} }
  const print = (text: string) => terminal.stdout.write(text)
  await using service = await startSimulatedService(fleet)
  const file = layOut(place.path, `${historyLine(history, terminal)}${demoConfiguration(service.url, fleet)}`)
  const audit = () => untilSignalled((signal) => auditOnce({ file, history, fleet }, terminal, signal))

  print(`A simulated webhook service listens on ${service.url}. Its fleet is made from the seed "${seed}".\n\n`)
  const first = await audit()
  if (first.exitCode !== undefined) return first.exitCode
  print(`First audit: ${first.result.verdict.text}\nThe next audit compares with it. Now a colleague\n\n`)
  for (const edit of afternoon) {
    edit.apply()
    print(`  - ${edit.description} (${edit.project})\n`)
  }
  print('\nSecond audit:\n\n')
  const second = await audit()
  if (second.exitCode !== undefined) return second.exitCode
  const historyFile = history ?? (keep === undefined ? undefined : join(keep, 'hookdrift.db'))
  const locating = historyFile === undefined ? null : locatingOf({ history: historyFile })
  print(text(second.result, { ...renderOptionsFor(terminal), full: false, locating }))
  print(`\n\`hookdrift audit\` would have exited with ${second.result.verdict.exit_code}. `)
  if (locating !== null) {
    print(`Kept: hookdrift report${locatingOptions('report', locating)} --format html\n`)
    print('The simulated service has stopped; `hookdrift demo --serve 8080` starts one that runs until you stop it.\n')
  }
  print('Next: `hookdrift docs tutorial`, or for your own service `hookdrift init`.\n')
  return exitCodes.clean
}

/** What the configuration says of a history that is not next to it. A password is given in the environment. */
function historyLine(history: string | undefined, { cwd }: ProcessContext): string {
  if (history === undefined) return ''
  const location = readLocation(history, cwd())
  return `history: ${JSON.stringify(location.kind === 'file' ? location.path : withoutPassword(history))}\n`
}

/** @throws AuditError.usage when there are runs in the history, or no key is given where one is needed */
async function refuseUsed(history: string, { cwd, env }: ProcessContext): Promise<void> {
  const location = readLocation(history, cwd())
  requireGivenKey(location, env)
  const { content } = await examineHistory(location, env, verificationOf('plain'))
  if (content === undefined || (location.kind === 'postgres' && content.committedRuns === 0)) return
  throw AuditError.usage(`--history ${location.displayName}: there is a history`, {
    advice: 'name a new one: a demo must not mix with your own runs',
  })
}

/** @throws AuditError.usage when the directory is not empty: a demo must not mix with the user's own history */
function newDirectory(path: string, { cwd }: ProcessContext): string {
  const directory = resolve(cwd(), path)
  if (filesIn(directory, path).length > 0) {
    throw AuditError.usage(`--keep ${path}: the directory is not empty`, { advice: 'name one that does not exist' })
  }
  return directory
}

function filesIn(directory: string, named: string): readonly string[] {
  try {
    makeDirectories(directory, 0o700)
    return readdirSync(directory)
  } catch (error) {
    throw AuditError.usage(`cannot make the directory ${named}: ${reasonOf(error)}`, {
      advice: 'name one that does not exist',
      cause: error,
    })
  }
}

async function auditOnce(
  {
    file,
    history,
    fleet,
  }: {
    /** The configuration. */
    readonly file: string
    /** `--history` */
    readonly history: string | undefined
    readonly fleet: SimulatedFleet
  },
  terminal: ProcessContext,
  signal: AbortSignal,
): Promise<Report> {
  const env = { ...terminal.env, DEMO_KEY: fleet.personalKey, HOOKDRIFT_HISTORY: undefined }
  const options = { history, cwd: terminal.cwd() }
  const configuration = readConfiguration(file, { env, readFile: readTextFile }, options)
  const policy = readPolicy(configuration.policy, readTextFile)
  const request = {
    configuration,
    policy,
    only: [],
    failOn: 'medium',
    quiet: false,
    runTimeoutMs: configuration.runTimeoutMs,
  } as const
  return performAudit(request, { ...terminal, env }, signal)
}

/**
 * Returns the configuration's path.
 * @throws AuditError.failure when it cannot be written
 */
function layOut(directory: string, configuration: string): string {
  const file = join(directory, 'hookdrift.yaml')
  try {
    writeFileSync(file, configuration)
    writeFileSync(join(directory, 'policy.yaml'), demoPolicy)
  } catch (error) {
    throw AuditError.failure(`cannot write to ${directory}: ${reasonOf(error)}`, { cause: error })
  }
  return file
}

/**
 * Reads the address of `--serve`: as with `worker.listen`, a port alone listens on the loopback address only.
 * @throws AuditError.usage when it is not an address
 */
export function demoAddress(text: string): ListenAddress {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw AuditError.usage(`--serve ${text}: expected a port, or an address and a port`, {
    advice: 'such as 8080, 0.0.0.0:8080 or [::1]:8080',
  })
}

/**
 * Serves a fleet until the signal aborts, while a simulated colleague makes one edit a minute until all are made.
 * @throws AuditError.failure when it cannot listen on the address
 */
export async function serveDemo(options: DemoServiceOptions, signal: AbortSignal): Promise<void> {
  const { address, fleet, changes, clock, ready, print } = options
  const afternoon = changes ? afternoonOf(fleet) : []
  await using service = await start(fleet, address)
  print(`The simulated service listens on ${service.url}. Its key is made up, like all of its data:`)
  print(`  export DEMO_KEY=${fleet.personalKey}`)
  print('To set hookdrift up for it, as for a gateway of your own:')
  print(
    `  hookdrift init --url ${reachable(service.url)} --key-from-env DEMO_KEY --organisation ${fleet.organisationId} --projects all`,
  )
  ready(demoConfiguration(reachable(service.url), fleet))
  try {
    for (const edit of afternoon) {
      await clock.sleep(paceMs, signal)
      edit.apply()
      print(`A colleague ${edit.description} (${edit.project}).`)
    }
    if (changes) print('All edits are made: nothing changes from here on.')
    while (!signal.aborted) await clock.sleep(paceMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The simulated fleet uses example.com, which a recommended rule would report for every endpoint. */
const demoPolicy = 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n'

/** Writes `hookdrift.yaml` for all projects of a simulated service at a URL; the key comes from `DEMO_KEY`. */
function demoConfiguration(url: string, fleet: SimulatedFleet): string {
  const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }`)
  return `policy: ./policy.yaml
services:
  - name: demo
    url: ${url}
    key: \${DEMO_KEY}
    projects:
${projects.join('\n')}
`
}

interface DemoServiceOptions {
  readonly address: ListenAddress
  readonly fleet: SimulatedFleet
  /** Whether the simulated colleague makes edits. */
  readonly changes: boolean
  readonly clock: Clock
  /** Called once, when the service answers, with the configuration for it. */
  readonly ready: (configuration: string) => void
  /** Called with one line for each thing that happens. */
  readonly print: (text: string) => void
}

/** Between two edits of the colleague: long enough for a worker's run on every minute to show them one by one. */
const paceMs = 60_000

async function start(fleet: SimulatedFleet, { host, port }: ListenAddress): Promise<SimulatedService> {
  try {
    return await startSimulatedService(fleet, { host, port, keepsRequests: false })
  } catch (error) {
    throw AuditError.failure(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, {
      advice: 'use a free port and an address of this machine',
      cause: error,
    })
  }
}

/** A service that listens on every address is reached on the loopback one. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
