import { configuredPaths } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import { type CheckName, type CheckRow, contain, type Diagnosis, diagnosesOf, skipped } from './check.ts'
import { checkChannels } from './check-channels.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkHistory } from './check-history.ts'
import { checkNode } from './check-node.ts'
import { checkPolicy } from './check-policy.ts'
import { checkSchedules } from './check-schedules.ts'
import { checkSealKey } from './check-seal-key.ts'
import type { DoctorContext } from './context.ts'
import { checkService } from './service/check-service.ts'

const unread = [skipped('the configuration cannot be read')]

/** Runs every check, in the order in which they are shown. It changes nothing, and sends nothing to people. */
export async function runChecks(context: DoctorContext, terminal: ProcessContext): Promise<readonly CheckRow[]> {
  const { nodeVersion, toolVersion, clock, shown, config, sources } = context
  const { env } = sources
  const { diagnoses, examined } = checkConfiguration(context)
  const parts = examined?.parts
  const paths = await findPaths(context, terminal, parts)
  const { policy, tests } =
    paths.policy === 'unknown' ? { policy: unread, tests: unread } : await checkPolicy(paths.policy, clock.now(), shown)
  const { history, sealKey } = await checkKept(paths.history, env, shown)
  const services = await Promise.all(
    (parts?.services ?? []).map((service) => checkService({ ...context, service, env, file: shown(config) })),
  )
  const isCut = (member: string) => examined?.isCut(member) ?? false
  const channels = parts && (await contain(correctChannels, () => checkChannels(parts.notify, env, isCut('notify'))))
  const schedules =
    parts &&
    (await contain(correctSchedules, async () => checkSchedules(parts.schedules, clock.now(), isCut('schedules'))))
  return [
    ...rows('node', checkNode(nodeVersion, toolVersion)),
    ...rows('configuration', diagnoses),
    ...rows('policy', policy),
    ...rows('policy-tests', tests),
    ...rows('history', history),
    ...rows('seal-key', sealKey),
    ...services.flat(),
    ...rows('channel', channels ?? unread),
    ...rows('schedule', schedules ?? unread),
  ]
}

function rows(check: CheckName, diagnoses: readonly Diagnosis[]): readonly CheckRow[] {
  return diagnoses.map((diagnosis) => ({ check, service: null, ...diagnosis }))
}

const correctChannels = 'Correct `notify` in the configuration.'
const correctSchedules = 'Correct `schedules` in the configuration.'
const nameHistory = 'Correct `history` in the configuration, HOOKDRIFT_HISTORY or --history.'
const giveKey = 'Put the installation key back, or make one: `openssl rand -hex 32`, as HOOKDRIFT_SEAL_KEY.'

interface FoundPaths {
  /** undefined where none is configured. */
  readonly policy: string | undefined | 'unknown'
  readonly history: HistoryLocation | readonly Diagnosis[]
}

/** Where the policy and the history are, also where much of the configuration is wrong. */
async function findPaths(
  { config, history, cwd, sources }: DoctorContext,
  terminal: ProcessContext,
  parts: { readonly policy: string | undefined; readonly findHistory: () => HistoryLocation } | undefined,
): Promise<FoundPaths> {
  const named = history ?? (sources.env.HOOKDRIFT_HISTORY || undefined)
  const paths = parts === undefined ? await configuredPaths(config, terminal).catch(() => undefined) : undefined
  const policy = parts === undefined && paths === undefined ? 'unknown' : (parts ?? paths)?.policy
  try {
    if (parts !== undefined) return { policy, history: parts.findHistory() }
    if (named !== undefined) return { policy, history: readLocation(named, cwd) }
    return { policy, history: paths?.history ?? unread }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { policy, history: diagnosesOf(error, nameHistory) }
  }
}

async function checkKept(
  place: FoundPaths['history'],
  env: DoctorContext['sources']['env'],
  shown: (path: string) => string,
): Promise<{ readonly history: readonly Diagnosis[]; readonly sealKey: readonly Diagnosis[] }> {
  if (!('kind' in place)) return { history: place, sealKey: [skipped('its place is that of the history')] }
  const { diagnoses, examination } = await checkHistory(place, env, shown)
  const sealKey = await contain(giveKey, async () => checkSealKey(place, env, examination?.content, shown))
  return { history: diagnoses, sealKey }
}
