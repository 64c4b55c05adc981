import { z } from 'zod'
import type { Kind } from '../model/resource.ts'
import { readTime } from '../model/time.ts'
import { severities } from '../model/violation.ts'

/** Kinds that a test can show. */
export const kindsInTests = [
  'project',
  'endpoint',
  'subscription',
  'source',
  'event_type',
] as const satisfies readonly Kind[]

const resource = z
  .looseObject({ kind: z.enum(kindsInTests), uid: z.string().min(1).max(64).exactOptional() })
  .describe("A resource in the service's own form; what is left out is as in a clean one")

const expected = z.strictObject({
  rule: z.string().min(1),
  uid: z.string().min(1).exactOptional().describe('Of the resource that it is about'),
  path: z.string().exactOptional().describe('JSON Pointer into the resource'),
  severity: z.enum(severities).exactOptional(),
  message: z.string().min(1).exactOptional().describe('Part of what it says'),
})

/** One test of a policy: the resources of a project, and the expected violations. */
export const policyTestSchema = z.strictObject({
  name: z.string().min(1).max(200).describe('What is shown, as a sentence'),
  project: z
    .string()
    .regex(/^[^/]+\/[^/]+$/, { error: 'service/project' })
    .default('acme/test'),
  labels: z.record(z.string(), z.string()).default({}).describe('Of the project'),
  at: z
    .string()
    .refine((text) => readTime(text)?.isZoned === true, {
      error: 'a date such as 2026-01-01, or a time with its zone such as 2026-01-01T09:00:00Z',
    })
    .default('2026-01-01')
    .describe('When it is evaluated: a date is its beginning in UTC'),
  companions: z
    .boolean()
    .default(true)
    .describe('Whether clean resources accompany these: an endpoint gets a subscription, and the other way round'),
  resources: z.array(resource).min(1).max(100),
  expect: z.array(expected).describe('Violations; an empty list for none'),
  exact: z.boolean().default(true).describe('Whether any other violation is a failure'),
})

export type PolicyTest = z.output<typeof policyTestSchema>

/** A file of tests of a policy. */
export const policyTestFileSchema = z.strictObject({ tests: z.array(policyTestSchema) })

/** For editors. */
export function policyTestJsonSchema(): object {
  return z.toJSONSchema(policyTestFileSchema, { io: 'input' })
}
