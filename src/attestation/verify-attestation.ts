import { hash, type KeyObject } from 'node:crypto'
import { type Envelope, envelopeSchema, isSignedBy, keyIdOf } from './envelope.ts'
import { payloadType, type Statement, statementSchema } from './statement.ts'

/** One check of an attestation; `ok` null: not checked, which is neither good nor bad. */
export interface AttestationCheck {
  readonly id: 'report' | 'attestation' | 'key' | 'history'
  readonly ok: boolean | null
  readonly detail: string
}

/** Asks a history for the attested run. */
export type AskHistory = (run: number) => Promise<{
  readonly fault?: string
  /** undefined: the history does not have the run. */
  readonly chain?: string | undefined
  /** The last run of the history; undefined without any. */
  readonly last?: number | undefined
}>

/** Runs each of the four checks alone, so that the result names the one that fails. */
export async function verifyAttestation(
  report: Buffer,
  envelopeText: string,
  key: KeyObject,
  askHistory: AskHistory | undefined,
): Promise<AttestationCheck[]> {
  const opened = open(envelopeText)
  if (typeof opened === 'string') {
    const why = 'not checked: the attestation cannot be read'
    return [
      { id: 'report', ok: null, detail: why },
      { id: 'attestation', ok: false, detail: opened },
      { id: 'key', ok: null, detail: why },
      { id: 'history', ok: null, detail: why },
    ]
  }
  const { envelope, statement } = opened
  return [
    checkReport(report, statement),
    checkSignature(envelope, key),
    checkKey(envelope, key),
    await checkHistory(statement, askHistory),
  ]
}

function open(text: string): { envelope: Envelope; statement: Statement } | string {
  try {
    const envelope = envelopeSchema.parse(JSON.parse(text))
    if (envelope.payloadType !== payloadType) return 'its payload is not an in-toto statement'
    const payload: unknown = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
    return { envelope, statement: statementSchema.parse(payload) }
  } catch {
    // The parser's message quotes the file, which may be the wrong one.
    return 'it is not an attestation of a report: expected a file that --attest wrote next to a report'
  }
}

function checkReport(report: Buffer, { subject }: Statement): AttestationCheck {
  const sha256 = hash('sha256', report)
  const [attested] = subject
  const ok = attested?.digest.sha256 === sha256
  const detail = ok
    ? `it is the attested file (${attested.name}, sha256 ${sha256})`
    : `it differs from the attested ${attested?.name}: its sha256 is ${sha256}, attested was ${attested?.digest.sha256}`
  return { id: 'report', ok, detail }
}

function checkSignature(envelope: Envelope, key: KeyObject): AttestationCheck {
  if (isSignedBy(envelope, key)) return { id: 'attestation', ok: true, detail: 'its signature is valid' }
  if (namesKey(envelope, key)) return { id: 'attestation', ok: false, detail: 'it was changed after it was signed' }
  return { id: 'attestation', ok: null, detail: 'not checked: its signature is by another key' }
}

function checkKey(envelope: Envelope, key: KeyObject): AttestationCheck {
  const keyId = keyIdOf(key)
  if (isSignedBy(envelope, key) || namesKey(envelope, key))
    return { id: 'key', ok: true, detail: `it signed (${keyId})` }
  const signers = envelope.signatures
    .map(({ keyid }) => (/^[0-9a-f]{64}$/.test(keyid) ? keyid : 'a key without a name'))
    .join(', ')
  return { id: 'key', ok: false, detail: `it did not sign: it is ${keyId}, signed by ${signers}` }
}

function namesKey({ signatures }: Envelope, key: KeyObject): boolean {
  return signatures.some(({ keyid }) => keyid === keyIdOf(key))
}

async function checkHistory({ predicate }: Statement, ask: AskHistory | undefined): Promise<AttestationCheck> {
  const { run, digests } = predicate
  if (ask === undefined) return { id: 'history', ok: null, detail: 'not checked: no history was given' }
  if (digests.chain === null) return { id: 'history', ok: null, detail: `not checked: run ${run.number} has no chain` }
  const { fault, chain, last } = await ask(run.number)
  if (fault !== undefined) return { id: 'history', ok: false, detail: `it does not verify: ${fault}` }
  if (chain === undefined) {
    if (last !== undefined && last > run.number)
      return { id: 'history', ok: null, detail: `not checked: the history no longer contains run ${run.number}` }
    // Pruning keeps the last run.
    const end = last === undefined ? 'it has no run' : `it ends with run ${last}, before run ${run.number}`
    return { id: 'history', ok: false, detail: `${end}: it lost its last runs, or is another history` }
  }
  const ok = chain === digests.chain
  const detail = ok
    ? `it verifies, and run ${run.number} is as attested (chain ${chain})`
    : `run ${run.number} differs from the attested one: its chain is ${chain}, attested was ${digests.chain}`
  return { id: 'history', ok, detail }
}
