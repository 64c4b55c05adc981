import { randomBytes } from 'node:crypto'
import { accessSync, constants, lstatSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { openExistingHistory } from '../../app/open-history.ts'
import { type AuditRequest, performAudit } from '../../app/perform-audit.ts'
import { openPrivateDirectory } from '../../app/private-directory.ts'
import type { ProcessContext } from '../../app/process-context.ts'
import { readTextFile } from '../../app/read-text-file.ts'
import { readConfiguration } from '../../config/read-configuration.ts'
import type { HistoryLocation } from '../../history/location.ts'
import { findLastRun } from '../../history/sql/runs.ts'
import { AuditError, reasonOf } from '../../model/errors.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { count, countEach } from '../../model/text/count.ts'
import { dayMs } from '../../model/time.ts'
import { isOpen, severities, totalOf } from '../../model/violation.ts'
import { readPolicy } from '../../policy/read-policy.ts'
import { draftWaivers, type WaiverDraft } from '../../questions/draft-waivers.ts'
import { shellWord } from '../../report/text/commands.ts'
import { chooseService, type InitSession } from './choose-service.ts'
import { explainIncomplete } from './find-projects.ts'
import {
  type Answers,
  askAcceptance,
  askStrictness,
  askTarget,
  type ChosenService,
  refuseMissing,
} from './interview.ts'
import { checkFiles, type Plan, type PlannedFile, pathsOf, planFiles } from './plan-files.ts'
import { isLoopbackUrl, type Say } from './reach-service.ts'

/**
 * Sets hookdrift up: finds the service and its projects, scans once, and writes all files of a target.
 * @throws AuditError.usage when an answer is missing or wrong, or a file cannot be written: then none is
 * @throws AuditError.incomplete when the service does not answer as it must
 * @throws Stop when a person or a signal ends it
 */
export async function runInit(context: InitSession): Promise<void> {
  const { given, asker, directory, terminal, say, clock, signal } = context
  if (asker === undefined) refuseMissing(given, terminal.env)
  const target = await askTarget(given, asker)
  refuseExisting(directory, pathsOf(target, context))
  const { service, keyVariable, key } = await chooseService(context)
  const strictness = await askStrictness(given, asker)
  const answers = { service, keyVariable, strictness, target }
  say('text', 'One trial scan; nothing of it is kept, and no channel is notified:')
  const waivers = await scanOnce(answers, { ...context, key }, (scanning) => acceptOpen(scanning, context))
  const plan = planFiles({ ...answers, waivers }, context)
  checkFiles(plan, { directory, keyVariable, now: clock.now() })
  signal.throwIfAborted()
  writeFiles(directory, plan.files)
  describePlan(plan, service, context)
}

const acceptedDays = 60

/** Describes what the scan found, and drafts waivers for it where a person answers for them. */
async function acceptOpen(
  { report, draft }: TrialScan,
  { given, asker, say, clock }: InitSession,
): Promise<string | undefined> {
  for (const [how, line] of describeScan(report)) say(how, line)
  const open = report.violations.filter(isOpen).length
  const until = new Date(clock.now() + acceptedDays * dayMs).toISOString().slice(0, 10)
  const owner = await askAcceptance(given, { open, until, asker })
  if (owner === undefined) return undefined
  const { yaml, accepted } = await draft({ owner, expires: until })
  const are = accepted === 1 ? 'is' : 'are'
  say(
    'good',
    `${accepted} of ${count(open, 'open violation')} ${are} accepted until ${until}: review the waivers in the policy`,
  )
  return yaml
}

function describePlan(
  { files, next, machine }: Plan,
  { url }: ChosenService,
  { say, directory, terminal }: InitSession,
): void {
  const isForMachines = (path: string) => path.includes('.schemas/') || path.endsWith('/.gitignore')
  const paths = files.map(({ path }) => path).filter((path) => !isForMachines(path))
  say('good', `wrote ${paths.join(', ')}, and .schemas/ for editors`)
  if (machine !== undefined && isLoopbackUrl(url))
    say('note', `in ${machine}, ${new URL(url).hostname} is that machine itself: correct \`url\` in the configuration`)
  say('text', '')
  const path = relative(terminal.cwd(), directory)
  say('text', 'Run next:')
  if (path !== '') say('text', `  cd ${shellWord(path.startsWith('..') ? directory : `./${path}`)}`)
  for (const { command, purpose } of next) say('text', showStep({ command, purpose }))
}

function showStep({ command, purpose }: Plan['next'][number]): string {
  return purpose === '' ? `  ${command}` : `  ${command}\n      ${purpose}`
}

/** What a scan read and found, in a few lines. */
function describeScan(report: Report): readonly Parameters<Say>[] {
  const { projects, coverage, verdict, violations } = report
  const resources = projects.reduce((sum, { resources: ofKind }) => sum + sumOf(Object.values(ofKind)), 0)
  const complete = coverage.filter(({ status }) => status === 'complete').map(({ listing }) => listing)
  const read = (['endpoints', 'subscriptions', 'sources', 'event_types', 'project'] as const).filter((each) =>
    complete.includes(each),
  )
  const open = totalOf(verdict.violations)
  const summary =
    open === 0 ? 'no open violation' : `${count(open, 'open violation')}: ${countEach(severities, verdict.violations)}`
  return [
    [
      'good',
      `${count(resources, 'resource')} in ${count(projects.length, 'project')}; the key reads ${read.join(', ').replace('project', 'settings').replace('_', ' ')}`,
    ],
    [open === 0 ? 'good' : 'note', summary],
    ...theWorst(violations.filter(isOpen)).map((line): Parameters<Say> => ['text', `    ${line}`]),
  ]
}

const mostRules = 5

/** Violations are sorted by severity. */
function theWorst(open: readonly ReportViolation[]): readonly string[] {
  const byRule = [...Map.groupBy(open, ({ rule }) => rule)]
  const named = byRule
    .slice(0, mostRules)
    .map(([rule, violations]) => `${violations.length} × ${rule}, ${violations[0]?.severity}`)
  const hidden = byRule.length - named.length
  return hidden > 0 ? [...named, `and ${count(hidden, 'more rule')}`] : named
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/**
 * Checks that files can be written, before anything else is done.
 * @throws AuditError.usage when some exist, which are never replaced, or the directory cannot be written to
 */
export function refuseExisting(directory: string, paths: readonly string[]): void {
  const existing = paths.filter((path) => isThere(join(directory, path)))
  if (existing.length > 0) {
    const [verb, them] = existing.length === 1 ? ['exists', 'it'] : ['exist', 'them']
    throw AuditError.usage(`${existing.join(', ')} ${verb} already, and init replaces no file`, {
      advice: `move ${them} away, or name another directory with --directory`,
    })
  }
  const nearest = nearestExisting(directory)
  try {
    if (!statSync(nearest).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
    accessSync(nearest, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unwritable(directory, error)
  }
}

/**
 * Writes all files, or none: when one cannot be written, those before it and their directories are removed.
 * @throws AuditError.usage when one cannot be written, or exists meanwhile
 */
export function writeFiles(directory: string, files: readonly PlannedFile[]): void {
  const undo: (() => void)[] = []
  let current = directory
  try {
    for (const { path, text } of files) {
      current = join(directory, path)
      makeDirectory(dirname(current), undo)
      writeFileSync(current, '', { flag: 'wx' })
      const made = current
      undo.push(() => rmSync(made, { force: true }))
      writeFileSync(current, text)
    }
  } catch (error) {
    for (const revert of undo.reverse()) revertQuietly(revert)
    throw unwritable(current, error)
  }
}

/** Makes a directory and its parents, and notes how to remove those that it made. */
function makeDirectory(path: string, undo: (() => void)[]): void {
  if (isThere(path)) return
  makeDirectory(dirname(path), undo)
  mkdirSync(path)
  undo.push(() => rmdirSync(path))
}

/** What cannot be removed must not hide why the writing failed. */
function revertQuietly(revert: () => void): void {
  try {
    revert()
  } catch {}
}

function unwritable(path: string, error: unknown): AuditError {
  return AuditError.usage(`cannot write ${path}: ${reasonOf(error)}`, {
    advice: 'let this user write there, or name another directory with --directory',
    cause: error,
  })
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw unwritable(path, error)
  }
}

function nearestExisting(directory: string): string {
  const path = resolve(directory)
  const parent = dirname(path)
  return isThere(path) || parent === path ? path : nearestExisting(parent)
}

interface WaiverTerms {
  /** Who answers for them. */
  readonly owner: string
  /** A date such as 2027-03-31. */
  readonly expires: string
}

/** What a scan found, while its history exists. */
interface TrialScan {
  readonly report: Report
  /** Waivers for all that is open. */
  draft(terms: WaiverTerms): Promise<WaiverDraft>
}

/**
 * Audits once, with a history in a private directory that is removed when `work` ends, and notifies no channel.
 * @throws AuditError.incomplete when not everything could be scanned; .failure when the directory takes no files
 */
async function scanOnce<Result>(
  answers: Pick<Answers, 'service' | 'keyVariable' | 'strictness'>,
  {
    key,
    ...session
  }: Pick<InitSession, 'terminal' | 'signal' | 'version' | 'readPackageFile'> & {
    /** A secret. */
    readonly key: string
  },
  work: (scanning: TrialScan) => Promise<Result>,
): Promise<Result> {
  const { terminal, signal } = session
  const { files } = planFiles({ ...answers, target: 'none', waivers: undefined }, session)
  using directory = openPrivateDirectory('hookdrift-init-')
  const env = {
    ...terminal.env,
    [answers.keyVariable]: key,
    HOOKDRIFT_HISTORY: undefined,
    // Seals of this scan are compared with none: a key that is gone with it leaves none behind.
    HOOKDRIFT_SEAL_KEY: randomBytes(32).toString('hex'),
  }
  try {
    for (const { path, text } of files.filter((file) => file.path.endsWith('.yaml')))
      writeFileSync(join(directory.path, path), text, { mode: 0o600 })
  } catch (error) {
    throw AuditError.failure(`cannot write to ${directory.path}: ${reasonOf(error)}`, {
      advice: 'name another place with TMPDIR',
      cause: error,
    })
  }
  const configuration = readConfiguration(join(directory.path, 'hookdrift.yaml'), { env, readFile: readTextFile })
  const policy = readPolicy(configuration.policy, readTextFile)
  const request: AuditRequest = {
    configuration,
    policy,
    only: [],
    failOn: 'never',
    quiet: false,
    runTimeoutMs: configuration.runTimeoutMs,
    patience: 'short',
    notifies: false,
    runsProbes: false,
  }
  const report = await performAudit(request, { ...terminal, env }, signal)
  signal.throwIfAborted()
  if (report.coverage.some(({ status }) => status !== 'complete' && status !== 'skipped'))
    throw explainIncomplete(report)
  // The directory exists until then.
  return await work({ report, draft: (terms) => draftFrom(configuration.history, env, terms) })
}

async function draftFrom(
  location: HistoryLocation,
  env: ProcessContext['env'],
  { owner, expires }: WaiverTerms,
): Promise<WaiverDraft> {
  const history = await openExistingHistory(location, env)
  try {
    const run = await findLastRun(history)
    if (run === undefined) throw new Error('the trial scan left no run')
    const reason = `open when hookdrift was set up on ${run.started_at.slice(0, 10)}, accepted until it is fixed`
    return await draftWaivers(history, { run, owner, expires, reason, projects: [] })
  } finally {
    await history.close()
  }
}
