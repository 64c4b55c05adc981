import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { untilSignalled } from '../app/end-in-order.ts'
import { loadPolicy } from '../app/load-policy.ts'
import { chooseProjects, openServices } from '../app/open-projects.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { withProgress } from '../app/watch-run.ts'
import { discoverProjects } from '../audit/discover-projects.ts'
import {
  type ManualProbeRun,
  runFunctionText,
  runProbesManually,
  type UnreadProject,
} from '../audit/probes/run-manually.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import { createSealer } from '../gateway/inventory/sealer.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { projectListOf } from '../model/resource.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import type { Probe } from '../policy/probe.ts'
import { readPayload } from '../policy/read-probes.ts'
import { answerProbes, probesView } from '../questions/answer-probes.ts'
import { uidOrName } from '../questions/question.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addProjectOption, limitOf, usualConfiguration } from './query-options.ts'

interface ProbeOptions extends AnswerOptions {
  readonly config: string
  readonly project: readonly string[]
  readonly source?: string
  readonly function?: string
  readonly payload?: string
  readonly type?: string
}

export function defineProbe(command: Command) {
  command
    .argument('[name]', 'a probe of the policy')
    .option('-c, --config <file>', 'configuration file', usualConfiguration)
  addAnswerOptions(addProjectOption(command))
    .option('--source <uid>', `the source whose function runs: ${uidOrName}`)
    .option('--function <file>', "run this code instead of the service's function, in one project")
    .option('--payload <file>', 'JSON file to pass to the function, instead of a probe of the policy')
    .option(
      '--type <type>',
      "the service's type of function: body (default), header, …; with --source, it also selects the function",
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 every probe met its expectation, 1 one failed or did not, 2 usage, 3 one could not run.`,
    )

  return probe
}

async function probe(options: ProbeOptions, terminal: ProcessContext, name: string | undefined): Promise<number> {
  const now = systemClock.now()
  const sources = { env: terminal.env, readFile: readTextFile }
  const configuration = readConfiguration(options.config, sources, { usesChannels: false })
  const ofPolicy = async () => (await loadPolicy(configuration.policy, { now })).probes
  const probes = await chooseProbes(name, options, terminal, ofPolicy)
  const text = options.function === undefined ? undefined : readGiven('function', options.function, terminal)
  const { services, close } = openServices(configuration, options.project, { terminal, patience: 'short' })
  try {
    // Nothing is stored, so these seals are never compared: a key for this one run is enough.
    const sealer = createSealer(randomBytes(32), configuration.secrets)
    const probeAll = async (signal: AbortSignal) => {
      const discovery = await discoverProjects(services, { history: undefined, sealer, clock: systemClock, signal })
      const unread = discovery.lists.flatMap(({ service, coverage: { reason } }): UnreadProject[] =>
        reason === null ? [] : [{ project: projectListOf(service).name, reason }],
      )
      const projects = chooseProjects(discovery.projects, options.project, { isWhole: unread.length === 0 })
      const manual = { projects, probes, source: options.source, sealer, now, signal }
      if (text === undefined) {
        const { runs, unlisted } = await runProbesManually(manual)
        return { runs, unlisted: [...unread, ...unlisted] }
      }
      // Where no list was read, it is not known whether the text has a project to run in.
      if (projects.length === 0 && unread.length > 0) return { runs: [], unlisted: unread }
      const project = onlyOne(projects, 'project', ({ ref }) => ref.name, 'choose one with --project NAME')
      const probe = onlyOne(probes, 'probe', ({ name }) => name, 'name one of them')
      const runs: ManualProbeRun[] = [
        {
          project,
          probe,
          target: undefined,
          functionText: text,
          result: await runFunctionText(project, probe, text, manual),
        },
      ]
      return { runs, unlisted: [] }
    }
    const { result, exitCode } = await withProgress(terminal, 'running probes', () => untilSignalled(probeAll))
    refuseNothing(result, name, options)
    await printAnswer(answerProbes(result, sealer, limitOf(options)), probesView, options.format, terminal)
    return exitCode ?? exitCodeOf(result)
  } finally {
    await close()
  }
}

/** Chooses probes of the policy, or makes one from the command line. */
async function chooseProbes(
  name: string | undefined,
  options: ProbeOptions,
  terminal: ProcessContext,
  ofPolicy: () => Promise<readonly Probe[]>,
): Promise<readonly Probe[]> {
  const { source, payload, type } = options
  if (source !== undefined && options.function !== undefined) {
    throw AuditError.usage("--source runs the service's function and --function your own: use one of them")
  }
  if (payload !== undefined) {
    if (name !== undefined)
      throw AuditError.usage('a probe of the policy has its own payload: remove --payload or the name of the probe')
    if (source === undefined && options.function === undefined) {
      throw AuditError.usage('--payload needs a function: --source UID, or --function FILE')
    }
    return [probeOf(await readGivenPayload(payload, terminal), type)]
  }
  if (source === undefined && name === undefined && options.function !== undefined) {
    throw AuditError.usage('--function needs a payload: --payload FILE, or the name of a probe')
  }
  const all = await ofPolicy()
  const names = all.map((probe) => probe.name)
  if (name !== undefined && !names.includes(name)) {
    throw AuditError.usage(`the policy has no probe "${name}"${suggestName(name, names)}`, {
      advice: names.length === 0 ? '`hookdrift docs policy#probes` shows one' : `probes: ${names.join(', ')}`,
    })
  }
  if (all.length === 0) {
    throw AuditError.usage('the policy has no probes', {
      advice: 'name a function and a payload: --source UID or --function FILE, and --payload FILE',
    })
  }
  return all
    .filter((probe) => name === undefined || probe.name === name)
    .map((probe) => ({
      ...probe,
      type: type ?? probe.type,
      matches: source === undefined ? probe.matches : both(probe.matches, ofAnySource),
    }))
}

