import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an inactive endpoint': {
    sees: [anEndpoint({ status: 'inactive' })],
    finds: ['high e1/status: disabled after failures: its events are discarded, not queued'],
  },
  'leaves an active one alone': { sees: [anEndpoint({ status: 'active' })], finds: [] },
  'leaves a paused one alone': { sees: [anEndpoint({ status: 'paused' })], finds: [] },
  'leaves a status that it does not know alone': { sees: [anEndpoint({ status: 'pending' })], finds: [] },
  'is silent where the status is empty': { sees: [anEndpoint({ status: null })], finds: [] },
}
