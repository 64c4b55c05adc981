import type { EndedRun } from '../history/sql/runs.ts'
import type { RecordedSpan } from '../history/sql/visit-spans.ts'
import { remembering } from '../model/remembering.ts'
import { dayMs, isoTime } from '../model/time.ts'
import type { OpenAndFixed, Trend, TrendDay, TrendStep, TrendWeek } from '../model/trend.ts'
import { overdueRule, type Severity, severities, totalOf } from '../model/violation.ts'

const weekMs = 7 * dayMs

/** A period, in milliseconds since the epoch. */
interface Period {
  readonly from: number
  readonly to: number
}

type PastRun = Pick<EndedRun, 'started_at' | 'isCommitted' | 'incomplete'>

/**
 * Measures the trend of violations, of which it holds one at a time. Only what a scan proved gone counts as fixed, and what
 * it could not check stays open: an incomplete scan never looks like an improvement.
 */
export function startTrend(runs: readonly PastRun[], { from, to }: Period) {
  const weekEnds = weeksBack({ from, to })
  const dayStarts = daysWithin({ from, to })
  const weeks = tallySteps(weekEnds, from)
  const days = tallySteps(
    dayStarts.map((start) => Math.min(to, start + dayMs - 1)),
    from,
  )
  const fixing = new Map(severities.map((severity) => [severity, tallyFixing({ from, to })]))
  // A million violations begin and end with some hundred runs. None is later than the last one: what has a later time had a
  // clock that was ahead.
  const timeOf = remembering((text) => Math.min(to, Date.parse(text)))
  let spans: RecordedSpan[] = []
  const endLife = () => {
    const life = lifeOf(spans, timeOf)
    spans = []
    if (life === undefined) return
    weeks.add(life)
    days.add(life)
    fixing.get(life.severity)?.add(life)
  }
  return {
    /** All spans that reach into the period, in the order of `visitSpans`. */
    add(span: RecordedSpan): void {
      const [{ project, fingerprint, first_seen }] = [spans[0] ?? span]
      const isSame = project === span.project && fingerprint === span.fingerprint && first_seen === span.first_seen
      if (!isSame) endLife()
      spans.push(span)
    },
    conclude(): Omit<Trend, 'notes'> {
      endLife()
      for (const run of runs)
        if (run.isCommitted) for (const step of [weeks, days]) step.addRun(run, timeOf(run.started_at))
      const bySeverity = severities.map((severity) => ({ severity, tally: fixing.get(severity) }))
      return {
        from: isoTime(from),
        to: isoTime(to),
        weeks: weeks.conclude().map(({ open, ...step }, at): TrendWeek => {
          const end = weekEnds[at] ?? to
          return { from: isoTime(Math.max(from, end - weekMs)), to: isoTime(end), ...step, open: totalOf(open) }
        }),
        days: days.conclude().map(({ open, ...step }, at): TrendDay => {
          return { date: isoTime(dayStarts[at] ?? to).slice(0, 10), ...step, open }
        }),
        all: sumFixing(bySeverity.flatMap(({ tally }) => (tally === undefined ? [] : [tally.counts]))),
        bySeverity: bySeverity.map(({ severity, tally }) => ({
          severity,
          ...sumFixing(tally === undefined ? [] : [tally.counts]),
        })),
      }
    },
  }
}

/** The ends of weeks back from the end of a period, oldest first. */
function weeksBack({ from, to }: Period): number[] {
  const count = Math.max(1, Math.ceil((to - from) / weekMs))
  return Array.from({ length: count }, (_, index) => to - (count - 1 - index) * weekMs)
}

/** The beginnings of the days of UTC that a period touches, oldest first. */
function daysWithin({ from, to }: Period): number[] {
  const first = Math.floor(from / dayMs)
  return Array.from({ length: Math.floor(to / dayMs) - first + 1 }, (_, index) => (first + index) * dayMs)
}

/** A violation from the run that first saw it to the one that ended it. Times are in milliseconds since the epoch. */
interface Life {
  readonly first_seen: number
  /** The severity that it had last. */
  readonly severity: Severity
  /** When it was active, and whether it was waived then: else it was open. */
  readonly spans: readonly { readonly isWaived: boolean; readonly from: number; readonly to: number | undefined }[]
  /** undefined when it was waived from the beginning, or when what is left of it begins later. */
  readonly openedAt: number | undefined
  /** undefined while it is active. */
  readonly endedAt: number | undefined
  /** Whether it only says that others are overdue: it ends with them, and takes no time to fix. */
  readonly isMark: boolean
  readonly resolution: RecordedSpan['resolution']
}

