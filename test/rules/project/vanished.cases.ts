import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'quotes the service': {
    scan: { isVanished: true },
    finds: ['high p: the service answers that the project does not exist, or that the key may not read it'],
  },
  'finds a project that the list of projects does not have': {
    scan: { isMissing: true },
    finds: ["high p: the service's complete list of projects does not have it"],
  },
  'says once that it is gone': {
    scan: { isVanished: true, isMissing: true },
    finds: ['high p: the service answers that the project does not exist, or that the key may not read it'],
  },
  'is silent about a project that exists': { scan: {} },
}
