import { relative } from 'node:path'
import type { Report, ReportViolation } from '../model/report.ts'
import { dayMs } from '../model/time.ts'
import { isOpen, severities, totalOf } from '../model/violation.ts'
import { shellWord } from '../report/text/commands.ts'
import { count, countEach } from '../text/count.ts'
import { chooseService, type InitSession } from './choose-service.ts'
import { askAcceptance, askStrictness, askTarget, type ChosenService, refuseMissing } from './interview.ts'
import { checkFiles, type Plan, pathsOf, planFiles } from './plan-files.ts'
import { isLoopbackUrl, type Say } from './reach-service.ts'
import { scanOnce, type TrialScan } from './scan-once.ts'
import { refuseExisting, writeFiles } from './write-files.ts'

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
