import { isLoss } from '../history/cause.ts'
import type { FieldChange } from '../model/change.ts'
import type { Report, ReportCause, ReportDrift } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { neutralise, quote } from '../model/text/neutralise.ts'
import { isOpen } from '../model/violation.ts'
import { shorten } from './text/shorten.ts'
import { showValues } from './text/show-values.ts'

const widestValue = 40
const widestName = 60

/**
 * What happened to what, in a sentence without a full stop: `/authentication was wiped from 41 endpoints of 3 projects, 22
 * owners`. No text of a service can control a terminal.
 */
export function describeCause({ change, fields, ...cause }: DescribedCause): string {
  const where = describeAffected(cause)
  const [first, ...others] = fields
  if (change === 'removed' || first === undefined) return `${where} ${cause.resources === 1 ? 'was' : 'were'} removed`
  const path = shorten(neutralise(first.path), widestName)
  if (others.length > 0) {
    const all = `${path} and ${count(others.length, 'other field')}`
    return fields.every(wasWiped) ? `${all} were wiped from ${where}` : `${all} changed in ${where}`
  }
  if (wasWiped(first)) return `${path} was wiped from ${where}`
  const { before, after } = showValues(first, widestValue)
  return `${path} changed from ${before} to ${after} in ${where}`
}

type DescribedCause = Pick<ReportCause, 'change' | 'kind' | 'fields' | 'resources' | 'projects' | 'owners' | 'affected'>

const mostRules = 6

/** What a change put right: `Repairs drift/authentication-lost, drift/rate-limit-lost`. Empty where it did nothing. */
export function describeRepairs({ repairs }: Pick<ReportDrift, 'repairs'>): string {
  const rules = [...new Set(repairs.map(({ rule }) => neutralise(rule)))]
  const omitted = rules.length - mostRules
  const named = [...rules.slice(0, mostRules), ...(omitted > 0 ? [`and ${count(omitted, 'more rule')}`] : [])]
  return rules.length === 0 ? '' : `Repairs ${named.join(', ')}`
}

/** The violations that follow from a cause, by rule: `41 × drift/authentication-lost (high)`. */
export function describeFollowing({ rules }: Pick<ReportCause, 'rules'>): string {
  const named = rules.slice(0, mostRules).map(({ rule, severity, violations }) => {
    return `${violations === 1 ? '' : `${violations} × `}${neutralise(rule)} (${severity})`
  })
  const omitted = rules.length - named.length
  return [...named, ...(omitted > 0 ? [`and ${count(omitted, 'more rule')}`] : [])].join(', ')
}

/**
 * The report without what some causes explain: open violations that follow, and fields that they have. A change with
 * further fields stays with these. A cause does not say which of its violations are unknown or waived.
 */
export function withoutCauses(report: Report, causes: readonly ReportCause[]): Report {
  const { drift, violations } = report
  const following = new Set(causes.flatMap((cause) => cause.violations))
  const explained = new Map<string, Set<string>>()
  for (const { kind, change, fields, affected, first_run } of causes) {
    if (first_run !== report.run.number) continue
    for (const { project, uid } of affected) {
      const key = JSON.stringify([project, kind, uid, change])
      explained.set(key, new Set([...(explained.get(key) ?? []), ...fields.map(({ path }) => path)]))
    }
  }
  return {
    ...report,
    violations: violations.filter((violation) => !isOpen(violation) || !following.has(violation.fingerprint)),
    drift: drift.flatMap((one) => {
      const covered = explained.get(JSON.stringify([one.project, one.kind, one.uid, one.change]))
      if (covered === undefined) return [one]
      const fields = one.fields.filter(({ path }) => !covered.has(path))
      return fields.length === 0 ? [] : [{ ...one, fields }]
    }),
  }
}

/** A field as a cause has it, with words in place of the values before where resources lost different ones. */
export interface CauseField extends FieldChange {
  readonly lost?: string
}

export function fieldsOfCause({ fields, resources }: Pick<ReportCause, 'fields' | 'resources'>): readonly CauseField[] {
  return fields.map((field) => {
    const isLost = field.before === null && wasWiped(field) && (resources > 1 || field.after === null)
    return isLost ? { ...field, lost: resources > 1 ? 'different values' : 'its value' } : field
  })
}

/** Of resources that lost different values, none is shown. */
function wasWiped(field: FieldChange): boolean {
  return isLoss(field) || (field.before === null && isLoss({ before: true, after: field.after }))
}

function describeAffected({
  kind,
  resources,
  projects,
  owners,
  affected,
}: Omit<DescribedCause, 'change' | 'fields'>): string {
  const noun = kind.replace('_', ' ')
  const [project = ''] = projects
  const ofProjects = projects.length === 1 ? neutralise(project) : count(projects.length, 'project')
  const [only, another] = affected
  const [owner, ...moreOwners] = owners
  const ofOwners =
    owner === undefined
      ? ''
      : `, ${moreOwners.length === 0 ? `owner ${neutralise(shorten(owner, widestName))}` : count(owners.length, 'owner')}`
  if (only !== undefined && another === undefined) {
    const name = only.name === '' ? neutralise(shorten(only.uid, widestName)) : quote(shorten(only.name, widestName))
    return kind === 'project' ? `project ${ofProjects}` : `${noun} ${name} of ${ofProjects}${ofOwners}`
  }
  return kind === 'project' ? count(resources, noun) : `${count(resources, noun)} of ${ofProjects}${ofOwners}`
}
