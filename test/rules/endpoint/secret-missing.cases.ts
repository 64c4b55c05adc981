import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an endpoint without secrets': {
    sees: [anEndpoint({ secrets: {} })],
    finds: ['high e1/secrets: no active secret: receivers cannot verify deliveries'],
  },
  'finds one whose secrets are null': {
    sees: [anEndpoint({ secrets: null })],
    finds: ['high e1/secrets: no active secret: receivers cannot verify deliveries'],
  },
  'finds one whose secrets are all deleted': {
    sees: [
      anEndpoint({
        secrets: { k1: { deleted_at: '2026-01-01T00:00:00Z' }, k2: { deleted_at: '2026-01-01T00:00:00Z' } },
      }),
    ],
    finds: ['high e1/secrets: no active secret (2 deleted): receivers cannot verify deliveries'],
  },
  'is content with one that is not deleted': {
    sees: [anEndpoint({ secrets: { k1: { deleted_at: '2026-01-01T00:00:00Z' }, k2: { deleted_at: null } } })],
  },
  'is content with one that is masked': { sees: [anEndpoint({ secrets: { k1: { value: 'sealed:masked' } } })] },
}
