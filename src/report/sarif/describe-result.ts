import type { Location, Result } from 'sarif'
import type { FileLocation } from '../../model/evaluation.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { formatExpiry } from '../../model/time.ts'
import type { Waiver } from '../../model/violation.ts'
import { cut, quote } from '../../text/neutralise.ts'
import { describeEnding } from '../describe-ending.ts'
import { levels } from './levels.ts'
import { plain } from './plain.ts'

/** What all results of a run need. */
export interface SarifContext {
  readonly run: Report['run']
  /** The index of each rule in the list of rules. */
  readonly ruleIndex: ReadonlyMap<string, number>
  /** Where each project is configured. */
  readonly placeOf: (project: string) => FileLocation | undefined
}

const longestName = 1000

export function describeResult(violation: ReportViolation, { run, ruleIndex, placeOf }: SarifContext): Result {
  const { rule, severity, state, project, kind, uid, name, path, fingerprint, first_seen, last_seen, due_at } =
    violation
  return {
    ruleId: rule,
    ruleIndex: ruleIndex.get(rule) ?? -1,
    level: levels[severity],
    message: { text: plain(describeViolation(violation), 6000) },
    locations: [locationOf(violation, placeOf(project))],
    partialFingerprints: {
      'hookdrift/v1': fingerprint,
      // Code scanning reads only this one; without it, all violations of a project would be one alert on one line.
      primaryLocationLineHash: `${fingerprint}:1`,
    },
    baselineState: baselineStateOf(violation, first_seen === run.started_at),
    // An empty list must be written: where one result has suppressions, all shall have them (3.27.23).
    suppressions: suppressionsOf(violation),
    properties: {
      state,
      severity,
      project: cut(project, longestName),
      kind,
      uid: cut(uid, longestName),
      name: cut(name, longestName),
      path: cut(path, longestName),
      first_seen,
      last_seen,
      ...(violation.resolution === null ? {} : { resolution: violation.resolution }),
      ...(violation.ended_by === null ? {} : { ended_by: plain(describeEnding(violation)) }),
      ...(due_at === null ? {} : { due_at }),
    },
  }
}

function describeViolation({ message, project, kind, uid, name, state, last_seen }: ReportViolation): string {
  const who = `${project} ${kind} ${name === '' ? '' : `${quote(cut(name, 200))} `}${cut(uid, 200)}`
  const stale = state === 'unknown' ? `unknown, last seen ${last_seen}: ` : ''
  return `${stale}${cut(message)} (${who})`
}

/** Only what is gone is absent: what a person or the policy ended is still there, and suppressed. */
function suppressionsOf(violation: ReportViolation): Result['suppressions'] {
  if (violation.waiver !== undefined) return [suppressionOf(violation.waiver)]
  if (violation.ended_by === null) return []
  return [{ kind: 'external', status: 'accepted', justification: plain(describeEnding(violation)) }]
}

/** A waived violation is new or unchanged like any other. An unknown one is unchanged, not absent. */
function baselineStateOf({ state, ended_by: by }: ReportViolation, isNew: boolean): Result.baselineState {
  if (state === 'resolved') return by === null ? 'absent' : 'unchanged'
  return state === 'opened' || (state === 'waived' && isNew) ? 'new' : 'unchanged'
}

function suppressionOf({ owner, reason, expires, ticket }: Waiver) {
  const inTicket = ticket === undefined ? '' : ` (${ticket})`
  return {
    kind: 'external',
    status: 'accepted',
    justification: plain(`${owner}: ${reason}${inTicket}, until ${formatExpiry(expires)}`),
    properties: {
      owner: cut(owner, longestName),
      expires,
      ...(ticket === undefined ? {} : { ticket: cut(ticket, longestName) }),
    },
  } as const
}

/** The resource, with the file that configures its project, because viewers need a file. */
function locationOf(
  { project, kind, uid, name, path }: Pick<ReportViolation, 'project' | 'kind' | 'uid' | 'name' | 'path'>,
  place: FileLocation | undefined,
): Location {
  return {
    ...physicalLocation(place),
    logicalLocations: [
      {
        name: cut(name === '' ? uid : name, longestName),
        fullyQualifiedName: cut(`${project}/${kind}/${uid}${path}`, 4000),
        kind,
      },
    ],
  }
}

export function physicalLocation(place: FileLocation | undefined): Pick<Location, 'physicalLocation'> {
  if (place === undefined) return {}
  const { file, line } = place
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } }
}

/** A path as a relative URI. */
function uriOf(file: string): string {
  return file.toWellFormed().split(/[\\/]/).map(encodeURIComponent).join('/')
}
