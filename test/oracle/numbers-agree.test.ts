import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openMetrics } from '../../src/app/worker/metrics.ts'
import { readPast } from '../../src/app/worker/read-past.ts'
import { composeReport } from '../../src/audit/compose-report.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import type { Report } from '../../src/model/report.ts'
import { countSeverities, isOpen, isUnchecked, type Severity, severities } from '../../src/model/violation.ts'
import { plainLine, showMessage } from '../../src/notify/show-message.ts'
import { createSite } from '../../src/pages/site.ts'
import { readCauses } from '../../src/questions/causes.ts'
import { readStatus } from '../../src/questions/status.ts'
import { findTrend, readTrend } from '../../src/questions/trend.ts'
import { formatNames } from '../../src/report/formats.ts'
import { extentOf } from '../../src/report/gaps.ts'
import { reports } from '../report/all-reports.ts'
import { formatTests } from '../report/format-test.ts'
import { stateNamed } from '../report/state-named.ts'
import { tries } from '../thoroughness.ts'
import { readScrape } from '../worker/scrape.ts'
import { type AfterRun, makeWorld } from './make-world.ts'

type Violation = Report['violations'][number]
type Counts = Record<Severity, number>

const everything = Number.POSITIVE_INFINITY
const wide = { colour: false, width: 100_000 }

/** `2 critical, 1 high` as numbers; nothing said is none. */
function severitiesIn(said: string): Counts {
  const counts = countSeverities([])
  for (const [, number, severity] of said.matchAll(/(\d+) (critical|high|medium|low|info)\b/g))
    counts[severity as Severity] += Number(number)
  return counts
}

function sumOf(...counts: readonly Counts[]): Counts {
  const sum = countSeverities([])
  for (const each of counts) for (const severity of severities) sum[severity] += each[severity]
  return sum
}

function totalOf(counts: Counts): number {
  return severities.reduce((sum, severity) => sum + counts[severity], 0)
}

const numberIn = (said: string, pattern: RegExp) => Number(pattern.exec(said)?.[1] ?? 0)

/** What each place says of a run, next to what the record says. */
interface Said {
  readonly place: string
  readonly said: unknown
  readonly record: unknown
}

function* sentence({ verdict: { text, ...verdict }, coverage }: Report): Generator<Said> {
  const open = /(?:violations? |fail no run |above |critical |windows )\(([^()]*)\)/.exec(text)?.[1] ?? ''
  if (!/^Nothing was scanned|nothing was scanned/.test(text) || totalOf(verdict.violations) > 0)
    yield { place: 'verdict: open', said: severitiesIn(open), record: verdict.violations }
  yield { place: 'verdict: unknown', said: numberIn(text, /(\d+) violations? unknown/), record: verdict.unknown }
  yield { place: 'verdict: waived', said: numberIn(text, /(\d+) violations? waived/), record: verdict.waived }
  const changes = verdict.drift.added + verdict.drift.removed + verdict.drift.modified
  yield { place: 'verdict: changes', said: numberIn(text, /(\d+) changes?\b/), record: changes }
  const missing = coverage.filter(({ status }) => !['complete', 'skipped'].includes(status)).length
  yield { place: 'verdict: walks', said: numberIn(text, /(\d+) of \d+ listings? incomplete/), record: missing }
}

