import { isJsonObject } from '../model/json.ts'
import { neutraliseJson } from '../model/text/neutralise.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * The document itself (config/report.schema.json). The same content gives the same bytes in any order of its members,
 * and its text cannot control a terminal.
 */
export const json: ReportFormat = (report) => `${neutraliseJson(JSON.stringify(report, inReadingOrder, 2))}\n`

const readingOrder = [
  ...[
    'schema',
    'tool',
    'run',
    'digests',
    'verdict',
    'coverage',
    'gaps',
    'notices',
    'drift',
    'notes',
    'causes',
    'violations',
  ],
  ...['projects', 'rules'],
  ...['exit_code', 'text', 'fail_on', 'waived', 'unknown', 'resolved'],
  ...['critical', 'high', 'medium', 'low', 'info', 'added', 'removed', 'modified'],
  ...[
    'fingerprint',
    'rule',
    'severity',
    'state',
    'resolution',
    'ended_by',
    'code',
    'project',
    'listing',
    'kind',
    'uid',
    'name',
    'version',
    'number',
  ],
  ...['change', 'fields', 'referrers', 'path', 'before', 'after', 'message', 'first_seen', 'last_seen', 'due_at'],
  ...['waiver', 'owner'],
  ...[
    'started_at',
    'finished_at',
    'status',
    'cause',
    'reason',
    'filter',
    'pages',
    'items',
    'requests',
    'retries',
    'duration_ms',
  ],
]
const rankByMember = new Map(readingOrder.map((member, rank) => [member, rank]))

/** For JSON.stringify: the contract's members in the documented order, then all others by code unit. */
export function inReadingOrder(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  // fromEntries defines members, so one called `__proto__` survives.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1)))
}

function rankOf(member: string): number {
  return rankByMember.get(member) ?? readingOrder.length
}
