import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a signature without a timestamp': {
    sees: [anEndpoint({ advanced_signatures: false })],
    finds: ['medium e1/advanced_signatures: the signature covers no timestamp: a recorded delivery stays valid'],
  },
  'leaves an advanced signature alone': { sees: [anEndpoint({ advanced_signatures: true })] },
  'is silent where the kind of signature is not shown': { sees: endpoints({}, { advanced_signatures: null }) },
}
