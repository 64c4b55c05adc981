import type { HistoryReader } from '../../src/history/reader.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { Gap } from '../../src/model/gap.ts'
import type { Report, ReportViolation } from '../../src/model/report.ts'
import { isOpen } from '../../src/model/violation.ts'
import { compareProjects } from '../../src/questions/compare.ts'
import { readDiff } from '../../src/questions/diff.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { composeCompliance } from '../../src/report/compliance/compose-compliance.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { composeVerdict } from '../../src/report/verdict.ts'
import { ofProject } from '../../test/audit/fleet-fixture.ts'
import type { Fault } from '../answers/check-runs.ts'
import type { WithheldField } from './contract-fields.ts'

/** A run of two projects that are the same: one shows everything, and the other one what this says. */
export interface TwinRun {
  readonly showing: 'all' | 'some' | 'breaking off'
  readonly report: Report
}

export interface TwinContext {
  readonly history: HistoryReader
  /** Fields that were not shown, each with the resources that have it. */
  readonly withheld: readonly { readonly field: WithheldField; readonly uids: readonly string[] }[]
  /** Whether the one project was shown as an older release shows it, and nothing was withheld. */
  readonly isOlder: boolean
  /** The listing that breaks off. */
  readonly broken: string
}

const [one, two] = ['acme/one', 'acme/two']
const unseen = (what: string): Fault => ({ promise: 'unseen', what })
const wrong = (what: string): Fault => ({ promise: 'other', what })

/** Which promises the runs broke: what the project that shows everything says is what is there, all the time. */
export async function checkTwins(runs: readonly TwinRun[], context: TwinContext): Promise<readonly Fault[]> {
  const away = runs.filter(({ showing }) => showing !== 'all')
  const back = runs.at(-1)
  const faults = runs.flatMap((run) => [
    ...checkShown(run, context),
    ...(run.showing === 'all' ? [] : checkAway(run, context, runs)),
  ])
  if (back !== undefined) faults.push(...checkBack(back, runs))
  if (!context.isOlder) faults.push(...(await checkEqual(away, context)))
  return faults
}

/** By rule and place, in words that both projects have. */
function keyOf({ rule, kind, uid, path }: ReportViolation): string {
  return `${rule} of ${kind} ${kind === 'project' ? '' : uid} at ${path}`
}

function openOf(report: Report, project: string): ReadonlyMap<string, ReportViolation> {
  const { violations } = ofProject(report, project)
  return new Map(violations.filter(isOpen).map((violation) => [keyOf(violation), violation]))
}

function gapsOf({ gaps }: Report, project: string): readonly Gap[] {
  return gaps.filter((gap) => gap.project === project)
}

function gapKey({ cause, rule, kind, field, listing }: Gap): string {
  return [cause, rule, kind, field, listing].join(' ')
}

/** What is the same was seen whole: an older release is not a gap, nothing is gone, nothing ended, no drift rule finds. */
function checkShown({ report, showing }: TwinRun, { isOlder }: TwinContext): Fault[] {
  const theirs = openOf(report, two)
  const gaps = new Set(gapsOf(report, two).map(gapKey))
  const ofFields = gapsOf(report, two).filter(({ cause }) => cause.startsWith('field_'))
  const mine = ofProject(report, one)
  return [
    ...ofFields.map(({ text }) => wrong(`a project that shows everything has a gap: ${text}`)),
    ...mine.drift.flatMap(({ change, kind, uid }) =>
      change === 'modified' ? [] : [unseen(`${kind} ${uid} is ${change}, and it was there all the time`)],
    ),
    ...mine.violations.flatMap((violation) => {
      const { state, resolution, rule } = violation
      // What is there only while a value is not shown, such as an unknown word, ends with that.
      if (state === 'resolved') {
        return theirs.has(keyOf(violation)) ? [unseen(`${keyOf(violation)} is ${resolution}, and it is as it was`)] : []
      }
      const isFalse = state === 'opened' && rule.startsWith('drift/') && !theirs.has(keyOf(violation))
      return isFalse ? [unseen(`${keyOf(violation)} is opened, and nothing changed`)] : []
    }),
    ...(isOlder && showing !== 'breaking off'
      ? gapsOf(report, one).flatMap((gap) =>
          gaps.has(gapKey(gap)) ? [] : [wrong(`an older release is a gap: ${gap.text}`)],
        )
      : []),
  ]
}

