import type { Report, Verdict } from '../model/report.ts'
import { wrapProse } from '../text/columns.ts'
import { neutralise } from '../text/neutralise.ts'
import { withoutCauses } from './describe-cause.ts'
import type { ReportFormat } from './report-format.ts'
import { openPage, type TextPage } from './text/page.ts'
import { namedCauses, showCauses } from './text/show-causes.ts'
import { showCoverage, showNotices } from './text/show-coverage.ts'
import { showDrift } from './text/show-drift.ts'
import { violationSections } from './text/show-violations.ts'
import { showWhatNext } from './text/what-next.ts'

/** Lines of a report that is not shown whole. */
const screen = 60
const leastRoom = 24

/**
 * For people at a terminal: what could not be scanned, the verdict, what is new and changed, then all else. A report that
 * is longer than a screen has tables instead of lists.
 */
export const text: ReportFormat = (report, render) => {
  const page = openPage(report, render)
  const top = [...showCoverage(report, page), ...showVerdict(report.verdict, page), ...showCauses(report, page)]
  const next = showWhatNext(report, page)
  const sections = fitSections(report, page, Math.max(leastRoom, screen - top.length - next.length))
  return `${[...top, ...sections, ...next].join('\n')}\n`
}

/** The parts of a screen that sections have in any case, in the order in which they get what the others leave. */
const shares = {
  fresh: 0.25,
  drift: 0.2,
  others: 0.25,
  waived: 0.1,
  accepted: 0.05,
  resolved: 0.05,
  notices: 0.1,
}
/** A blank line, a heading, and what they are about. */
const least = 6
type Section = keyof typeof shares
const reading = [
  'fresh',
  'drift',
  'others',
  'resolved',
  'waived',
  'accepted',
  'notices',
] as const satisfies readonly Section[]

function fitSections(report: Report, page: TextPage, room: number): string[] {
  if (page.full) return inOrder(layOut(report, page))
  const cut = { ...page, messageLines: 1 }
  const isHuge = report.violations.length + report.drift.length > screen
  const attempts = isHuge ? [] : [page, { ...page, messageLines: 2 }, cut].map((each) => layOut(report, each))
  const [fitting] = attempts.map(inOrder).filter((lines) => lines.length <= room)
  return fitting ?? inOrder(layOut(report, cut, divide(layOut(report, cut, unlimited(room)), room)))
}

function inOrder(sections: Sections): string[] {
  return reading.flatMap((name) => sections[name])
}

/** No section needs more than a screen. */
function unlimited(room: number): Record<Section, number> {
  return {
    fresh: room,
    drift: room,
    others: room,
    waived: room,
    accepted: room,
    resolved: room,
    notices: room,
  }
}

type Sections = Readonly<Record<Section, readonly string[]>>

/** The sections, each in at most so many lines. */
function layOut(report: Report, page: TextPage, most?: Readonly<Record<Section, number>>): Sections {
  // What a cause explains is listed one by one where everything is.
  const alone = page.full ? report : withoutCauses(report, namedCauses(report, page))
  const { fresh, others, resolved, waived, accepted } = violationSections(alone, page)
  const roomOf = (section: Section) => most?.[section] ?? Number.POSITIVE_INFINITY
  return {
    fresh: fresh(roomOf('fresh')),
    drift:
      alone.drift.length < report.drift.length && alone.drift.length === 0
        ? []
        : showDrift(alone, page, roomOf('drift')),
    others: others(roomOf('others')),
    resolved: resolved(roomOf('resolved')),
    waived: waived(roomOf('waived')),
    accepted: accepted(roomOf('accepted')),
    notices: showNotices(report.notices, page, roomOf('notices')),
  }
}

/** Lines for each section: its share, and what shorter sections leave. */
function divide(whole: Sections, room: number): Record<Section, number> {
  // entries forgets that the names are known.
  const names = Object.keys(shares) as Section[]
  const lines = {
    fresh: 0,
    drift: 0,
    others: 0,
    waived: 0,
    accepted: 0,
    resolved: 0,
    notices: 0,
  } satisfies Record<Section, number>
  for (const name of names) lines[name] = Math.min(whole[name].length, Math.max(least, Math.floor(room * shares[name])))
  let remaining = room - names.reduce((sum, name) => sum + lines[name], 0)
  for (const name of names) {
    const more = Math.max(0, Math.min(remaining, whole[name].length - lines[name]))
    lines[name] += more
    remaining -= more
  }
  return lines
}

function showVerdict({ text, exit_code }: Verdict, page: TextPage): string[] {
  const style = exit_code === 0 ? 'good' : 'alarm'
  const lines = wrapProse(`${neutralise(text)} Exit code ${exit_code}.`, page.width)
  return ['', ...lines.map((line) => page.paint(style, line))]
}
