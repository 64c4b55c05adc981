import { hash, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Compliance } from '../compliance/compliance.ts'
import type { Report } from '../model/report.ts'
import { type Envelope, seal } from './envelope.ts'

/** The subject: a report of any kind. */
export type AttestationSubject = Pick<Report | Compliance, 'tool' | 'run' | 'digests'>

export const payloadType = 'application/vnd.in-toto+json'
const statementType = 'https://in-toto.io/Statement/v1'
const predicateType = 'urn:hookdrift:audit-run:1'

const digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })

/** An in-toto statement (https://github.com/in-toto/attestation, version 1) about a report and its run. */
export const statementSchema = z.object({
  _type: z.literal(statementType),
  subject: z.array(z.object({ name: z.string().max(10_000), digest })).min(1),
  predicateType: z.literal(predicateType),
  predicate: z.object({
    tool: z.object({ name: z.string(), version: z.string() }),
    run: z.object({ number: z.int().positive(), started_at: z.string(), finished_at: z.string() }),
    digests: z.object({ policy: z.string(), configuration: z.string(), chain: z.string().nullable() }),
  }),
})

export type Statement = z.infer<typeof statementSchema>

/** Signs the content of a file: its bytes, and through the chain's digest the history behind it. */
export function attest(
  name: string,
  content: string,
  { tool, run, digests }: AttestationSubject,
  key: KeyObject,
): Envelope {
  const statement: Statement = {
    _type: statementType,
    subject: [
      { name, digest: { sha256: hash('sha256', content) } },
      ...(digests.chain === null ? [] : [{ name: chainName(run.number), digest: { sha256: digests.chain } }]),
    ],
    predicateType,
    predicate: {
      tool,
      run: { number: run.number, started_at: run.started_at, finished_at: run.finished_at },
      digests,
    },
  }
  return seal(payloadType, JSON.stringify(statement), key)
}

function chainName(run: number): string {
  return `history/run/${run}`
}
