import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a status that it does not know': {
    sees: [anEndpoint({ status: 'frozen' })],
    finds: ['low e1/status: status frozen is unknown: whether events are delivered is not known'],
  },
  'knows active, inactive and paused': {
    sees: endpoints({ status: 'active' }, { status: 'inactive' }, { status: 'paused' }),
  },
  'is silent where the status is not shown': { sees: endpoints({}, { status: null }) },
}