function probeOf(payload: JsonObject, type = 'body'): Probe {
  return {
    name: '',
    function: type === 'header' ? 'header' : 'body',
    functionText: undefined,
    payload,
    type,
    expectation: undefined,
    said: null,
    matches: ofAnySource,
  }
}

const ofAnySource: Probe['matches'] = (_project, _labels, { kind }) => kind === 'source'

function both(one: Probe['matches'], other: Probe['matches']): Probe['matches'] {
  return (project, labels, resource) => one(project, labels, resource) && other(project, labels, resource)
}

async function readGivenPayload(file: string, terminal: ProcessContext): Promise<JsonObject> {
  const read = readPayload(readGiven('payload', file, terminal))
  if ('payload' in read) return read.payload
  throw AuditError.usage(`${file} ${read.fault}`)
}

function readGiven(what: string, file: string, { cwd }: ProcessContext): string {
  try {
    return readTextFile(resolve(cwd(), file))
  } catch (error) {
    throw AuditError.usage(`cannot read the ${what} ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

function onlyOne<T>(things: readonly T[], what: string, nameOf: (thing: T) => string, advice: string): T {
  const [first, ...others] = things
  if (first !== undefined && others.length === 0) return first
  const howMany = things.length === 0 ? `no ${what}` : `more than one ${what}: ${things.map(nameOf).join(', ')}`
  throw AuditError.usage(`--function runs in one project with one payload, and there is ${howMany}`, { advice })
}

interface Result {
  readonly runs: readonly ManualProbeRun[]
  readonly unlisted: readonly UnreadProject[]
}

function refuseNothing({ runs, unlisted }: Result, name: string | undefined, { source }: ProbeOptions): void {
  if (runs.length > 0 || unlisted.length > 0) return
  const what = describeNoMatch(name, source)
  throw AuditError.usage(`${what} in the searched projects`, {
    advice: 'correct `match` in the policy, or choose projects with --project; --type header means the header function',
  })
}

function describeNoMatch(name: string | undefined, source: string | undefined): string {
  if (source !== undefined) return `found no function of source ${source}`
  return name === undefined ? 'no function matches the probes' : `no function matches the probe ${name}`
}

function exitCodeOf({ runs, unlisted }: Result): number {
  if (unlisted.length > 0 || runs.some(({ result }) => result.outcome === 'unknown')) return exitCodes.incomplete
  const isBad = runs.some(
    ({ result }) => result.outcome === 'failed' || (result.outcome === 'ok' && result.complaint !== null),
  )
  return isBad ? exitCodes.violations : exitCodes.clean
}
