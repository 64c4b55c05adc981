import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Envelope, keyIdOf, seal } from '../../src/attestation/envelope.ts'
import { generateKeys } from '../../src/attestation/keys.ts'
import { type AttestationSubject, attest, payloadType } from '../../src/attestation/statement.ts'
import { type AskHistory, verifyAttestation } from '../../src/attestation/verify-attestation.ts'

const pair = () => {
  const privateKey = createPrivateKey(generateKeys().privatePem)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
const [ours, another] = [pair(), pair()]
const [chain, elsewhere] = ['c'.repeat(64), 'd'.repeat(64)]
const report = '{"schema":"hookdrift.report/2"}\n'

function attested(chain: string | null): AttestationSubject {
  return {
    tool: { name: 'hookdrift', version: '0.1.0' },
    run: { number: 7, started_at: '2026-11-21T03:00:00Z', finished_at: '2026-11-21T03:00:09Z' },
    digests: { policy: 'p', configuration: 'c', chain },
  } as AttestationSubject
}
const envelopeOf = (digest: string | null = chain) => attest('out.json', report, attested(digest), ours.privateKey)
const payloadOf = ({ payload }: Envelope) => JSON.parse(Buffer.from(payload, 'base64').toString())
const known: AskHistory = async () => ({ chain })

function check(
  envelope: Envelope,
  { text = report, key = ours.publicKey, ask = known as AskHistory | undefined } = {},
) {
  return verifyAttestation(Buffer.from(text), JSON.stringify(envelope), key, ask)
}
const outcomes = async (checks: ReturnType<typeof check>) => (await checks).map(({ ok }) => ok)
const detailOf = async (checks: ReturnType<typeof check>, id: string) =>
  (await checks).find((each) => each.id === id)?.detail

describe('an attestation', async () => {
  it('states the file and the chain of its run, in the form of in-toto', () => {
    const statement = payloadOf(envelopeOf())
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'out.json', digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
        { name: 'history/run/7', digest: { sha256: chain } },
      ],
      predicate: { run: { number: 7 }, digests: { chain } },
    })
    expect(payloadOf(envelopeOf(null)).subject).toHaveLength(1)
  })

  it('is signed over lengths, type and payload, so that any reader of DSSE can check it', () => {
    const { payloadType: type, payload, signatures } = envelopeOf()
    const body = Buffer.from(payload, 'base64').toString()
    const signed = `DSSEv1 ${type.length} ${type} ${Buffer.byteLength(body)} ${body}`
    expect(signatures.map(({ keyid }) => keyid)).toEqual([keyIdOf(ours.publicKey)])
    const [signature] = signatures.map(({ sig }) => Buffer.from(sig, 'base64'))
    expect(verify(null, Buffer.from(signed), ours.publicKey, signature ?? Buffer.of())).toBe(true)
  })

  it('of this report, by this key and in this history is good', async () => {
    expect((await check(envelopeOf())).map(({ id, ok }) => [id, ok])).toEqual([
      ['report', true],
      ['attestation', true],
      ['key', true],
      ['history', true],
    ])
  })

  it('names the one check that fails', async () => {
    const changed = { ...envelopeOf(), payload: seal(payloadType, JSON.stringify({}), ours.privateKey).payload }
    const forged: Envelope = {
      ...envelopeOf(),
      payload: attest('out.json', report, attested(elsewhere), another.privateKey).payload,
    }
    expect(await outcomes(check(envelopeOf(), { text: `${report} ` }))).toEqual([false, true, true, true])
    expect(await outcomes(check(envelopeOf(), { key: another.publicKey }))).toEqual([true, null, false, true])
    expect(await outcomes(check(envelopeOf(), { ask: async () => ({ chain: elsewhere }) }))).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(await outcomes(check(forged))).toEqual([true, false, true, false])
    expect(await outcomes(check(changed))).toEqual([null, false, null, null])
  })

  it('says which keys signed, and quotes no other text in their place', async () => {
    const [signature] = envelopeOf().signatures
    const sig = signature?.sig ?? ''
    const signatures = [
      { keyid: keyIdOf(another.publicKey), sig },
      { keyid: 'swordfish', sig },
    ]
    const checks = check({ ...envelopeOf(), signatures }, { key: pair().publicKey })
    expect(await detailOf(checks, 'key')).toContain(`signed by ${keyIdOf(another.publicKey)}, a key without a name`)
  })

  it('is good when one of several signatures is by this key', async () => {
    const { payload, signatures } = envelopeOf()
    const others = seal(payloadType, Buffer.from(payload, 'base64').toString(), another.privateKey).signatures
    expect(await outcomes(check({ ...envelopeOf(), signatures: [...others, ...signatures] }))).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  it.each<[string, unknown]>([
    ['not JSON', 'swordfish'],
    ['another object', { token: 'swordfish' }],
    ['without a signature', { ...envelopeOf(), signatures: [] }],
    ['of another type of payload', { ...envelopeOf(), payloadType: 'swordfish' }],
    ['of another statement', seal(payloadType, '{"_type":"swordfish"}', ours.privateKey)],
    ['with a payload that is not Base64', { ...envelopeOf(), payload: 'sword fish' }],
  ])('is refused, and not quoted, where it is %s', async (_, envelope) => {
    const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
    const checks = verifyAttestation(Buffer.from(report), text, ours.publicKey, known)
    expect(await outcomes(checks)).toEqual([null, false, null, null])
    expect(JSON.stringify(await checks)).not.toContain('swordfish')
  })
})

describe('the history behind an attestation', async () => {
  it.each<[string, AskHistory | undefined, string | null, boolean | null, RegExp]>([
    ['was not given', undefined, chain, null, /no history was given/],
    ['is not named by a run without a chain', known, null, null, /run 7 has no chain/],
    ['does not verify', async () => ({ fault: 'a row is gone' }), chain, false, /does not verify: a row is gone/],
    ['no longer contains the run', async () => ({ last: 9 }), chain, null, /no longer contains run 7/],
    ['ends before the run', async () => ({ last: 6 }), chain, false, /it ends with run 6, before run 7/],
    ['is empty', async () => ({ last: undefined }), chain, false, /it has no run/],
    ['has another chain', async () => ({ chain: elsewhere }), chain, false, /run 7 differs from the attested one/],
  ])('%s', async (_, ask, digest, ok, detail) => {
    const checks = await verifyAttestation(Buffer.from(report), JSON.stringify(envelopeOf(digest)), ours.publicKey, ask)
    const { ok: got, detail: said } = checks[3] ?? { ok: undefined, detail: '' }
    expect([got, said]).toEqual([ok, expect.stringMatching(detail)])
  })

  it('is asked for the attested run', async () => {
    const asked: number[] = []
    await check(envelopeOf(), {
      ask: async (run) => {
        asked.push(run)
        return { chain }
      },
    })
    expect(asked).toEqual([7])
  })
})
