import type { JsonObject } from '../../../src/model/json.ts'
import { aProbe, type Cases, type Seen } from '../rule-cases.ts'

const ok = (output: JsonObject | string | null) => ({ outcome: 'ok', deterministic: true, output })
const after = (before: JsonObject, now: JsonObject): Seen => ({ ...aProbe(now), volatile: { before } })

export const cases: Cases = {
  'names the first difference from the earlier result': {
    sees: [after(ok({ data: { a: 1, b: [1] }, type: 'x' }), ok({ data: { a: 1, b: [2] }, type: 'y' }))],
    finds: [
      'medium orders/output: result differs from the previous one, with the same function and payload, first at /data/b/0',
    ],
  },
  'knows a member that came or went, and one of another type': {
    sees: [after(ok({ 'a/b': 1 }), ok({})), after(ok({}), ok({ added: null })), after(ok('text'), ok(null))],
    finds: [
      'medium orders/output: result differs from the previous one, with the same function and payload, first at /a~1b',
      'medium orders/output: result differs from the previous one, with the same function and payload, first at /added',
      'medium orders/output: result differs from the previous one, with the same function and payload',
    ],
  },
  'says that a function is not deterministic, and compares nothing': {
    sees: [after(ok({ a: 1 }), { outcome: 'ok', deterministic: false, output: null })],
    finds: [
      'info orders/deterministic: not deterministic: two runs with the same payload returned different results, so results are not compared',
    ],
  },
  'is silent about the same result in another order, and without an earlier result': {
    sees: [
      after(ok({ a: 1, b: 2 }), ok({ b: 2, a: 1 })),
      aProbe(ok({ a: 1 })),
      after({ outcome: 'failed', deterministic: true, output: null }, ok({ a: 1 })),
      after(ok({ a: 1 }), { outcome: 'failed', deterministic: true, output: null }),
      after({ outcome: 'ok', deterministic: false, output: null }, ok({ a: 1 })),
    ],
  },
}
