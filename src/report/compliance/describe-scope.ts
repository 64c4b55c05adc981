import type { RunGateway } from '../../model/run-scope.ts'
import { count } from '../../model/text/count.ts'
import { showOpenTime } from '../../model/time.ts'
import { showTime } from '../text/show-time.ts'
import type { Compliance, CompliancePeriod } from './compliance.ts'

/** What the report is about, as names and sentences; the company is left out where the configuration does not name it. */
export function describeScope({
  scope,
  digests,
  threshold,
  coverage_of_fleet: fleet,
}: Compliance): readonly (readonly [name: string, text: string])[] {
  const { company, gateways, projects, unscanned, former, named_only, packs, ignored, schedules, schedule } = scope
  const outside = [
    ...(unscanned.length === 0 ? [] : [`${listNames(unscanned)}: not to be scanned by this run`]),
    ...(former.length === 0 ? [] : [`${listNames(former.map(describeFormer))}: no longer audited`]),
    ...named_only.map((service) => `other projects of ${service}: the configuration names those in scope`),
  ]
  return [
    ...(company === null ? [] : [['Company', company] as const]),
    ...gateways.map((gateway) => ['Gateway', describeGateway(gateway)] as const),
    ['Projects', `${fleet.scanned} of ${count(fleet.known, 'known project')}: ${listNames(projects)}`],
    ...(outside.length === 0 ? [] : [['Not in scope', outside.join('; ')] as const]),
    [
      'Policy',
      `${packs.length === 0 ? 'no pack' : `${packs.length === 1 ? 'pack' : 'packs'} ${packs.join(', ')}`}, SHA-256 ${digests.policy}`,
    ],
    ...(ignored.length === 0 ? [] : [['Left out of drift', listNames(ignored.map(describeIgnored))] as const]),
    ['Threshold', describeThreshold(threshold)],
    ['Schedule', describeSchedules(schedules, schedule)],
  ]
}

function describeFormer({ project, at }: Compliance['scope']['former'][number]): string {
  return `${project} (last scanned ${showTime(at)})`
}

function describeIgnored({ path, configured_at: at }: Compliance['scope']['ignored'][number]): string {
  return at === null ? path : `${path} (${at.file}:${at.line})`
}

function describeGateway({ service, url, key }: RunGateway): string {
  return `${service}, ${url}; ${rights[key]}`
}

const rights = {
  shared: 'one key reads several projects (a personal or organisation key)',
  own: 'each project has its own key (whether a key reads more is not known)',
  single: 'one project is named, with one key (whether it reads more is not known)',
} as const

function describeThreshold(threshold: Compliance['threshold']): string {
  if (threshold === 'info') return 'every open violation decides a control'
  return `open violations at ${threshold} or above decide a control; those below are observations`
}

function describeSchedules(schedules: Compliance['scope']['schedules'], startedBy: string | null): string {
  if (schedules.length === 0) return 'none in the configuration'
  const all = schedules.map(({ name, cron, timezone }) => `${name === '' ? '' : `${name}: `}${cron} (${timezone})`)
  return `${all.join('; ')}${startedBy === null ? '; this run was not started by a schedule' : `; this run was started by ${startedBy}`}`
}

const mostNames = 5

/** The first five, and how many there are when there are more. */
function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  if (names.length <= mostNames) return names.join(', ')
  return `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`
}

/** `Evidence begins 2026-11-24 15:13 UTC and ends …: 3 min of 90 d are covered (0.002 %)`. */
export function describeEvidence({ evidence, covered_ms, from, to, pruned }: CompliancePeriod): string {
  const length = Date.parse(to) - Date.parse(from)
  const covered = covered_ms < 60_000 ? 'less than 1 min' : showOpenTime(covered_ms)
  const extent = `${covered} of ${showOpenTime(length)} are covered (${showShare(evidence.share ?? 0)})`
  const gone = `${count(pruned, 'run')} of this time ${pruned === 1 ? 'was' : 'were'} pruned`
  const lost = pruned === 0 ? '' : ` ${gone}: what began and ended between two that are left is not listed.`
  return `Evidence begins ${showTime(evidence.from)} and ends ${showTime(evidence.to)}: ${extent}.${lost}`
}

/** Percent, never rounded up to the whole. */
function showShare(share: number): string {
  if (share >= 1) return '100 %'
  const percent = share * 100
  if (percent < 0.001) return 'under 0.001 %'
  if (percent >= 10) return `${Math.floor(percent * 10) / 10} %`
  return `${Number(percent.toPrecision(percent < 0.1 ? 1 : 2))} %`
}

/** What the longest time without a run is between, and how long it is. */
export function nameLongestGap({ from, to, longest_gap: gap }: CompliancePeriod): string {
  const [isStart, isEnd] = [gap.from === from, gap.to === to]
  if (isStart && isEnd) return 'Longest time without a run, the whole period'
  if (isStart) return 'Longest time without a run, from the start of the period'
  return isEnd ? 'Longest time without a run, to the end of the period' : 'Longest time between runs'
}

/** Of a run that scanned a part of the fleet; undefined for a whole one. */
export function describeFleet({ coverage_of_fleet: { scanned, known } }: Compliance): string | undefined {
  if (scanned >= known) return undefined
  return `${scanned} of ${count(known, 'known project')} scanned in this run.`
}

export const aboutTitles = "Titles of controls are shortened by hookdrift: the framework's own text decides."
