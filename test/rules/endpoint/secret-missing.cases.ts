import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an endpoint without secrets': {
    sees: [anEndpoint({ secrets: {}, advanced_signatures: true })],
    finds: ['high e1/secrets: no active secret: deliveries are sent without a signature'],
  },
  'finds one whose secrets are null': {
    sees: [anEndpoint({ secrets: null, advanced_signatures: true })],
    finds: ['high e1/secrets: no active secret: deliveries are sent without a signature'],
  },
  'finds one whose secrets are all deleted': {
    sees: [
      anEndpoint({
        secrets: { k1: { deleted_at: '2026-01-01T00:00:00Z' }, k2: { deleted_at: '2026-01-01T00:00:00Z' } },
        advanced_signatures: true,
      }),
    ],
    finds: ['high e1/secrets: no active secret (2 deleted): deliveries are sent without a signature'],
  },
  'is stricter where the signature is simple: then nothing is sent': {
    sees: [anEndpoint({ secrets: {}, advanced_signatures: false })],
    finds: ['critical e1/secrets: no active secret: nothing is delivered'],
  },
  'is content with one that is not deleted': {
    sees: [anEndpoint({ secrets: { k1: { deleted_at: '2026-01-01T00:00:00Z' }, k2: { deleted_at: null } } })],
  },
  'is content with one that is masked': { sees: [anEndpoint({ secrets: { k1: { value: 'sealed:masked' } } })] },
}
