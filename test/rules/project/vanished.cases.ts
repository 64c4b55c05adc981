import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'quotes the service': {
    scan: { isVanished: true },
    finds: ['high p: the service says that it is not there, or that the key may not see it'],
  },
  'finds a project that the list of projects does not have': {
    scan: { isMissing: true },
    finds: ["high p: the complete list of the service's projects does not have it"],
  },
  'says once that it is gone': {
    scan: { isVanished: true, isMissing: true },
    finds: ['high p: the service says that it is not there, or that the key may not see it'],
  },
  'is silent about a project that exists': { scan: {} },
}
