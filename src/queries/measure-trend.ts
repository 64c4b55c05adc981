import type { EndedRun, RecordedSpan } from '../history/reader.ts'
import { dayMs, isoTime } from '../model/clock.ts'
import { overdueRule } from '../model/due.ts'
import type { OpenAndFixed, Trend, TrendDay, TrendStep, TrendWeek } from '../model/trend.ts'
import { countSeverities, isSolved, type Severity, severities } from '../model/violation.ts'

const weekMs = 7 * dayMs

/** A period, in milliseconds since the epoch. */
interface Period {
  readonly from: number
  readonly to: number
}

/**
 * The trend of some violations. `spans`: all that reach into the period. Only what a scan proved gone counts as fixed, and
 * what it could not check stays open: an incomplete scan never looks like an improvement.
 */
export function measureTrend(
  spans: readonly RecordedSpan[],
  runs: readonly Pick<EndedRun, 'startedAt' | 'isCommitted' | 'incomplete'>[],
  { from, to }: Period,
): Trend {
  // What is overdue is counted with the violations themselves.
  const lives = gatherLives(spans.filter(({ rule }) => rule !== overdueRule))
  const openAt = (time: number) => lives.filter((life) => life.open.some((span) => isIn(span, time)))
  const stepTo = (start: number, end: number): TrendStep => {
    // The first moment of the period belongs to it.
    const isWithin = (time: number | undefined) =>
      time !== undefined && time <= end && (time > start || (start === from && time === from))
    const ended = lives.filter((life) => isWithin(life.endedAt))
    const within = runs.filter((run) => run.isCommitted && isWithin(Date.parse(run.startedAt)))
    return {
      opened: lives.filter((life) => isWithin(life.openedAt)).length,
      fixed: ended.filter(({ resolution }) => resolution === 'fixed').length,
      removed: ended.filter(({ resolution }) => resolution === 'removed').length,
      closed: ended.filter(({ resolution }) => !isSolved(resolution)).length,
      runs: within.length,
      incomplete: within.filter(({ incomplete }) => incomplete > 0).length,
    }
  }
  return {
    ...{ from: isoTime(from), to: isoTime(to) },
    weeks: weeksBack({ from, to }).map((end): TrendWeek => {
      const start = Math.max(from, end - weekMs)
      return { from: isoTime(start), to: isoTime(end), ...stepTo(start, end), open: openAt(end).length }
    }),
    days: daysWithin({ from, to }).map((start): TrendDay => {
      const end = Math.min(to, start + dayMs - 1)
      const date = isoTime(start).slice(0, 10)
      return { date, ...stepTo(Math.max(from, start - 1), end), open: countSeverities(openAt(end)) }
    }),
    all: measureFixing(lives, { from, to }),
    bySeverity: severities.map((severity) => {
      const alike = lives.filter((life) => life.severity === severity)
      return { severity, ...measureFixing(alike, { from, to }) }
    }),
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
  readonly firstSeen: number
  /** The severity that it had last. */
  readonly severity: Severity
  /** When it was open; without the times in which it was waived. */
  readonly open: readonly { readonly from: number; readonly to: number | undefined }[]
  /** undefined when it was waived from the beginning, or when what is left of it begins later. */
  readonly openedAt: number | undefined
  /** undefined while it is active. */
  readonly endedAt: number | undefined
  readonly resolution: RecordedSpan['resolution']
}

function gatherLives(spans: readonly RecordedSpan[]): readonly Life[] {
  const byLife = Map.groupBy(spans, ({ project, fingerprint, firstSeen }) => `${project} ${fingerprint} ${firstSeen}`)
  return [...byLife.values()].flatMap((unsorted) => {
    const ofLife = unsorted.toSorted((a, b) => (a.from < b.from ? -1 : 1))
    const [first, last] = [ofLife.at(0), ofLife.at(-1)]
    if (first === undefined || last === undefined) return []
    const isEnded = last.to !== null && !last.goesOn
    return [
      {
        firstSeen: Date.parse(first.firstSeen),
        severity: last.severity,
        open: ofLife
          .filter(({ isWaived }) => !isWaived)
          .map(({ from, to }) => ({ from: Date.parse(from), to: to === null ? undefined : Date.parse(to) })),
        openedAt: first.from === first.firstSeen && !first.isWaived ? Date.parse(first.firstSeen) : undefined,
        endedAt: isEnded && last.to !== null ? Date.parse(last.to) : undefined,
        resolution: isEnded ? last.resolution : null,
      },
    ]
  })
}

function isIn({ from, to }: Life['open'][number], time: number): boolean {
  return from <= time && (to === undefined || to > time)
}

function measureFixing(lives: readonly Life[], { from, to }: Period): OpenAndFixed {
  const open = lives.filter((life) => life.open.some((span) => isIn(span, to)))
  const fixed = lives.flatMap(({ firstSeen, endedAt, resolution }) =>
    endedAt !== undefined && endedAt >= from && isSolved(resolution) ? [endedAt - firstSeen] : [],
  )
  return {
    open: open.length,
    oldestOpen: open.length === 0 ? null : isoTime(Math.min(...open.map(({ firstSeen }) => firstSeen))),
    fixed: fixed.length,
    meanTimeToFixMs: fixed.length === 0 ? null : Math.round(fixed.reduce((sum, ms) => sum + ms, 0) / fixed.length),
  }
}
