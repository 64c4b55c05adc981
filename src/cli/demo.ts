import { accessSync, constants } from 'node:fs'
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
import { type SimulatedService, startSimulatedService } from '../demo/simulated-service.ts'
import { readLocation } from '../history/location.ts'
import { makeDirectories } from '../history/make-directories.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import type { Clock } from '../model/time.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { locatingOptions, type NamedHistory, shellWord } from '../report/text/commands.ts'
import { text } from '../report/text.ts'
import type { Suggestion } from '../report/what-next.ts'
import {
  clearKeptDemo,
  demoConfiguration,
  demoFleet,
  type KeptDemo,
  layOut,
  moveKeptDemo,
  readKeptDemo,
  servingCommand,
} from './demo-directory.ts'
import { locatingOf, usualConfiguration } from './query-options.ts'

interface DemoOptions {
  readonly seed?: string
  /** Undefined without the option, false with `--no-keep`. */
  readonly keep?: string | false
  readonly history?: string
  /** true without an address. */
  readonly serve?: string | true
  readonly changes: boolean
}

const usualAddress = '127.0.0.1:8080'
const usualDirectory = 'hookdrift-demo'
const usualSeed = 'hookdrift'

export function defineDemo(command: Command) {
  command
    .option(
      '--keep <directory>',
      `keep configuration, policy and history in this directory (default: ${usualDirectory}); with --serve: serve the gateway of the demo that is kept there`,
    )
    .option('--no-keep', 'leave no file behind')
    .option(
      '--serve [address]',
      `only serve the simulated service, until stopped: port, or address and port such as 0.0.0.0:8080 (default: ${usualAddress})`,
    )
    .option('--no-changes', 'with --serve: simulate no changes')
    .option('--seed <text>', `seed of the simulated fleet; each seed makes another one (default: "${usualSeed}")`)
    .option('--history <file>', 'keep the history in a new file, or in an empty database at postgres://…')
  return async (options: DemoOptions, terminal: ProcessContext) => {
    refuseUnclear(options)
    return options.serve === undefined ? demo(options, terminal) : serve(options.serve, options, terminal)
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
async function serve(given: string | true, options: DemoOptions, terminal: ProcessContext): Promise<number> {
  const usual = demoAddress(given === true ? usualAddress : given)
  const directory = options.keep ? { path: resolve(terminal.cwd(), options.keep), named: options.keep } : undefined
  const kept = directory === undefined ? undefined : readKeptDemo(directory.path, directory.named)
  const seed = seedOf(options, kept)
  const fleet = demoFleet(seed)
  if (kept?.isChanged) for (const edit of afternoonOf(fleet)) edit.apply()
  const print = (text: string) => terminal.stderr.write(`${text}\n`)
  const request = {
    address: given === true && kept !== undefined ? demoAddress(kept.url.replace(/^http:\/\//, '')) : usual,
    fleet,
    changes: options.changes && !kept?.isChanged,
    clock: systemClock,
    print,
    ready(url: string) {
      if (directory === undefined) {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
        terminal.stdout.write(demoConfiguration({ url }, fleet, '${DEMO_KEY}'))
        return
      }
      if (kept === undefined) layOut(directory.path, { seed, isChanged: false, url }, fleet)
      else if (kept.url !== url) moveKeptDemo(directory.path, kept.url, url)
      print(
        `Audit it: hookdrift audit${locatingOptions('audit', locatingIn(directory.named, terminal, kept?.history))}`,
      )
      terminal.stdout.write(readTextFile(join(directory.path, usualConfiguration)))
    },
  }
  const { exitCode } = await untilSignalled((signal) => serveDemo(request, signal))
  return exitCode ?? exitCodes.clean
}

/** @throws AuditError.usage when it is not the one of the kept demo, whose history is of that gateway */
function seedOf({ seed }: DemoOptions, kept: KeptDemo | undefined): string {
  if (kept === undefined || seed === undefined || seed === kept.seed) return seed ?? kept?.seed ?? usualSeed
  throw AuditError.usage(`--seed ${seed}: the demo that is kept there has the seed "${kept.seed}"`, {
    advice: 'leave --seed out, or name another directory with --keep',
  })
}

/** Only the service is simulated: configuration, client, history and report are those of `audit`. */
async function demo(options: DemoOptions, terminal: ProcessContext): Promise<number> {
  const { seed = usualSeed, history } = options
  const fleet = demoFleet(seed)
  const afternoon = afternoonOf(fleet)
  if (history !== undefined) await refuseUsed(history, terminal)
  using place = openPlace(options, terminal)
  const print = (text: string) => terminal.stdout.write(text)
  await using service = await startSimulatedService(fleet)
  const kept: KeptDemo = {
    seed,
    isChanged: true,
    url: `http://${usualAddress}`,
    ...(history === undefined ? {} : { history: configuredHistory(history, terminal) }),
  }
  const file = layOut(place.path, kept, fleet)
  // Another process may listen on the usual address, so the demo itself uses any free port.
  const readFile = (path: string, mostBytes?: number) => {
    const text = readTextFile(path, mostBytes)
    return path === file ? text.replace(kept.url, service.url) : text
  }
  const audit = () => untilSignalled((signal) => auditOnce({ file, history, readFile }, terminal, signal))

  print(`A simulated webhook service listens on ${service.url}. Its fleet is made from the seed "${seed}".\n`)
  print(`${place.about}\n\n`)
  const first = await audit()
  if (first.exitCode !== undefined) return first.exitCode
  print(`First audit: ${first.result.verdict.text}\nThe next audit compares with it. Now a colleague\n\n`)
  for (const edit of afternoon) {
    edit.apply()
    print(`  - ${edit.description} (${edit.project})\n`)
  }
  const second = await audit()
  if (second.exitCode !== undefined) return second.exitCode
  const { exit_code } = second.result.verdict
  const where = place.named === undefined ? '' : `In ${place.named}, `
  print(`\nSecond audit. ${where}\`hookdrift audit\` would have exited with ${exit_code}, and printed:\n\n`)
  print(text(second.result, { ...renderOptionsFor(terminal), full: false, ...commandsIn(place, kept, terminal) }))
  return exitCodes.clean
}

/** How the report names commands: as an audit does that runs in the directory of the demo. */
function commandsIn({ named }: DemoPlace, { history }: KeptDemo, terminal: ProcessContext) {
  const tutorial = { command: 'hookdrift docs tutorial', why: 'the page to read first' }
  const init = (where = '') => ({ command: `hookdrift init${where}`, why: 'begins with your own gateway' })
  if (named === undefined) {
    const locating = history === undefined ? null : locatingOf({ history })
    return { locating, next: (steps: readonly Suggestion[]) => [...steps, tutorial, init()] }
  }
  const isHere = resolve(terminal.cwd(), named) === resolve(terminal.cwd())
  const change = { command: `cd ${shellWord(named)}`, why: 'where the commands below work' }
  const serving = { command: servingCommand('.'), why: 'starts its gateway again' }
  return {
    locating: locatingIn('.', terminal, history),
    next: (steps: readonly Suggestion[]) => [
      ...(isHere ? [] : [change]),
      ...steps,
      serving,
      tutorial,
      init(' --directory DIRECTORY'),
    ],
  }
}

/** How commands find what is kept in a directory, in spite of the variables that come before it. */
function locatingIn(directory: string, { env }: ProcessContext, history?: string): NamedHistory {
  const config = locatingOf({ config: join(directory, usualConfiguration) }, env.HOOKDRIFT_CONFIG || usualConfiguration)
  if (!env.HOOKDRIFT_HISTORY) return config
  return { ...config, ...locatingOf({ history: history ?? join(directory, 'hookdrift.db') }) }
}

interface DemoPlace extends Disposable {
  readonly path: string
  /** As the user calls it; undefined where nothing is kept. */
  readonly named?: string
  /** What becomes of the files, as a line for people. */
  readonly about: string
}

/** Where the files of the demo are: in a directory that is kept, or in one that is removed at the end. */
function openPlace({ keep: chosen, history }: DemoOptions, { cwd }: ProcessContext): DemoPlace {
  if (chosen === false) return openTemporary('', history)
  const keep = chosen ?? usualDirectory
  const path = resolve(cwd(), keep)
  const reason = chosen === undefined ? whyNotMade(path) : undefined
  if (reason !== undefined) {
    return openTemporary(` The directory ${keep} cannot be made: ${reason}. Name another one with --keep.`, history)
  }
  const isAgain = clearKeptDemo(path, keep)
  const removed = shellWord(path === resolve(cwd()) ? path : keep)
  const about = `Configuration, policy and history are kept in ${keep}${isAgain ? ', in place of an earlier demo' : ''}; \`rm -r ${removed}\` removes them.`
  return { path, named: keep, about, [Symbol.dispose]() {} }
}

/** Where no directory was chosen, a demo runs without one. */
function whyNotMade(path: string): string | undefined {
  try {
    makeDirectories(path, 0o700)
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function openTemporary(reason: string, history: string | undefined): DemoPlace {
  const kept =
    history === undefined ? 'Nothing is kept: the commands below have no history to read' : 'Only the history is kept'
  const { path, [Symbol.dispose]: dispose } = openPrivateDirectory('hookdrift-demo-')
  return { path, about: `${kept}.${reason}`, [Symbol.dispose]: dispose }
}

/** A history that is not next to the configuration, as that names it. A password is given in the environment. */
function configuredHistory(history: string, { cwd }: ProcessContext): string {
  const location = readLocation(history, cwd())
  return location.kind === 'file' ? location.path : withoutPassword(history)
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

async function auditOnce(
  {
    file,
    history,
    readFile,
  }: {
    /** The configuration. */
    readonly file: string
    /** `--history` */
    readonly history: string | undefined
    readonly readFile: (path: string, mostBytes?: number) => string
  },
  terminal: ProcessContext,
  signal: AbortSignal,
): Promise<Report> {
  const env = { ...terminal.env, HOOKDRIFT_HISTORY: undefined }
  const options = { history, cwd: terminal.cwd() }
  const configuration = readConfiguration(file, { env, readFile }, options)
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
  ready(reachable(service.url))
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

interface DemoServiceOptions {
  readonly address: ListenAddress
  readonly fleet: SimulatedFleet
  /** Whether the simulated colleague makes edits. */
  readonly changes: boolean
  readonly clock: Clock
  /** Called once, when the service answers, with its URL. */
  readonly ready: (url: string) => void
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
