import type { SourceRow } from '../../../src/demo/rows.ts'
import { aSource, type Cases } from '../rule-cases.ts'

/** What the service stores when a resource breaks the rule: test/rules/broken-fleet.test.ts audits a fleet with it. */
export const broken = {
  change: { verifier: { type: 'jwt', hmac: null, basic_auth: null, api_key: null } },
  /** Rules that the same row breaks as well. */
  also: [],
} satisfies { change: Partial<SourceRow>; also: string[] }

const message = 'unknown verifier type `jwt`: releases up to v26.6.8 then verify nothing'

export const cases: Cases = {
  'finds a type of verifier that is not known': {
    sees: [aSource({ type: 'http', verifier: { type: 'jwt' } }), aSource({ verifier: { type: 'jwt' } })],
    finds: [`high q1/verifier/type: ${message}`, `high q1/verifier/type: ${message}`],
  },
  'is mild with a message queue': {
    sees: [aSource({ type: 'pub_sub', verifier: { type: 'jwt' } })],
    finds: [`info q1/verifier/type: ${message}`],
  },
  'leaves known types alone, also the one that verifies nothing': {
    sees: ['noop', 'hmac', 'basic_auth', 'api_key'].map((type) => aSource({ type: 'http', verifier: { type } })),
  },
  'is silent where no type is shown': {
    sees: [
      aSource({ type: 'http', verifier: {} }),
      aSource({ type: 'http', verifier: null }),
      aSource({ type: 'http' }),
    ],
  },
}
