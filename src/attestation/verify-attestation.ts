import { hash, type KeyObject } from 'node:crypto'
import { type Envelope, envelopeSchema, isSignedBy, keyIdOf } from './envelope.ts'
import { payloadType, type Statement, statementSchema } from './statement.ts'

/** What was examined of an attestation; `ok` null: not checked, which is neither good nor bad. */
export interface AttestationCheck {
  readonly id: 'report' | 'attestation' | 'key' | 'history'
  readonly ok: boolean | null
  readonly detail: string
}

/** What a history says of the run that is attested to. */
export type AskHistory = (run: number) => {
  readonly fault?: string
  /** null: it has none; undefined: the run is not there. */
  readonly chain?: string | null | undefined
  /** What it was before an upgrade sealed the run's rows anew. */
  readonly formerChain?: string | null
}

/** Examines each of the four things alone, so that it is said which one does not hold. */
export function verifyAttestation(
  report: Buffer,
  envelopeText: string,
  key: KeyObject,
  askHistory: AskHistory | undefined,
): AttestationCheck[] {
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
    checkHistory(statement, askHistory),
  ]
}

function open(text: string): { envelope: Envelope; statement: Statement } | string {
  try {
    const envelope = envelopeSchema.parse(JSON.parse(text))
    if (envelope.payloadType !== payloadType) return 'its payload is no in-toto statement'
    const payload: unknown = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
    return { envelope, statement: statementSchema.parse(payload) }
  } catch {
    // What a parser says quotes the file, which may be another than was meant.
    return 'it is no attestation of a report: expected a file that --attest wrote beside one'
  }
}

function checkReport(report: Buffer, { subject }: Statement): AttestationCheck {
  const sha256 = hash('sha256', report)
  const [attested] = subject
  const ok = attested?.digest.sha256 === sha256
  const detail = ok
    ? `it is the one that was attested to (${attested.name}, sha256 ${sha256})`
    : `it is another than ${attested?.name} was: sha256 ${sha256}, attested to was ${attested?.digest.sha256}`
  return { id: 'report', ok, detail }
}

function checkSignature(envelope: Envelope, key: KeyObject): AttestationCheck {
  if (isSignedBy(envelope, key)) return { id: 'attestation', ok: true, detail: 'its signature holds' }
  if (namesKey(envelope, key)) return { id: 'attestation', ok: false, detail: 'it was changed after it was signed' }
  return { id: 'attestation', ok: null, detail: 'not checked: its signature is by another key' }
}

function checkKey(envelope: Envelope, key: KeyObject): AttestationCheck {
  const keyId = keyIdOf(key)
  if (isSignedBy(envelope, key) || namesKey(envelope, key))
    return { id: 'key', ok: true, detail: `it signed (${keyId})` }
  const signers = envelope.signatures
    .map(({ keyid }) => (/^[0-9a-f]{64}$/.test(keyid) ? keyid : 'a key that is not named'))
    .join(', ')
  return { id: 'key', ok: false, detail: `it did not sign: it is ${keyId}, signed by ${signers}` }
}

function namesKey({ signatures }: Envelope, key: KeyObject): boolean {
  return signatures.some(({ keyid }) => keyid === keyIdOf(key))
}

function checkHistory({ predicate }: Statement, ask: AskHistory | undefined): AttestationCheck {
  const { run, digests } = predicate
  if (ask === undefined) return { id: 'history', ok: null, detail: 'not checked: no history was given' }
  if (digests.chain === null) return { id: 'history', ok: null, detail: `not checked: run ${run.number} has no chain` }
  const { fault, chain, formerChain = null } = ask(run.number)
  if (fault !== undefined) return { id: 'history', ok: false, detail: `it does not verify: ${fault}` }
  if (chain === undefined) return { id: 'history', ok: null, detail: `not checked: it holds run ${run.number} no more` }
  if (chain === null && formerChain === digests.chain)
    return { id: 'history', ok: true, detail: resealed(run.number, formerChain) }
  const ok = chain === digests.chain
  const detail = ok
    ? `it verifies, and run ${run.number} is as it was attested to (chain ${chain})`
    : `run ${run.number} is another than was attested to: its chain is ${chain}, attested to was ${digests.chain}`
  return { id: 'history', ok, detail }
}

function resealed(run: number, formerChain: string): string {
  return (
    `it verifies, and held run ${run} as it was attested to (chain ${formerChain}) when an upgrade sealed anew what ` +
    `earlier versions kept in clear; the run left the chain then, and the history says of it what the report says, with more of it sealed`
  )
}