/** The numbers in the headings of a text, without those that the causes above them say. */
function* headings(report: Report, format: 'text' | 'markdown', full: boolean): Generator<Said> {
  const { verdict, violations, causes } = report
  const lines = reports[format](report, { ...wide, full })
    .replace(/^#+ /gm, '')
    .replaceAll('\\', '')
    .split('\n')
  const heading = (name: RegExp) => lines.find((line) => name.test(line)) ?? ''
  const place = `${format}${full ? ', full' : ''}`
  const named = new Set(full ? [] : causes.slice(0, 8).flatMap((cause) => cause.violations))
  const following = countSeverities(violations.filter((one) => isOpen(one) && named.has(one.fingerprint)))
  const listed = [/^New[^:]*: \d/, /^(?:Open|Also open|Open before): \d/].map((name) => severitiesIn(heading(name)))
  yield { place: `${place}: open`, said: sumOf(...listed, following), record: verdict.violations }
  const count = (name: RegExp) => numberIn(heading(name), /: (\d+)/)
  yield { place: `${place}: unknown`, said: count(/^Unknown, /), record: verdict.unknown }
  yield { place: `${place}: waived`, said: count(/^Waived: /), record: verdict.waived }
  yield { place: `${place}: ended`, said: count(/^Ended: /), record: verdict.resolved }
  yield { place: `${place}: causes`, said: count(/^Causes: /), record: causes.length }
  const follows = causes.reduce((sum, cause) => sum + cause.violations.length, 0)
  yield {
    place: `${place}: what follows`,
    said: numberIn(heading(/^Causes: /), /and (\d+) violations?/),
    record: follows,
  }
  if (!full && causes.length > 0) return
  const changed = heading(/^Changed since/)
  const of = (change: string) => numberIn(changed, new RegExp(`(\\d+) ${change}`))
  yield {
    place: `${place}: changes`,
    said: { added: of('added'), removed: of('removed'), modified: of('modified') },
    record: verdict.drift,
  }
}

function countsOf(violations: readonly Pick<Violation, 'severity' | 'rule' | 'project' | 'state'>[]) {
  const counts: Record<string, number> = {}
  for (const { severity, rule, project, state } of violations) {
    const key = `${project} ${rule} ${severity} ${stateNamed(state)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** Every format that a foreign reader reads. */
function* formats(report: Report): Generator<Said> {
  const wanted = countsOf(report.violations)
  for (const format of formatNames) {
    const { read } = formatTests[format]
    if (read === undefined) continue
    const text = reports[format](report, { ...wide, full: true })
    const { violations, exitCode = report.verdict.exit_code } = read(text)
    yield { place: `${format}: exit code`, said: exitCode, record: report.verdict.exit_code }
    // A comment has no room for more: its headings count all.
    if (format === 'markdown' && /^… and \d+ more violation/m.test(text)) continue
    yield { place: format, said: countsOf(violations as readonly Violation[]), record: wanted }
  }
  const page = reports.html(report, { ...wide, full: true })
  const table = summaryIn(page)
  yield { place: 'html: summary', said: table.open, record: report.verdict.violations }
  if (extentOf(report.coverage) === 'all')
    yield { place: 'html: figures', said: figuresIn(page), record: grave(report.verdict.violations) }
  yield { place: 'html: waived', said: table.waived, record: report.verdict.waived }
}

/** The table of violations by severity and state. */
function summaryIn(page: string) {
  const cellsOf = (severity: Severity) => {
    const row = new RegExp(`<tr><th scope="row">${severity}</th><td data-label="opened".*</tr>`).exec(page)?.[0] ?? ''
    const cells = [...row.matchAll(/<td data-label="([^"]*)"[^>]*>(?:<[^>]*>)*(\d+)/g)]
    return Object.fromEntries(cells.map(([, state, number]) => [state, Number(number)]))
  }
  const bySeverity = severities.map((severity) => ({ severity, ...cellsOf(severity) }))
  const open = bySeverity.map(({ severity, opened = 0, continuing = 0 }) => [severity, opened + continuing])
  const waived = bySeverity.reduce((sum, { waived = 0 }) => sum + waived, 0)
  return { open: Object.fromEntries(open), waived }
}

function barIn(page: string): Counts {
  return severitiesIn(/aria-label="\d+ open violations?: ([^"]*)"/.exec(page)?.[1] ?? '')
}

function figuresIn(page: string) {
  const figures = [...page.matchAll(/<b>(\d+)<\/b> <span class="label">(\w+)</g)]
  return Object.fromEntries(figures.map(([, number, label]) => [label, Number(number)]))
}

function grave({ critical, high, medium }: Counts) {
  return { critical, high, medium }
}

function byRule(rules: readonly { readonly rule: string; readonly violations: number }[]) {
  const counts: Record<string, number> = {}
  for (const { rule, violations } of rules) counts[rule] = (counts[rule] ?? 0) + violations
  return counts
}

/** A channel that gets all counts what became of each violation since it was last notified. */
function messagesOf() {
  let last: Report['violations'] = []
  const known = new Map<string, { readonly isOpen: boolean; readonly severity: Severity }>()
  return function* ({ report, messages, newcomer }: AfterRun): Generator<Said> {
    const message = messages.all
    const checked = report.violations.filter(({ state }) => state !== 'unknown')
    const fresh = checked.filter((one) => isOpen(one) && known.get(one.fingerprint)?.isOpen !== true)
    const raised = checked.filter((one) => {
      const was = known.get(one.fingerprint)
      return isOpen(one) && was?.isOpen === true && severities.indexOf(one.severity) < severities.indexOf(was.severity)
    })
    const openBefore = new Map(last.filter(isOpen).map((one) => [one.fingerprint, one.severity]))
    const rated = report.violations.filter((one) => {
      const was = openBefore.get(one.fingerprint)
      return isOpen(one) && was !== undefined && was !== one.severity
    })
    const ratedOnes = (all: typeof last, was: (one: Violation) => Severity | undefined) =>
      Object.fromEntries(all.map((one) => [one.fingerprint, was(one)]))
    yield {
      place: 'rated otherwise',
      said: ratedOnes(
        report.violations.filter(({ severity_before }) => severity_before !== undefined),
        ({ severity_before }) => severity_before,
      ),
      record: ratedOnes(rated, ({ fingerprint }) => openBefore.get(fingerprint)),
    }
    const scanned = new Set([...report.projects, ...report.violations].map(({ project }) => project))
    last = [...last.filter(({ project }) => !scanned.has(project)), ...report.violations]
    const solved = checked.filter(({ resolution }) => resolution === 'fixed' || resolution === 'removed')
    for (const one of checked) known.set(one.fingerprint, { isOpen: isOpen(one), severity: one.severity })
    const held = report.violations.filter((one) => isOpen(one) || isUnchecked(one))
    if (newcomer !== null)
      yield {
        place: 'message: open before',
        said: sumOf({ ...countSeverities([]), ...newcomer.already_open }, countSeverities(fresh)),
        record: countSeverities(held),
      }
    if (message == null) return
    const { counts } = message
    const opened = (counts['violation.opened'] ?? 0) + (counts['violation.reopened'] ?? 0)
    yield { place: 'message: opened', said: opened, record: fresh.length }
    yield { place: 'message: raised', said: counts['violation.raised'] ?? 0, record: raised.length }
    yield { place: 'message: resolved', said: counts['violation.resolved'] ?? 0, record: solved.length }
    yield { place: 'message: verdict', said: message.verdict?.text, record: report.verdict.text }
    const lines = showMessage(message).map(plainLine)
    yield { place: 'chat: verdict', said: lines.filter((line) => line === report.verdict.text).length, record: 1 }
    const titled = severitiesIn(/((?:\d+ \w+(?:, | and )?)+) opened/.exec(message.title)?.[1] ?? '')
    if (totalOf(titled) > 0)
      yield { place: 'message: title', said: totalOf(titled), record: counts['violation.opened'] ?? 0 }
    const notified = new Map([...fresh, ...raised].map((one) => [one.fingerprint, one]))
    const found = report.causes
      .filter(({ first_run }) => first_run === report.run.number)
      .map(({ id, violations }) => ({
        id,
        notified: violations.flatMap((fingerprint) => notified.get(fingerprint) ?? []),
      }))
    yield {
      place: 'message: causes',
      said: Object.fromEntries(
        (message.causes ?? []).map(({ id, resources, rules }) => [id, [resources, byRule(rules)]]),
      ),
      record: Object.fromEntries(
        found
          .filter(({ notified }) => notified.length > 0)
          .map(({ id, notified }) => {
            const resources = new Set(notified.map(({ project, uid }) => `${project} ${uid}`)).size
            return [id, [resources, byRule(notified.map(({ rule }) => ({ rule, violations: 1 })))]]
          }),
      ),
    }
  }
}

/** What questions say of the fleet, where the run scanned all of it the same as its report. */
async function* questions({ history, report }: AfterRun): AsyncGenerator<Said> {
  const run = await findLastRun(history)
  if (run === undefined) return
  const record = await readRunRecord(history, run.number)
  const { notes: _, ...again } = composeReport(record as NonNullable<typeof record>)
  const { notes: __, ...first } = report
  yield { place: 'report, read again', said: again, record: first }
  const listed = await listViolations(history, { run: run.number })
  const isScanned = ({ project, run: of }: { readonly project: string; readonly run: number | null }) =>
    of === run.number && project !== ''
  const active = report.violations.filter(({ state }) => state !== 'resolved')
  yield { place: 'violations', said: countsOf(listed.filter(isScanned)), record: countsOf(active) }

  const projects = [...new Set([...report.coverage, ...report.violations].map(({ project }) => project))]
  const causes = await readCauses(history, { run, projects, kind: undefined, limit: everything })
  const ids = (all: readonly Report['causes'][number][]) => all.map(({ id, violations }) => [id, violations.length])
  // Named none, the question is about all.
  if (projects.length > 0) yield { place: 'causes', said: ids(causes.rows), record: ids(report.causes) }

  const now = Date.parse(run.finished_at)
  const status = await readStatus(history, {
    ...{ run, expected: undefined, projects: [], now, limit: everything, dueAfter: () => everything },
  })
  for (const { project, violations, waived, unknown } of status.rows.filter(isScanned)) {
    const own = active.filter((one) => one.project === project)
    const count = (state: string) => own.filter((one) => one.state === state).length
    yield {
      place: `status: ${project}`,
      said: { violations, waived, unknown },
      record: {
        violations: countSeverities(own.filter(isOpen)),
        waived: count('waived'),
        unknown: count('unknown'),
      },
    }
  }

  const open = listed.filter((one) => isOpen(one) || isUnchecked(one))
  const { answer, weeks } = await readTrend(history, { run, since: undefined, projects: [], limit: everything })
  const [day, week] = [answer.rows.at(-1), weeks.at(-1)]
  yield { place: 'trend: open', said: day?.open, record: countSeverities(open) }
  yield { place: 'trend: open in the week', said: week?.open, record: open.length }

  const waived = listed.length - open.length
  yield { place: 'trend: waived', said: [day?.waived, week?.waived], record: [waived, waived] }

  const metrics = openMetrics({ version: '1', historyBytes: async () => 0 })
  metrics.remember(await readPast(history, () => true))
  const scrape = readScrape(await metrics.registry.metrics())
  const samples = Object.entries(scrape.samples('hookdrift_project_open_violations'))
  for (const { project } of status.rows.filter(isScanned)) {
    const own = samples.filter(([label]) => label.startsWith(`project=${project} `))
    const held = active.filter((one) => one.project === project && (isOpen(one) || isUnchecked(one)))
    yield {
      place: `metrics: ${project}`,
      said: sumOf(...own.map(([label, number]) => severitiesIn(`${number} ${label.replace(/.*severity=/, '')}`))),
      record: countSeverities(held),
    }
  }

  const page = await overviewOf(history, run.number, now)
  const { main } = page
  yield { place: 'overview: open', said: barIn(main), record: countSeverities(listed.filter(isOpen)) }
  for (const state of ['waived', 'unknown'] as const) {
    yield {
      place: `overview: ${state}`,
      said: numberIn(main, new RegExp(`>(\\d+) ${state}</a>`)),
      record: listed.filter((one) => one.state === state).length,
    }
  }
  const named = /in the last 7 days: (.*?)<\/li>/.exec(main)?.[1]?.replace(/<[^>]*>/g, '') ?? ''
  const trend = await findTrend(history, { run, since: undefined, projects: [] })
  const last = trend.weeks.at(-1)
  for (const [word, number] of [
    ['opened', last?.opened],
    ['fixed', last?.fixed],
    ['removed', last?.removed],
    ['ended otherwise', last?.closed],
  ] as const) {
    yield { place: `overview: ${word}`, said: numberIn(named, new RegExp(`${word} (\\d+)`)), record: number }
  }
  yield { place: 'overview: waived in the trend', said: numberIn(named, /(\d+) waived/), record: last?.waived }
  const cards = [...main.matchAll(/data-cause="([^"]*)"/g)].map(([, id]) => id)
  const all = await readCauses(history, { run, projects: [], kind: undefined, limit: 10 })
  yield { place: 'overview: causes', said: cards, record: all.rows.map(({ id }) => id) }
  const numbers = [...main.matchAll(/<tr data-project="([^"]*)">(.*?)<\/tr>/g)].map(([, project, cells = '']) => {
    const shown = [...cells.matchAll(/data-label="(\w+)" class="n(?: faint| unseen)?">(.*?)<\/td>/g)]
    const figures = shown.map(([, label, cell = '']) => {
      return `${numberIn(cell.replace(/<[^>]*>/g, ' '), /^\s*(\d+)(?! then)/)} ${label}`
    })
    return [project, severitiesIn(figures.join(', '))] as const
  })
  const rows = status.rows.map(({ project, violations }) => [project, violations] as const)
  const byName = (all: readonly (readonly [string | undefined, Counts])[]) => Object.fromEntries(all)
  yield { place: 'overview: projects', said: byName(numbers), record: byName(rows) }
}

async function overviewOf(history: AfterRun['history'], run: number, now: number) {
  const faults: unknown[] = []
  const site = createSite({
    ...{ history: async () => history, version: '1', isHostOfPort: () => true, now: () => now },
    api: undefined as never,
    onFault: (error) => faults.push(error),
  })
  const answer = await site.request(`http://localhost/?run=${run}`, { headers: { host: 'localhost' } })
  const main = /<main.*<\/main>/s.exec(await answer.text())?.[0] ?? ''
  if (faults.length > 0 || answer.status !== 200)
    throw new AggregateError(faults, `the overview answered ${answer.status}`)
  return { main }
}

/** `npm run check:long` asks for a hundred. */
const sequences = Number(process.env.HOOKDRIFT_SEQUENCES ?? tries(8, { locally: 3 }))
const compared = new Map<string, number>()

describe('after edits, faults, approvals, acceptances, waivers, policies and upgrades', () => {
  it.each(Array.from({ length: sequences }, (_, index) => `numbers-${index}`))(
    'every output of a run has its numbers: %s',
    async (seed) => {
      const messages = messagesOf()
      const disagreements: unknown[] = []
      const check = (run: number, { place, said, record }: Said) => {
        compared.set(place, (compared.get(place) ?? 0) + 1)
        if (!isDeepStrictEqual(said, record)) disagreements.push(JSON.stringify({ run, place, said, record }))
      }
      await makeWorld(seed, undefined, async (after) => {
        const { report } = after
        const { number } = report.run
        for (const said of sentence(report)) check(number, said)
        for (const full of [true, false]) for (const said of headings(report, 'text', full)) check(number, said)
        for (const said of headings(report, 'markdown', true)) check(number, said)
        for (const said of formats(report)) check(number, said)
        for (const said of messages(after)) check(number, said)
        for await (const said of questions(after)) check(number, said)
      })
      expect(disagreements).toEqual([])
    },
  )

  it('with every place heard', () => {
    // So that a place that says nothing any longer does not pass for one that agrees.
    const places = new Set([...compared.keys()].map((place) => place.replace(/: acme.*/, '')))
    expect(places.size).toBeGreaterThan(58)
    expect(compared.get('message: causes') ?? 0).toBeGreaterThan(sequences)
  })
})
