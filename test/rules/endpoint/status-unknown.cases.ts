import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a status that it does not know': {
    sees: [anEndpoint({ status: 'frozen' })],
    finds: ['low e1/status: unknown status `frozen`: events may or may not be delivered'],
  },
  'knows the words of all releases': {
    sees: endpoints(...['active', 'inactive', 'paused', 'pending'].map((status) => ({ status }))),
  },
  'is silent where the status is not shown': { sees: endpoints({}, { status: null }) },
}
