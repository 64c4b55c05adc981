import { z } from 'zod'
import type { Acceptance, AcceptanceEnding, ListedAcceptance } from '../history/acceptances.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { projectFinder, readLatestScans } from '../history/sql/scans.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import { unsaid } from '../model/decision.ts'
import { schemas } from '../model/report.ts'
import { policyProject } from '../model/resource.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutRun, limited } from '../report/answer.ts'
import { asSentence, describeDecision, describeSigner } from '../report/describe-ending.ts'
import { type Item, list } from '../report/document/blocks.ts'
import { shortFingerprint } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { given, parameter, type Question, question, signedParameter, signedRun } from './question.ts'
import { acceptancesAsOf } from './signed-as-of.ts'

const acceptanceRow = z.object({
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  rule: z.string(),
  project: schemas.project,
  kind: schemas.kind,
  uid: z.string(),
  name: z.string().describe('Of the resource, as its violation last had it; empty where the history lost that.'),
  path: z.string().describe('JSON Pointer into the attributes.'),
  reason: z.string(),
  by: z.string(),
  at: schemas.time,
  os_user: z
    .string()
    .nullable()
    .describe('Which user of the operating system wrote it; null where it was not recorded.'),
  value_digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe('SHA-256 of what was accepted, in which secrets are seals; null where the finding is accepted as it is.'),
  revoked_at: schemas.time.nullable().describe('null unless a person revoked it.'),
  ended_at: schemas.time
    .nullable()
    .describe('When it was revoked, or the run began that ended it; null while it is in force.'),
  ended_by: z
    .enum(['value_changed', 'restored', 'removed', 'revoked'])
    .nullable()
    .describe('null while it is in force.'),
})
export type AcceptanceRow = z.infer<typeof acceptanceRow>

export const acceptForm: AnswerForm = {
  name: 'accept',
  version: 2,
  about: aboutRun('Always null.'),
  row: acceptanceRow,
}

export const acceptances = question({
  form: acceptForm,
  parameters: { run: signedParameter },
  isOfRun: false,
  async read(history, { run: named }, { limit }) {
    const accepted = await acceptancesAsOf(history, await signedRun(history, named))
    return { answer: answerAcceptances(accepted, limit), view: acceptancesView }
  },
})

const atAddress = {
  list: parameter('--list', 'list all acceptances, including ended ones', given),
  run: signedParameter,
}

/** At its address, which has one answer, with `list` and without. */
export const acceptancesAtAddress: Question<typeof atAddress, AcceptanceRow> = { ...acceptances, parameters: atAddress }

/** Acceptances, the latest first. */
export function answerAcceptances(acceptances: readonly ListedAcceptance[], limit: number): Answer<AcceptanceRow> {
  return { form: acceptForm, run: null, ...limited(acceptances.map(toRow).reverse(), limit) }
}

function toRow(acceptance: ListedAcceptance): AcceptanceRow {
  const { project, revoked, ended, fingerprint, rule, kind, uid, name, path } = acceptance
  const { reason, by, osUser, at, valueDigest } = acceptance
  return {
    fingerprint,
    rule,
    project: project.name,
    kind,
    uid,
    name,
    path,
    reason,
    by,
    os_user: osUser ?? null,
    at,
    value_digest: valueDigest,
    revoked_at: revoked?.at ?? null,
    ended_at: ended?.at ?? revoked?.at ?? null,
    ended_by: ended?.by ?? (revoked === undefined ? null : 'revoked'),
  }
}

/** What became of an acceptance, in words. */
export const endingWords = {
  value_changed: 'another value',
  restored: 'put right',
  removed: 'resource removed',
  revoked: 'revoked',
} as const satisfies Record<AcceptanceEnding | 'revoked', string>

export const acceptancesView: AnswerView<AcceptanceRow> = {
  columns: [
    { name: 'fingerprint', only: 'csv' },
    { name: 'rule', link: 'violation' },
    { name: 'project', link: 'project' },
    { name: 'kind', only: 'csv' },
    { name: 'uid', only: 'csv' },
    { name: 'resource', value: ({ name, uid }) => name || uid, link: 'resource', only: 'text' },
    'path',
    { name: 'value_digest', only: 'csv' },
    'by',
    { name: 'os_user', only: 'csv' },
    'at',
    { name: 'revoked_at', only: 'csv' },
    'ended_at',
    { name: 'ended_by', show: ({ ended_by }) => (ended_by === null ? '' : endingWords[ended_by]) },
    'reason',
    { name: 'name', only: 'csv' },
  ],
  blocks: ({ rows }) => list('acceptance', rows.map(itemOf)),
  nothing: 'No violation was accepted.',
  isOfRun: false,
}

/** What was accepted where, by whom and why, and what ended it. */
function itemOf(row: AcceptanceRow): Item {
  const { fingerprint, rule, path, reason, at, ended_at, ended_by } = row
  const accepted = describeDecision({ ...unsaid, kind: 'acceptance', by: describeSigner(row), reason, at })
  return {
    text: [{ code: shortFingerprint(fingerprint) }, ' ', { code: rule }],
    below: [
      path === '' ? { resource: row } : [{ resource: row }, ' at ', { code: path }],
      asSentence(accepted),
      ...(ended_at === null || ended_by === null ? [] : [`Ended ${showTime(ended_at)}: ${endingWords[ended_by]}`]),
    ],
  }
}

/** Active violations as of the last run, with their projects; those about waivers too, which cannot be accepted. */
export async function readAcceptable(
  history: HistoryReader,
): Promise<readonly (RecordedViolation & { readonly scanned: Acceptance['project'] })[]> {
  const last = await findLastRun(history)
  if (last === undefined) return []
  const projectOf = projectFinder([...(await readLatestScans(history, last.number)), { project: policyProject }])
  return (await readViolationsAt(history, last.number)).flatMap((violation) => {
    const scanned = projectOf(violation)
    return scanned === undefined ? [] : [{ ...violation, scanned }]
  })
}