function lifeOf(spans: readonly RecordedSpan[], timeOf: (text: string) => number): Life | undefined {
  const [first, last] = [spans.at(0), spans.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const isEnded = last.to !== null && !last.goesOn
  const first_seen = timeOf(first.first_seen)
  return {
    first_seen,
    severity: last.severity,
    spans: spans.map(({ isWaived, from, to, goesOn }, at) => {
      // The spans between may be pruned.
      const end = (goesOn ? spans[at + 1]?.from : undefined) ?? to
      return { isWaived, from: timeOf(from), to: end === null ? undefined : noEarlier(timeOf(end), timeOf(from)) }
    }),
    openedAt: first.from === first.first_seen && !first.isWaived ? first_seen : undefined,
    endedAt: isEnded && last.to !== null ? noEarlier(timeOf(last.to), first_seen) : undefined,
    isMark: first.rule === overdueRule,
    resolution: isEnded ? last.resolution : null,
  }
}

/** The clock of the run that ended it may be behind the clock of the run that began it: then it took no time. */
function noEarlier(end: number, start: number): number {
  return Math.max(start, end)
}

type Counts = Record<Severity, number>

/**
 * Counts what happened in the steps of a period that end at `ends`: each from the end of the one before, which does not
 * belong to it. The first moment of the period belongs to the first step.
 */
function tallySteps(ends: readonly number[], from: number) {
  const none = (): Counts & { waived: number } => ({ critical: 0, high: 0, medium: 0, low: 0, info: 0, waived: 0 })
  const steps = ends.map(() => ({ opened: 0, fixed: 0, removed: 0, closed: 0, runs: 0, incomplete: 0 }))
  /** By how many more are open, or waived, at the end of each step than at the end of the one before. */
  const rises = [...ends.map(none), none()]
  const stepOf = (time: number | undefined) =>
    time === undefined || time < from ? undefined : steps[firstFrom(ends, time)]
  return {
    add({ severity, spans, openedAt, endedAt, resolution }: Life): void {
      const opening = stepOf(openedAt)
      if (opening !== undefined) opening.opened++
      const ending = stepOf(endedAt)
      if (ending !== undefined) ending[resolution === 'fixed' || resolution === 'removed' ? resolution : 'closed']++
      for (const span of spans) {
        const state = span.isWaived ? 'waived' : severity
        const [rise, fall] = [rises[firstFrom(ends, span.from)], rises[firstFrom(ends, span.to ?? Infinity)]]
        if (rise !== undefined) rise[state]++
        if (fall !== undefined) fall[state]--
      }
    },
    addRun({ incomplete }: PastRun, time: number): void {
      const step = stepOf(time)
      if (step === undefined) return
      step.runs++
      if (incomplete > 0) step.incomplete++
    },
    conclude(): (TrendStep & { readonly open: Counts })[] {
      const { waived: _, ...open } = none()
      let waived = 0
      return steps.map((step, at) => {
        for (const severity of severities) open[severity] += rises[at]?.[severity] ?? 0
        waived += rises[at]?.waived ?? 0
        return { ...step, waived, open: { ...open } }
      })
    },
  }
}

/** The index of the first of sorted values that is not less; their number when there is none. */
function firstFrom(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

interface FixTally {
  open: number
  oldest: number
  fixed: number
  fixingMs: number
}

function tallyFixing({ from, to }: Period) {
  const tally: FixTally = { open: 0, oldest: Infinity, fixed: 0, fixingMs: 0 }
  return {
    counts: tally,
    add({ first_seen, spans, endedAt, resolution, isMark }: Life): void {
      if (spans.some((span) => !span.isWaived && span.from <= to && (span.to === undefined || span.to > to))) {
        tally.open++
        tally.oldest = Math.min(tally.oldest, first_seen)
      }
      if (endedAt === undefined || endedAt < from || resolution !== 'fixed' || isMark) return
      tally.fixed++
      tally.fixingMs += endedAt - first_seen
    },
  }
}

function sumFixing(all: readonly FixTally[]): OpenAndFixed {
  const sum = (of: (one: FixTally) => number) => all.reduce((total, one) => total + of(one), 0)
  const [open, fixed] = [sum((one) => one.open), sum((one) => one.fixed)]
  return {
    open,
    oldest: open === 0 ? null : isoTime(Math.min(...all.map(({ oldest }) => oldest))),
    fixed,
    mean_time_to_fix_ms: fixed === 0 ? null : Math.round(sum((one) => one.fixingMs) / fixed),
  }
}
