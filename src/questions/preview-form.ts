import { z } from 'zod'
import { schemas } from '../model/report.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { type AnswerForm, aboutScans } from '../report/answer.ts'

const finding = z.object({
  rule: z.string(),
  severity: schemas.severity,
  kind: schemas.kind,
  uid: schemas.uid.nullable().describe('null: of the resource that the request creates.'),
  name: schemas.name,
  path: schemas.pointer,
  message: z.string(),
})
const known = finding.extend({ fingerprint: z.string() })

const previewRow = z.object({
  path: z.string().describe('JSON Pointer into the attributes; empty for the resource as a whole.'),
  before: anyJson.describe('As the last scan left it; null where there is none.'),
  after: anyJson,
  by: z
    .enum(['request', 'omission', 'service'])
    .describe('Whether the request says so, leaves it out, or the service makes it so by itself.'),
})
export type PreviewRow = z.infer<typeof previewRow>

const more = {
  resource: z.object({
    project: schemas.project,
    kind: z.enum(['project', 'endpoint', 'subscription', 'source']),
    uid: schemas.uid.nullable().describe('null where the request creates it.'),
    name: schemas.name,
  }),
  request: z.object({
    method: z.string(),
    action: z.enum(['create', 'update', 'delete', 'pause', 'activate', 'expire_secret', 'toggle_status']),
  }),
  known: z
    .object({
      run: schemas.count,
      at: schemas.time,
      age_s: schemas.count,
      reasons: listOf(z.string()).describe('Why it is not good enough to rely on; none where it is.'),
    })
    .describe('The scan whose state the request meets.'),
  violations: z
    .object({ opened: listOf(finding), ended: listOf(known) })
    .describe('What the next audit would open and end because of it. Rules across projects are left out.'),
  dependents: listOf(
    z.object({
      kind: schemas.kind,
      uid: schemas.uid,
      name: schemas.name,
      effect: z.enum(['uses', 'deleted', 'activated']).describe('`uses`: it refers to it, and stays as it is.'),
    }),
  ),
  unknown: listOf(
    z.object({
      path: z.string().describe('JSON Pointer; empty: whether the request is taken at all.'),
      reason: z.string(),
    }),
  ).describe('What cannot be foreseen.'),
  refused: z
    .object({ status: schemas.count, reason: z.string() })
    .nullable()
    .describe('What the service answers to a request that it does not take; null where nothing shows that.'),
  sent: z.literal(false),
}
export type Preview = { readonly [Name in keyof typeof more]: z.infer<(typeof more)[Name]> }

export const previewForm: AnswerForm = { name: 'preview', version: 1, about: aboutScans, row: previewRow, more }
