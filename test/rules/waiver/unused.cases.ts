import { aWaiver, type Cases } from '../rule-cases.ts'

const waiver = { rule: 'endpoint/inactive', owner: 'payments team', expires: '2027-03-01T00:00:00.000Z' }

export const cases: Cases = {
  'finds a waiver that no violation needs': {
    sees: [aWaiver({ ...waiver, used: false })],
    finds: ['low w1/used: no resource that it matches violates endpoint/inactive; owner payments team'],
  },
  'leaves a waiver alone that a violation needs': { sees: [aWaiver({ ...waiver, used: true })] },
  'is silent where coverage is too small to know': { sees: [aWaiver(waiver)] },
  'leaves an expired waiver to another rule': {
    sees: [aWaiver({ ...waiver, used: false, expires: '2026-11-21T00:00:00.000Z' })],
  },
}
