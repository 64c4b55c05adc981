import { hash } from 'node:crypto'
import type { PriorState, ViolationChange, ViolationTransition } from '../history/notification-facts.ts'
import type { RunRecord } from '../history/records.ts'
import { isSilent } from '../model/gap.ts'
import type { ReportViolation } from '../model/report.ts'
import { count, countEach } from '../model/text/count.ts'
import { quote } from '../model/text/neutralise.ts'
import { countSeverities, isAtLeast, isSolved, type Severity, severities } from '../model/violation.ts'
import { countEndings, describeWaiver } from '../report/describe-ending.ts'
import { listed } from '../rules/shared/listed.ts'
import { type Event, type EventType, eventTypes } from './message.ts'

/** The events of a run, most important first. Pure: the same input gives the same events, with the same ids. */
export function findEvents(record: RunRecord, before: PriorState): readonly Event[] {
  return [
    ...coverageEvents(record, before),
    ...violationEvents(record, before),
    ...raisedEvents(record, before),
    ...ruleEvents(record, before),
  ].sort(byImportance)
}

/** An event of the worker itself. `at`: ISO 8601, UTC. */
export function workerEvent(type: 'worker.failed' | 'worker.recovered', text: string, at: string): Event {
  return { id: idOf([type, text, at]), type, severity: 'critical', project: null, text }
}

/** `msg_`, `evt_`, `test_` and 32 hex digits: a digest of the parts that identify the thing. */
export function idOf(parts: readonly (string | number | null)[], prefix = 'evt'): string {
  return `${prefix}_${hash('sha256', JSON.stringify(parts)).slice(0, 32)}`
}

/** Its start and its configuration distinguish a run from those of other histories. */
export function runIdentity(record: RunRecord): (string | number)[] {
  return [record.number, record.started_at, record.configuration_digest]
}

/** Lost coverage is worse than any violation: it passes every channel's severity filter. */
const ofCoverage: Severity = 'critical'

function coverageEvents(record: RunRecord, { scans }: PriorState): Event[] {
  // When a project left the fleet, what could not be read of it was over.
  const found = new Set(record.notices.flatMap(({ code, project }) => (code === 'project_found' ? [project] : [])))
  return record.coverage.flatMap(({ project, listing, status, reason }): Event[] => {
    const before = scans.get(project)
    const was = before?.statuses.get(listing)
    // Readers know what was lost by the name that the project had then.
    const isRenamed = before !== undefined && before.name !== project
    const make = (type: EventType, text: string): Event[] => {
      const id = idOf([type, project, listing, ...runIdentity(record)])
      return [{ id, type, severity: ofCoverage, project, listing, text }]
    }
    if (status === 'complete') {
      const isBack = was !== undefined && was !== 'complete'
      return isBack ? make('coverage.regained', `the ${listing} can be read completely again`) : []
    }
    // A listing that was never offered was not lost.
    const isLost =
      status === 'skipped'
        ? was === 'complete'
        : isRenamed || found.has(project) || was === undefined || was === 'complete' || was === 'skipped'
    return isLost ? make('coverage.lost', `the ${listing} could not be read completely: ${status}, ${reason}`) : []
  })
}

function violationEvents(record: RunRecord, { transitions }: PriorState): Event[] {
  return transitions.flatMap((move): Event[] => {
    const type = typeOf(move)
    if (type === undefined) return []
    const { resolution, ended_by } = move
    const about = eventAbout(type, move, record)
    return [{ ...about, resolution: resolution ?? undefined, ended_by: ended_by ?? undefined }]
  })
}

/** A channel of severe violations got no event about one of these while it was lighter. */
function raisedEvents(record: RunRecord, { changes }: PriorState): Event[] {
  return changes
    .filter(({ severity, was }) => severity !== was.severity && isAtLeast(severity, was.severity))
    .map((change) => ({
      ...eventAbout('violation.raised', change, record),
      text: `${change.message} (severity was ${change.was.severity})`,
    }))
}

/** What is new about violations that have not ended: another severity or message, or a waiver. */
export function findChanges(record: RunRecord, { changes, transitions }: PriorState): readonly Event[] {
  const waivers = new Map(record.violations.map(({ fingerprint, waiver }) => [fingerprint, waiver]))
  return [
    ...changes.map((change) => ({
      ...eventAbout('violation.changed', change, record),
      text: describeChange(change),
    })),
    ...transitions
      .filter(({ now }) => now === 'waived')
      .map((move) => {
        const waiver = waivers.get(move.fingerprint)
        return {
          ...eventAbout('violation.waived', move, record),
          text: waiver === undefined ? 'a waiver accepts it' : describeWaiver(waiver),
        }
      }),
  ]
}

function eventAbout(
  type: EventType,
  { project, severity, rule, kind, uid, name, path, fingerprint, message: text, owner }: Omit<ViolationChange, 'was'>,
  record: RunRecord,
): Event {
  const id = idOf([type, fingerprint, ...runIdentity(record)])
  return { id, type, severity, project, rule, kind, uid, name, path, fingerprint, text, owner: owner ?? undefined }
}

function describeChange({ was, severity, message }: ViolationChange): string {
  const rated = severity === was.severity ? [] : [`severity ${severity} (was ${was.severity})`]
  const said = message === was.message ? [] : [`${message} (was: ${was.message})`]
  return [...rated, ...said].join('; ')
}

