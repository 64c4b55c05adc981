import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeConfiguration } from '../../app/check-files.ts'
import { verificationOf } from '../../app/copy-database.ts'
import { findInstallationKey, refuseEmptyVariable } from '../../app/installation-key.ts'
import { type LoadOptions, loadPolicy, loadPolicyTests } from '../../app/load-policy.ts'
import { knownSecrets } from '../../app/locate-history.ts'
import { examineHistory } from '../../app/open-history.ts'
import type { ProcessContext } from '../../app/process-context.ts'
import { nextTimes } from '../../app/worker/next-times.ts'
import type { Channel, ExaminedConfiguration, Schedule } from '../../config/configuration.ts'
import { httpAddress, smtpServer } from '../../config/notify-schema.ts'
import { examineConfiguration } from '../../config/read-configuration.ts'
import { createSealer } from '../../gateway/inventory/sealer.ts'
import { networkFailure } from '../../gateway/service/network-failure.ts'
import { type ProxyVariables, proxyFor } from '../../gateway/service/proxy-for.ts'
import { type HostPort, hostPortOf, resolveHost, tryConnection } from '../../gateway/service/reach-host.ts'
import type { GoneChannel, HistoryContent, HistoryExamination } from '../../history/examination.ts'
import { describeMove, moveAdvice } from '../../history/lease-owner.ts'
import { type HistoryLocation, readLocation } from '../../history/location.ts'
import { isOnThisMachine } from '../../history/postgres-server.ts'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { count } from '../../model/text/count.ts'
import { type FileProblem, inOrder, problemLine } from '../../model/yaml/problem.ts'
import { describePolicySize, endedWaivers, type Policy, policySize } from '../../policy/policy.ts'
import { timetableFaultsAt } from '../../policy/timetable.ts'
import { answerPolicyTests } from '../../questions/answer-policy-tests.ts'
import { shellWord } from '../../report/text/commands.ts'
import { showTime } from '../../report/text/show-time.ts'
import {
  type CheckName,
  type CheckRow,
  contain,
  type Diagnosis,
  diagnosesOf,
  fail,
  ok,
  type Setup,
  shortAdvice,
  skipped,
  warn,
} from './check.ts'
import { checkService } from './check-service.ts'

const unread = [skipped('the configuration cannot be read')]