/** What the one project does not find, its report says that it could not. */
function checkAway({ report }: TwinRun, { isOlder }: TwinContext, runs: readonly TwinRun[]): Fault[] {
  const [mine, theirs] = [openOf(report, one), openOf(report, two)]
  const missed = [...theirs.values()].filter((violation) => !mine.has(keyOf(violation)))
  const gaps = gapsOf(report, one)
  const known = new Set(gapsOf(report, two).map(gapKey))
  const firstAway = runs.find((run) => run.showing !== 'all')?.report.run.number
  const evaluated = (project: string, rule: string, kind: string) => {
    const { evaluated_by_rule = {}, resources = {} } = ofProject(report, project).projects[0] ?? {}
    return evaluated_by_rule[rule] ?? resources[kind] ?? 0
  }
  const faults = gaps.flatMap((gap) => {
    const isOfField = gap.cause.startsWith('field_') && !known.has(gapKey(gap))
    return isOfField && gap.since.run !== firstAway && gap.field !== 'filters'
      ? [wrong(`a gap says that it is one since run ${gap.since.run}, not ${firstAway}: ${gap.text}`)]
      : []
  })
  if (isOlder) return faults
  const rules = Map.groupBy(missed, ({ rule }) => rule)
  for (const [rule, violations] of rules) {
    const kind = report.rules.find(({ id }) => id === rule)?.kind ?? ''
    const ofRule = gaps.filter((gap) => gap.rule === rule)
    const ofWalks = gaps.filter(({ cause }) => cause === 'walk_incomplete')
    const all = violations.map(keyOf).join(', ')
    if (ofRule.length + ofWalks.length === 0) faults.push(unseen(`no gap says that ${all} could not be found`))
    // A walk that was not complete is a gap of every rule.
    if (ofWalks.length === 0 && evaluated(one, rule, kind) >= evaluated(two, rule, kind)) {
      faults.push(unseen(`${rule} counts as evaluated, and missed ${all}`))
    }
    const violationsNow = ofProject(report, one).violations.filter((violation) => violation.rule === rule)
    const coverage = report.coverage.filter(({ project }) => project === one)
    const { text } = composeVerdict({ coverage, violations: violationsNow, drift: [], gaps: ofRule, failOn: 'info' })
    if (text.startsWith('Clean')) faults.push(unseen(`"${text}", and ${all} could not be found`))
  }
  faults.push(...checkMet(report, new Set(rules.keys())))
  return faults
}

function checkMet(report: Report, missed: ReadonlySet<string>): Fault[] {
  const id = builtInFrameworkIds[report.run.number % builtInFrameworkIds.length] ?? 'soc2'
  // Of the one project, as the other one has violations.
  const alone = { ...ofProject(report, one), gaps: gapsOf(report, one) }
  return composeCompliance({ report: alone, framework: builtInFramework(id) }).controls.flatMap(
    ({ state, id, rules }) => {
      const rule = rules.find((each) => missed.has(each.id))
      return state === 'met' && rule !== undefined ? [unseen(`${id} is met, and ${rule.id} missed something`)] : []
    },
  )
}

/** Once all is shown again, both projects say the same. */
function checkBack({ report }: TwinRun, runs: readonly TwinRun[]): Fault[] {
  const [mine, theirs] = [openOf(report, one), openOf(report, two)]
  const wasShown = runs[0]?.showing === 'all'
  const [ourGaps, theirGaps] = [gapsOf(report, one), gapsOf(report, two)].map((gaps) => gaps.map(gapKey).sort().join())
  const numbers = (project: string) => JSON.stringify(ofProject(report, project).projects[0]?.evaluated_by_rule)
  return [
    ...[...theirs].flatMap(([key, { first_seen }]) => {
      const same = mine.get(key)
      if (same === undefined) return [unseen(`${key} is not open afterwards`)]
      return wasShown && same.first_seen !== first_seen ? [wrong(`${key} is open since ${same.first_seen}`)] : []
    }),
    ...[...mine.keys()].flatMap((key) => (theirs.has(key) ? [] : [wrong(`${key} is open afterwards`)])),
    ...ofProject(report, one).violations.flatMap((violation) =>
      violation.state === 'unknown' ? [wrong(`${keyOf(violation)} is unknown afterwards`)] : [],
    ),
    ...(ourGaps === theirGaps ? [] : [wrong(`gaps afterwards: ${ourGaps}, not ${theirGaps}`)]),
    ...(numbers(one) === numbers(two) ? [] : [wrong(`evaluated afterwards: ${numbers(one)}, not ${numbers(two)}`)]),
  ]
}

/** What is not shown is not equal to what is, and nor is what was there before. */
async function checkEqual(away: readonly TwinRun[], { history, withheld }: TwinContext): Promise<Fault[]> {
  const [first] = await listRuns(history)
  const numbers = new Set(away.map(({ report }) => report.run.number))
  const faults: Fault[] = []
  for (const run of await listRuns(history)) {
    if (!numbers.has(run.number)) continue
    const query = { run, matching: 'name', kind: undefined, hosts: [], ignored: [], limit: 10_000 } as const
    const { answer } = await compareProjects(history, { ...query, a: one, b: two })
    // A value of a wrong type is compared as it is, with its secrets left out.
    const stored = withheld.filter(
      ({ field: { way, isStored, steps } }) => way === 'left out' && isStored && !isOwn(steps.at(-1) ?? ''),
    )
    if (stored.length > 0 && answer.more?.verdict === 'equal')
      faults.push(unseen(`run ${run.number}: compare says equal`))
    if (first === undefined || numbers.has(first.number)) continue
    const diff = { from: first, to: run, projects: [one], kind: undefined, withPatch: false, limit: 10_000 }
    const { rows, unknown = [] } = await readDiff(history, diff)
    if (stored.length > 0 && rows.length + unknown.length === 0) faults.push(unseen(`run ${run.number}: no difference`))
  }
  return faults
}

/** Identities and times are each project's own. */
function isOwn(member: string): boolean {
  return /_at$|^uid$|^(?:project|organisation|mask|endpoint)_id$/.test(member)
}