/** Only `fixed` and `removed` say that a problem is gone. */
function typeOf({ before, now, resolution }: ViolationTransition): EventType | undefined {
  if (now === 'ended') return isSolved(resolution) ? 'violation.resolved' : 'violation.closed'
  if (now !== 'open') return undefined
  if (before === 'never') return 'violation.opened'
  // A waived violation counts again when its waiver ends; an unknown one was notified already.
  return before === 'unknown' ? undefined : 'violation.reopened'
}

/** Rules that no longer report on a project: not evaluated, or the resources of their findings not scanned. */
function ruleEvents(record: RunRecord, { scans, transitions }: PriorState): Event[] {
  const lost = transitions.filter(({ now }) => now === 'unknown')
  const moved = new Set(lost.map(({ fingerprint }) => fingerprint))
  const unknownAlready = new Set(
    record.violations
      .filter(({ state, fingerprint }) => state === 'unknown' && !moved.has(fingerprint))
      .map(({ project, rule }) => `${project} ${rule}`),
  )
  const unevaluated = new Map<string, { project: string; rule: string; text: string }>()
  for (const gap of record.projects.flatMap(({ gaps }) => gaps)) {
    const { project, rule, text } = gap
    if (rule === null || !isSilent(gap) || scans.get(project)?.silent.has(rule) === true) continue
    unevaluated.set(`${project} ${rule}`, { project, rule, text })
  }
  const lostByRule = Map.groupBy(lost, ({ project, rule }) => `${project} ${rule}`)
  for (const [key, group] of lostByRule) {
    const [first] = group
    if (first === undefined || unevaluated.has(key) || unknownAlready.has(key)) continue
    const { project, rule, name, uid } = first
    const others = group.length === 1 ? '' : ` and ${group.length - 1} more`
    const text = `its violations could not be checked: ${quote(name === '' ? uid : name)}${others}`
    unevaluated.set(key, { project, rule, text })
  }
  const severityOf = new Map(record.rules.map(({ id, severity }) => [id, severity]))
  return [...unevaluated].map(([key, { project, rule, text }]) => {
    const id = idOf(['rule.unknown', project, rule, ...runIdentity(record)])
    // An override may have made one of its violations more severe than the rule.
    const among = [severityOf.get(rule) ?? 'medium', ...(lostByRule.get(key) ?? []).map(({ severity }) => severity)]
    const severity = among.reduce((worst, other) => (isAtLeast(other, worst) ? other : worst))
    return { id, type: 'rule.unknown', severity, project, rule, text }
  })
}

/** What is over. */
export const goodEvents: ReadonlySet<EventType> = new Set([
  'worker.recovered',
  'coverage.regained',
  'violation.resolved',
])

/** Bad events before good ones, severe before light, then by what it is and where. */
export function byImportance(a: Event, b: Event): number {
  return (
    Number(goodEvents.has(a.type)) - Number(goodEvents.has(b.type)) ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    eventTypes.indexOf(a.type) - eventTypes.indexOf(b.type) ||
    compare(a.project ?? '', b.project ?? '') ||
    compare(a.rule ?? '', b.rule ?? '') ||
    compare(a.uid ?? '', b.uid ?? '') ||
    compare(a.id, b.id)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** One event for all violations that the policy no longer asks for. `id`: parts that identify their message. */
export function foldEndedByPolicy(events: readonly Event[], id: readonly (string | number)[]): readonly Event[] {
  const isFolded = ({ resolution }: Event) => resolution === 'policy'
  return fold(events, isFolded, id, (ended) => {
    const rules = [...Map.groupBy(ended, ({ rule = '' }) => rule)].map(
      ([rule, group]) => `${rule} (${countEndings(group.map(endingOf))})`,
    )
    return `${count(ended.length, 'violation')}: ${rules.sort().join(', ')}`
  })
}

/** One event for all listings that are complete again, and one for all rules that are unknown where others were lost. */
export function foldListings(events: readonly Event[], id: readonly (string | number)[]): readonly Event[] {
  const lostIn = new Set(events.flatMap(({ type, project }) => (type === 'coverage.lost' ? project : [])))
  const isRegained = ({ type }: Event) => type === 'coverage.regained'
  const isUnknown = ({ type, project }: Event) => type === 'rule.unknown' && lostIn.has(project)
  const folded = events.filter(isRegained).length < 2 ? events : fold(events, isRegained, id, sayRegained)
  return fold(folded, isUnknown, id, (rules) => {
    const rated = countEach(severities, countSeverities(rules))
    return `what ${count(rules.length, 'rule')} found there (${rated}), until the next complete scan`
  })
}

function sayRegained(regained: readonly Event[]): string {
  return `${regained.length} listings: ${listed([...new Set(regained.flatMap(({ project }) => project ?? []))])}`
}

/** The events with one, as severe as the worst, in place of some. */
function fold(
  events: readonly Event[],
  isFolded: (event: Event) => boolean,
  id: readonly (string | number)[],
  say: (folded: readonly Event[]) => string,
): readonly Event[] {
  const folded = events.filter(isFolded)
  const [worst] = folded.toSorted(byImportance)
  if (worst === undefined) return events
  const { type, severity, resolution } = worst
  const one: Event = { id: idOf([type, ...id]), type, severity, project: null, resolution, text: say(folded) }
  return [...events.filter((event) => !isFolded(event)), one]
}

/** How a violation ended, as reports say it. */
export function endingOf({ resolution, ended_by }: Event): Pick<ReportViolation, 'resolution' | 'ended_by'> {
  return { resolution: resolution ?? null, ended_by: ended_by ?? null }
}
