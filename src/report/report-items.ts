import type { ReportCause, ReportChange, ReportViolation } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { isOverdue } from '../model/violation.ts'
import { describeCause, describeFollowing, describeRepairs, fieldsOfCause } from './describe-cause.ts'
import { describeDue } from './describe-due.ts'
import { describeEnding, describeWaiver } from './describe-ending.ts'
import { describeFailures, groupFailures } from './describe-failures.ts'
import { anchorOf, type Inline, type Item, joined, severityChip } from './document/blocks.ts'
import { firstSteps } from './document/lines.ts'
import { shorten, shortenSeals, shortFingerprint } from './text/shorten.ts'

/** Of fields, resources and fingerprints, so many are named. */
const mostNamed = 5

/** Why listings were not read to their end, what that cost, and what to do: each cause once. */
export function gapItems(...walked: Parameters<typeof groupFailures>): readonly Item[] {
  return groupFailures(...walked).map((group) => {
    const { headline, facts } = describeFailures(group)
    return {
      text: shorten(headline, 600),
      below: facts.map(({ label, text }) => `${label}: ${shorten(text, 600)}`),
    }
  })
}

/** A violation among others: what is wrong, then where, whose it is and since when. */
export function violationItem(
  violation: ReportViolation,
  { at, hasRule, more = [] }: { readonly at: string; readonly hasRule: boolean; readonly more?: readonly string[] },
): Item {
  const { fingerprint, rule, severity, path, owner, message, waiver } = violation
  const [said] = shortenSeals(message)
  const which: Inline = hasRule ? [severityChip(severity), ' ', { code: rule }, ': '] : []
  const place: Inline = path === '' ? [] : [' at ', { code: shorten(path, 120) }]
  const anchor = anchorOf('v', fingerprint)
  const due = at === '' ? '' : describeDue(violation, at)
  const facts: readonly Inline[] = [
    ...(owner === null ? [] : [['owner ', { text: shorten(owner, 60), to: { owner } }] as const]),
    ...(fingerprint === '' ? [] : [{ code: shortFingerprint(fingerprint) }]),
    ...stateOf(violation),
    ...(due === '' ? [] : [isOverdue(violation, Date.parse(at)) ? { strong: due } : due]),
    ...more.filter((fact) => fact !== ''),
  ]
  return {
    text: [...which, { text: shorten(said, 600), to: { violation: fingerprint } }],
    below: [
      joined([[{ resource: violation }, ...place], ...facts], ', '),
      ...(waiver === undefined ? [] : [shorten(describeWaiver(waiver), 600)]),
    ],
    isUnknown: violation.state === 'unknown',
    id: anchor,
    data: { rule, severity, project: violation.project, state: violation.state },
  }
}

function stateOf(violation: ReportViolation): readonly string[] {
  const { state, first_seen, last_seen, resolution } = violation
  if (state === 'opened') return []
  const [since, last] = [first_seen.slice(0, 10), last_seen.slice(0, 10)]
  if (state === 'unknown') return [`unknown, last seen ${last}`]
  if (state !== 'resolved') return [`${state === 'waived' ? 'waived, ' : ''}since ${since}`]
  return [...(resolution === null ? [] : [shorten(describeEnding(violation), 600)]), `last seen ${last}`]
}

const signs = { added: '+ added', removed: '- removed', modified: '~ modified' } as const

/** A change with its fields; `hasFields`: else their number is said. `more`: what people did meanwhile. */
export function changeItem(
  change: ReportChange & Partial<Parameters<typeof describeRepairs>[0]>,
  {
    hasFields = true,
    more = [],
  }: {
    readonly hasFields?: boolean
    readonly more?: readonly Inline[]
  } = {},
): Item {
  const { fields, referrers = [], repairs = [], ...resource } = change
  const used = referrers.slice(0, mostNamed).join(', ')
  const others = referrers.length - mostNamed
  const repaired = describeRepairs({ repairs })
  return {
    text: [
      { chip: signs[change.change], mark: change.change },
      ' ',
      { resource },
      hasFields || fields.length === 0 ? '' : ` (${count(fields.length, 'field')})`,
    ],
    fields: hasFields ? fields : [],
    below: hasFields
      ? [
          ...(used === ''
            ? []
            : [
                `Used by ${count(referrers.length, 'subscription')}: ${used}${others > 0 ? ` and ${others} more` : ''}`,
              ]),
          ...(repaired === '' ? [] : [repaired]),
          ...more,
        ]
      : [],
    data: { project: resource.project, change: change.change },
  }
}

interface CausePlace {
  /** The run that it is shown for. */
  readonly run: number
  /** How many names and fingerprints it has of each kind; default 5. */
  readonly most?: number
  /** Whether the fix is whole. */
  readonly full?: boolean
  /** What people did meanwhile. */
  readonly more?: readonly Inline[]
  /** How to fix the worst violation that follows; empty where that is not known. */
  readonly fix?: string
  /** A command that reads the same history; null where none can. */
  commandFor(command: string): string | null
}

/** What happened to what; whom it hit, by name; what follows, each with its fingerprint; and what puts it back. */
export function causeItem(
  cause: ReportCause,
  { run, most = mostNamed, full = false, more = [], fix = '', commandFor }: CausePlace,
): Item {
  const { id, severity, fields, affected, first_run, violations } = cause
  const changed = fields.length > 1 ? fieldsOfCause(cause) : []
  const omitted = changed.length - most
  const prints = violations.slice(0, most).map((print) => ({ code: shortFingerprint(print), to: { violation: print } }))
  const others = violations.length - prints.length
  const since = first_run === run ? '' : `, since run ${first_run}`
  const putBack = commandFor(`restore --cause ${id}`)
  const named: Inline =
    prints.length === 0 ? [] : [' (', ...joined(prints, ', '), others > 0 ? ` and ${others} more)` : ')']
  return {
    text: [severityChip(severity), ` ${describeCause(cause)}`],
    fields: changed.slice(0, most),
    below: [
      ...(omitted > 0 ? [`… and ${count(omitted, 'more field')}`] : []),
      ...(affected.length > 1 ? [`Affected: ${nameAffected(affected, most)}`] : []),
      [`Violations: ${describeFollowing(cause)}${since}`, ...named],
      ...more,
      ...(putBack === null ? [] : [['Put back: ', { code: putBack }]]),
      ...(fix === '' ? [] : [`Fix: ${firstSteps(fix, full)}`]),
    ],
    id: anchorOf('cause', id),
    data: { cause: id, severity },
  }
}

/** `"refund-001" (tenant-11), "stock-005" (tenant-23) and 39 more`. */
function nameAffected(affected: ReportCause['affected'], number: number): string {
  const named = affected.slice(0, number).map(({ name, uid, owner }) => {
    return `${name === '' ? uid : `"${shorten(name, 60)}"`}${owner === null ? '' : ` (${shorten(owner, 60)})`}`
  })
  const omitted = affected.length - named.length
  return `${named.join(', ')}${omitted === 0 ? '' : ` and ${omitted} more`}`
}
