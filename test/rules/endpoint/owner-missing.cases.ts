import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an endpoint without owner': {
    sees: [anEndpoint({ owner_id: null })],
    finds: ['low e1/owner_id: `owner_id` is empty'],
  },
  'leaves an endpoint with an owner alone': { sees: [anEndpoint({ owner_id: 'tenant-01' })] },
}
