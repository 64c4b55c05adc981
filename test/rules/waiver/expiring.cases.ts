import { aWaiver, type Cases } from '../rule-cases.ts'

const owner = 'payments team'

export const cases: Cases = {
  'finds a waiver that ends in two weeks': {
    sees: [aWaiver({ expires: '2026-12-05T00:00:00.000Z', owner })],
    finds: ['low w1/expires: valid until the end of 2026-12-04; owner payments team'],
  },
  'measures by its option': {
    sees: [aWaiver({ expires: '2026-12-20T00:00:00.000Z', owner })],
    options: { days: 30 },
    finds: ['low w1/expires: valid until the end of 2026-12-19; owner payments team'],
  },
  'leaves a waiver alone that ends later': { sees: [aWaiver({ expires: '2026-12-05T00:00:01.000Z', owner })] },
  'leaves a waiver alone that has ended': { sees: [aWaiver({ expires: '2026-11-21T00:00:00.000Z', owner })] },
}
