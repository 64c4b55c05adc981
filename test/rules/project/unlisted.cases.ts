import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'names a project that the configuration does not': {
    scan: { isUnlisted: true },
    finds: ['low p: the service lists it and the key can read it, but the configuration does not name it'],
  },
  'is silent about a project that is configured': { scan: {} },
}
