import { anEndpoint, aSource, type Cases, changed } from '../rule-cases.ts'

const seal = (digit: string) => `sealed:${digit.repeat(32)}`
const [one, two] = [seal('1'), seal('2')]
const secrets = (...entries: (readonly [uid: string, value: string])[]) => ({
  secrets: Object.fromEntries(entries.map(([uid, value]) => [uid, { value, deleted_at: null }])),
})

export const cases: Cases = {
  'finds secrets that came, went and were replaced': {
    compares: [
      changed(anEndpoint(secrets(['a', one], ['b', one])), secrets(['a', two], ['c', one])),
      changed(aSource({ verifier: null }), { verifier: { type: 'hmac', hmac: { secret: one } } }),
    ],
    finds: [
      'info e1/secrets/a/value: secret replaced',
      'info e1/secrets/b: secret removed',
      'info e1/secrets/c: secret added',
      'info q1/verifier: secret added',
    ],
  },
  'leaves secrets alone that only have other uids': {
    compares: [changed(anEndpoint(secrets(['a', one], ['b', two])), secrets(['c', two], ['d', one]))],
  },
  'finds a secret that was marked deleted': {
    compares: [
      changed(anEndpoint({ secrets: { a: { value: one, deleted_at: null } } }), {
        secrets: { a: { value: one, deleted_at: '2026-11-20T00:00:00Z' } },
      }),
    ],
    finds: ['info e1/secrets/a/deleted_at: secret removed'],
  },
  'leaves a deleted secret alone that only one release lists': {
    compares: [
      changed(anEndpoint({ secrets: {} }), { secrets: { a: { value: one, deleted_at: '2026-11-20T00:00:00Z' } } }),
    ],
  },
  'finds a credential within an address': {
    compares: [
      changed(anEndpoint({ url: `https://example.com/?token=${one}` }), { url: `https://example.com/?token=${two}` }),
    ],
    finds: ['info e1/url: secret replaced'],
  },
  'leaves changes without secrets alone': {
    compares: [changed(anEndpoint({ url: 'https://a.example.com' }), { url: 'https://b.example.com' })],
  },
  'compares no seals of different keys, and none that the service masks': {
    compares: [
      changed(anEndpoint(secrets(['a', one])), secrets(['a', two]), { areSealsComparable: false }),
      changed(
        anEndpoint({ url: `https://a.example.com/?token=${one}` }),
        { url: `https://b.example.com/?token=${two}` },
        {
          areSealsComparable: false,
        },
      ),
      changed(anEndpoint(secrets(['a', one])), secrets(['a', 'sealed:masked'])),
    ],
  },
  'leaves the texts of functions to another rule': {
    compares: [changed(aSource({ body_function: `key = "${one}"` }), { body_function: `key = "${two}"` })],
  },
}
