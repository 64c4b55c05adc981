import { aWaiver, type Cases } from '../rule-cases.ts'

const owner = 'payments team'

export const cases: Cases = {
  'finds a waiver at the very second of its end': {
    sees: [aWaiver({ expires: '2026-11-21T00:00:00.000Z', owner })],
    finds: ['medium w1/expires: was valid until the end of 2026-11-20; owner payments team'],
  },
  'names the second when the end is not midnight': {
    sees: [aWaiver({ expires: '2026-11-20T16:30:00.000Z', owner })],
    finds: ['medium w1/expires: was valid until 2026-11-20 16:30:00 UTC; owner payments team'],
  },
  'leaves a waiver alone that is valid for another second': {
    sees: [aWaiver({ expires: '2026-11-21T00:00:01.000Z', owner })],
  },
}
