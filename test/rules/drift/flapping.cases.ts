import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const flaps = (...hours: number[]) => [changed(anEndpoint({}), {}, { hoursAgo: { '/status': hours, '/url': [1] } })]

export const cases: Cases = {
  'finds a field that changed three times within a day': {
    compares: flaps(23, 5, 0),
    finds: ['medium e1/status: changed at least 3 times within 24 h'],
  },
  'leaves two changes alone': { compares: flaps(5, 0) },
  'leaves changes alone that are too old': { compares: flaps(25, 5, 0) },
  'goes by its options': {
    compares: flaps(40, 0),
    options: { min_changes: 2, within_hours: 48 },
    finds: ['medium e1/status: changed at least 2 times within 48 h'],
  },
}
