import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an inactive endpoint': {
    sees: [anEndpoint({ status: 'inactive' })],
    finds: ['high e1/status: disabled after failures: its events are discarded, not queued'],
  },
  'leaves an active one alone': { sees: [anEndpoint({ status: 'active' })] },
  'leaves a paused one alone': { sees: [anEndpoint({ status: 'paused' })] },
  'finds a pending one, whose events are discarded as well': {
    sees: [anEndpoint({ status: 'pending' })],
    finds: ['high e1/status: `pending`, which is not active: its events are discarded, not queued'],
  },
  'leaves a status that it does not know alone': { sees: [anEndpoint({ status: 'frozen' })] },
  'is silent where the status is empty': { sees: [anEndpoint({ status: null })] },
}
