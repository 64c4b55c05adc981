import { configuredPaths, knownSecrets } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { Schedule } from '../config/configuration.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import { nextTimes } from '../worker/next-times.ts'
import {
  type CheckName,
  type CheckRow,
  contain,
  type Diagnosis,
  diagnosesOf,
  ok,
  type Setup,
  skipped,
} from './check.ts'
import { checkChannels } from './check-channels.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkHistory } from './check-history.ts'
import { checkPolicy } from './check-policy.ts'
import { checkService } from './check-service.ts'

const unread = [skipped('the configuration cannot be read')]

/** Runs every check, in the order in which they are shown. It changes nothing, and sends nothing to people. */
export async function runChecks(context: Setup, terminal: ProcessContext): Promise<readonly CheckRow[]> {
  const { nodeVersion, toolVersion, clock, showPath, config, sources } = context
  const { env } = sources
  const { diagnoses, examined } = checkConfiguration(context)
  const parts = examined?.parts
  const isCut = (member: string) => examined?.isCut(member) ?? false
  const paths = await findPaths(context, terminal, parts, parts !== undefined && isCut('policy'))
  const { policy, tests } =
    paths.policy === 'unknown'
      ? { policy: unread, tests: unread }
      : await checkPolicy(
          paths.policy,
          { now: clock.now(), secrets: await knownSecrets({ config }, terminal) },
          showPath,
        )
  const { history, sealKey, goneChannels } =
    'kind' in paths.history
      ? await checkHistory(paths.history, env, showPath)
      : { history: paths.history, sealKey: [skipped('its place is that of the history')], goneChannels: [] }
  const file = parts?.file === undefined ? undefined : showPath(config)
  const services = await Promise.all(
    (parts?.services ?? []).map((service) => checkService({ ...context, service, env, file })),
  )
  const isGone = new Map(goneChannels.map(({ name, at }) => [name, at]))
  const channels =
    parts &&
    (await contain(correctChannels, () =>
      checkChannels(parts.notify, { env, goneSince: isGone, isCut: isCut('notify') }),
    ))
  const schedules =
    parts &&
    (await contain(correctSchedules, async () => checkSchedules(parts.schedules, clock.now(), isCut('schedules'))))
  return [
    // The program's entry refuses older releases of Node before it loads anything.
    ...rows('node', [ok(`Node ${nodeVersion}, hookdrift ${toolVersion}`)]),
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

/**
 * Where the policy and the history are, also where much of the configuration is wrong. `isPolicyCut`: whether the policy
 * was left out as faulty. `policy`: undefined where none is configured.
 */
async function findPaths(
  { config, history, cwd, sources }: Setup,
  terminal: ProcessContext,
  parts: { readonly policy: string | undefined; readonly findHistory: () => HistoryLocation } | undefined,
  isPolicyCut: boolean,
): Promise<{
  readonly policy: string | undefined | 'unknown'
  readonly history: HistoryLocation | readonly Diagnosis[]
}> {
  const named = history ?? (sources.env.HOOKDRIFT_HISTORY || undefined)
  const paths = parts === undefined ? await configuredPaths(config, terminal).catch(() => undefined) : undefined
  const policy = isPolicyCut || (parts ?? paths) === undefined ? 'unknown' : (parts ?? paths)?.policy
  try {
    if (parts !== undefined) return { policy, history: parts.findHistory() }
    if (named !== undefined) return { policy, history: readLocation(named, cwd) }
    return { policy, history: paths?.history ?? unread }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { policy, history: diagnosesOf(error, nameHistory) }
  }
}

/** The next time of each schedule. `isCut`: whether a schedule was left out as faulty. */
function checkSchedules(schedules: readonly Schedule[], now: number, isCut: boolean): readonly Diagnosis[] {
  const faultOf = timetableFaultsAt(now)
  const sound = schedules.filter((schedule) => faultOf(schedule) === undefined)
  const next = sound.map((schedule) => {
    const [time] = nextTimes([schedule], now, 1)
    return ok(`${schedule.name}, next ${time?.local ?? 'never'} (${schedule.timezone})`)
  })
  if (isCut || sound.length < schedules.length) return [...next, skipped('a schedule has a mistake: see configuration')]
  return next.length === 0 ? [skipped('none configured: audits run when they are started')] : next
}
