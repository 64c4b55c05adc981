import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'quotes the service': {
    scan: { isVanished: true },
    finds: ['high p: the service says that it is not there, or that the key may not see it'],
  },
  'is silent about a project that exists': { scan: {}, finds: [] },
}
