import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'is broken by addresses with http, however many sources have them': {
    scan: { origins: ['https://hooks.example.com', 'http://hooks.example.org:8080', 'http://hooks.example.com'] },
    finds: ['medium p: the addresses of sources begin with http://hooks.example.com, http://hooks.example.org:8080'],
  },
  'is kept by addresses with https': { scan: { origins: ['https://hooks.example.com'] } },
  'is silent where no source has an address': { scan: {} },
}