/** Runs every check, in the order in which they are shown. It changes nothing, and sends nothing to people. */
export async function runChecks(context: Setup, terminal: ProcessContext): Promise<readonly CheckRow[]> {
  const { nodeVersion, toolVersion, clock, showPath, config, sources } = context
  const { env } = sources
  const { diagnoses, examined } = checkConfiguration(context)
  const parts = examined?.parts
  const isCut = (member: string) => examined?.isCut(member) ?? false
  const paths = findPaths(context, parts, parts !== undefined && isCut('policy'))
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
function findPaths(
  { history, cwd, sources }: Setup,
  parts: { readonly policy: string | undefined; readonly findHistory: () => HistoryLocation } | undefined,
  isPolicyCut: boolean,
): {
  readonly policy: string | undefined | 'unknown'
  readonly history: HistoryLocation | readonly Diagnosis[]
} {
  const named = history ?? (sources.env.HOOKDRIFT_HISTORY || undefined)
  const policy = isPolicyCut || parts === undefined ? 'unknown' : parts.policy
  try {
    if (parts !== undefined) return { policy, history: parts.findHistory() }
    return { policy, history: named === undefined ? unread : readLocation(named, cwd) }
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

/**
 * Reports each mistake of the configuration, and hands on what is right in it. `examined`: as far as it can be read;
 * undefined where it cannot.
 */
function checkConfiguration({ config, history, sources, cwd, clock, showPath }: Setup): {
  readonly diagnoses: readonly Diagnosis[]
  readonly examined: ExaminedConfiguration | undefined
} {
  try {
    const findTimetableFault = timetableFaultsAt(clock.now())
    const examined = examineConfiguration(config, sources, { history, cwd, findTimetableFault })
    return { diagnoses: diagnosesIn(examined, showPath(config)), examined }
  } catch (error) {
    return { diagnoses: diagnosesOf(error, correctFile), examined: undefined }
  }
}

function diagnosesIn({ problems, parts }: ExaminedConfiguration, file: string): readonly Diagnosis[] {
  const shown = (problem: FileProblem) => problemLine(problem.column === 0 ? problem : { ...problem, file })
  const faults = inOrder(problems).map((problem) => fail(shown(problem), adviceOn(problem.text)))
  const warnings = inOrder(parts?.warnings ?? []).map((problem) => warn(shown(problem), heedWarning))
  if (faults.length > 0 || parts === undefined) return [...faults, ...warnings]
  return [ok(`${parts.file === undefined ? 'the environment' : file}: ${describeConfiguration(parts)}`), ...warnings]
}

const correctFile = 'Correct it there, and run `hookdrift doctor --offline`.'
/** Each warning is about a secret that more people can read than need it, and says what to use. */
const heedWarning = 'Change it there, and replace the secret: others may have read it.'

/** A mistake says itself what was expected; where a value is missing, the file is not what to correct. */
function adviceOn(text: string): string {
  const isEmpty = text.includes(' is empty once ')
  if (isEmpty && text.includes('${file:')) return 'Write the value into the file, where hookdrift runs.'
  const isMissing = isEmpty || text.includes('not set')
  return isMissing
    ? 'Set the variable where hookdrift runs; in CI, check that the secret of the job is set.'
    : correctFile
}

/** Reads the policy with all its mistakes, and runs its tests. `file`: undefined where none is configured. */
async function checkPolicy(
  file: string | undefined,
  loading: LoadOptions & { readonly now: number },
  showPath: (path: string) => string,
): Promise<{ readonly policy: readonly Diagnosis[]; readonly tests: readonly Diagnosis[] }> {
  let policy: Policy
  try {
    policy = await loadPolicy(file, loading)
  } catch (error) {
    return { policy: diagnosesOf(error, correctPolicy), tests: [skipped('the policy cannot be read')] }
  }
  const size = describePolicySize(policySize(policy))
  if (file === undefined) {
    return { policy: [ok(`none configured: the recommended pack with ${size}`)], tests: [skipped('no policy file')] }
  }
  return {
    policy: [
      ok(`${showPath(file)}: ${size}`),
      ...endedWaivers(policy, loading.now).map((line) => warn(line, removeWaiver)),
    ],
    tests: await contain(correctTests, () => runTests(file, policy)),
  }
}

async function runTests(file: string, policy: Policy): Promise<readonly Diagnosis[]> {
  const ids = policy.allRules.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  if (tests.length === 0) return [skipped('the policy has no tests')]
  const { rows } = answerPolicyTests(policy, tests)
  const failed = rows.filter((row) => !row.ok)
  if (failed.length === 0) return [ok(`${count(rows.length, 'test')} passed`)]
  const lines = failed.flatMap(({ problems }) => problems.map(problemLine))
  return lines.map((line) => fail(line, correctTests))
}

const removeWaiver = 'Remove it, or agree on a later end with its owner.'
const correctPolicy = 'Correct it there, and run `hookdrift policy check`.'
const correctTests = 'Correct the policy or the test: `hookdrift policy test` runs them.'

const waitMs = 5_000

const checkWay = 'Check the address of the channel, and the way to it from this machine.'

/** Checks that the receivers can be reached. It sends them nothing: `hookdrift notify --test` does. */
async function checkChannels(
  channels: readonly Channel[],
  {
    env,
    goneSince,
    isCut,
  }: {
    readonly env: ProxyVariables
    /** When the receiver of a channel answered that it is gone (ISO 8601, UTC). */
    readonly goneSince: ReadonlyMap<string, string>
    readonly isCut: boolean
  },
): Promise<readonly Diagnosis[]> {
  const diagnoses = await Promise.all(
    channels.map((channel) => {
      const goneAt = goneSince.get(channel.name)
      if (goneAt !== undefined) return [goneChannel(channel.name, goneAt)]
      return contain(checkWay, async () => [await checkChannel(channel, env)])
    }),
  )
  const cut = isCut ? [skipped('a channel has a mistake, or a secret is not set: see configuration')] : []
  if (channels.length === 0 && !isCut) return [skipped('none configured: an audit notifies nothing')]
  return [...diagnoses.flat(), ...cut]
}

function goneChannel(name: string, at: string): Diagnosis {
  return warn(
    `${name}: disabled, because its receiver answered 410 at ${showTime(at)}`,
    `Correct its address, and run \`hookdrift notify --test ${name}\`, which enables it again.`,
  )
}

/** URLs of channels are secrets: a message shows the host alone. */
async function checkChannel(channel: Channel, env: ProxyVariables): Promise<Diagnosis> {
  const { name } = channel
  if (channel.type === 'log') return ok(`${name}: writes to the log`)
  if (channel.type === 'directory') return checkDirectory(name, channel.path)
  const url = httpAddress(channel)?.url
  const target = url === undefined ? smtpServer('smtp' in channel ? channel.smtp : '') : hostPortOf(url)
  if (target === undefined) return skipped(`${name}: see configuration`)
  if (url !== undefined && proxyFor(new URL(url), env) !== undefined)
    return skipped(`${name}: ${target.host} is reached through a proxy; \`hookdrift notify --test ${name}\` tries it`)
  return checkReceiver(name, target)
}

async function checkReceiver(name: string, { host, port }: HostPort): Promise<Diagnosis> {
  const at = `${host}:${port}`
  try {
    await resolveHost(host)
    await tryConnection({ host, port }, waitMs)
    return ok(`${name}: ${at} accepts connections, its secrets are set; nothing was sent`)
  } catch (error) {
    return fail(`${name}: ${networkFailure(error).what}: ${at}`, checkWay)
  }
}

function checkDirectory(name: string, path: string): Diagnosis {
  let directory = path
  while (!existsSync(directory) && dirname(directory) !== directory) directory = dirname(directory)
  try {
    if (!statSync(directory).isDirectory()) throw new Error('it is not a directory')
    accessSync(directory, constants.W_OK)
    return ok(`${name}: ${path}${directory === path ? '' : ', made when the first report is written'}`)
  } catch (error) {
    return fail(
      `${name}: cannot write to ${directory}: ${reasonOf(error)}`,
      'Let this user write there, or change `path`.',
    )
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Below this, the next runs may not fit. */
const fewBytes = 256 * 1024 * 1024

/** Examines the history and its installation key, read-only: neither is made, and the history is not upgraded. */
async function checkHistory(
  location: HistoryLocation,
  env: Environment,
  showPath: (path: string) => string,
): Promise<{
  readonly history: readonly Diagnosis[]
  readonly sealKey: readonly Diagnosis[]
  readonly goneChannels: readonly GoneChannel[]
}> {
  const { diagnoses, examination } = await examine(location, env, showPath)
  const sealKey = await contain(giveKey, async () => checkSealKey(location, env, examination, showPath))
  return { history: diagnoses, sealKey, goneChannels: examination?.content?.goneChannels ?? [] }
}

const giveKey = 'Put the installation key back, or make one: `openssl rand -hex 32`, as HOOKDRIFT_SEAL_KEY.'

/** `examination`: undefined where the history cannot be used. */
async function examine(
  location: HistoryLocation,
  env: Environment,
  showPath: (path: string) => string,
): Promise<{ readonly diagnoses: readonly Diagnosis[]; readonly examination: HistoryExamination | undefined }> {
  try {
    const examination = await examineHistory(location, env, verificationOf('plain'))
    const name = location.kind === 'file' ? showPath(location.path) : location.displayName
    const diagnoses = [...troublesOf(examination, location), ...contentDiagnoses(examination, name)]
    return { diagnoses, examination }
  } catch (error) {
    return { diagnoses: diagnosesOf(error, openHistoryAdvice), examination: undefined }
  }
}

function* troublesOf(
  { exists, isWritable, isReadableByOthers, freeBytes, server, content }: HistoryExamination,
  location: HistoryLocation,
): Generator<Diagnosis> {
  const { displayName, kind } = location
  if (!isWritable) {
    const advice = kind === 'file' ? writableFile : writableDatabase
    yield fail(
      `${displayName} ${exists ? 'can be read only' : 'cannot be made'}: this user may not write there`,
      advice,
    )
  }
  if (content?.moved !== undefined) yield fail(describeMove(displayName, content.moved), shortAdvice(moveAdvice))
  if (kind === 'postgres' && server?.tls === undefined && !isOnThisMachine(location.server)) {
    yield warn(`the connection to ${displayName} is not encrypted`, 'Leave `sslmode` out of its URL.')
  }
  if (isReadableByOthers)
    yield warn(`${displayName} is readable by other users`, `Run \`chmod 600 ${shellWord(displayName)}\`.`)
  if (freeBytes !== undefined && freeBytes < fewBytes) {
    const advice = 'Free space, or remove old runs with `hookdrift prune --keep-within 90d`.'
    yield warn(`only ${showBytes(freeBytes)} are free at ${displayName}`, advice)
  }
}

const openHistoryAdvice = 'Check that this user can open the history: `hookdrift docs keep-the-history`.'

const writableFile = 'Let this user write to the file and its directory, or name a history elsewhere with --history.'

const writableDatabase = 'Let the login own the database, and name the primary server: `hookdrift docs many-machines`.'

function contentDiagnoses(
  { content, freeBytes, isLocal, server }: HistoryExamination,
  file: string,
): readonly Diagnosis[] {
  const on = server === undefined ? '' : `, ${server.version}, ${server.tls ?? 'no TLS'}`
  const free = freeBytes === undefined ? '' : `, ${showBytes(freeBytes)} free`
  if (content === undefined) return [ok(`none yet: the first audit makes ${file}${free}${on}`)]
  const { verification, bytes, committedRuns } = content
  if (verification === undefined) return [schemaDiagnosis(content, file, server !== undefined)]
  if (verification.ok) {
    const disk = isLocal ? ', local disk' : ''
    return [ok(`${file}: ${showBytes(bytes)}, ${count(committedRuns, 'run')}, intact${disk}${free}${on}`)]
  }
  const advice = 'Keep a copy of it and restore the last backup that verifies: `hookdrift docs keep-the-history`.'
  const failed = verification.checks.filter((check) => check.ok === false)
  return failed.map(({ detail }) => fail(`${file} does not verify: ${detail}`, advice))
}

function schemaDiagnosis({ schema, knownSchema }: HistoryContent, file: string, isOnServer: boolean): Diagnosis {
  const text = `${file} has schema ${schema}, this hookdrift writes schema ${knownSchema}`
  if (schema > knownSchema) return fail(text, 'Use the newer hookdrift that wrote it.')
  if (isOnServer) return fail(text, 'Take a dump, then run `hookdrift history upgrade --yes`.')
  return warn(text, 'The next audit upgrades it, after a backup.')
}

const keepCopy = 'Keep a copy of the key elsewhere: with another key, secrets that change meanwhile go undetected.'

/**
 * Says where the installation key comes from, and whether it is the one of the last run. Makes no key.
 * @throws AuditError when there is a key that cannot be used, or an empty variable where a key would be made
 */
function checkSealKey(
  location: HistoryLocation,
  env: Environment,
  examination: HistoryExamination | undefined,
  showPath: (path: string) => string,
): readonly Diagnosis[] {
  const content = examination?.content
  const installationKey = findInstallationKey(location, env)
  const [path, file] = location.kind === 'file' ? [location.keyFile, showPath(location.keyFile)] : ['', '']
  if (installationKey === undefined) {
    refuseEmptyVariable(file, env)
    const isRead = examination !== undefined && (content === undefined || content.verification !== undefined)
    if (!isRead) return [skipped(`${file} is not there, and it is not known whether a run had it: see history`)]
    if (content?.sealKeyId === undefined) return [ok(`none yet: the first audit makes ${file}`)]
    return [warn(`${file} is missing: the next audit makes a new key`, restoreKey)]
  }
  const { key, warning } = installationKey
  const diagnoses: Diagnosis[] = warning === undefined ? [] : [warn(warning, `Run \`chmod 600 ${shellWord(path)}\`.`)]
  const keyId = createSealer(key).keyId
  if (content?.sealKeyId !== undefined && content.sealKeyId !== keyId) {
    return [...diagnoses, warn(`${sourceOf(location, env, file)}, which is not the key of the last run`, restoreKey)]
  }
  return [...diagnoses, ok(sourceOf(location, env, file), keepCopy)]
}

const restoreKey = 'Put the former key back; without it, secrets that changed since the last run go undetected once.'

function sourceOf({ sealKey }: HistoryLocation, env: Environment, file: string): string {
  if (env.HOOKDRIFT_SEAL_KEY) return 'the variable HOOKDRIFT_SEAL_KEY'
  return sealKey === undefined ? `the file ${file}` : '`seal_key` of the configuration'
}

const byteUnits = ['KB', 'MB', 'GB', 'TB']

/** `950 B`, `1.2 MB`, `41 GB`. */
function showBytes(bytes: number): string {
  let size = bytes
  let unit = 'B'
  for (const next of byteUnits) {
    if (size < 1000) break
    size /= 1000
    unit = next
  }
  return `${size < 10 && unit !== 'B' ? size.toFixed(1) : Math.round(size)} ${unit}`
}
