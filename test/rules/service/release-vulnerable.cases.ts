import type { Cases } from '../rule-cases.ts'

const inferred = '(inferred from the fields that its answers show)'
const sources =
  "GHSA-p5vg-v7mj-f6q4 (fixed in v26.6.8): a key of one project can read another project's source, broker credentials included"
const portal = 'commit a11814921 (fixed in v26.3.7): the portal accepts an owner id as a token'
const logout = 'GHSA-hpqj-2j2x-p5p2 (fixed in v26.6.8): a dashboard session stays valid after logout'
const licence = 'commit bc0b5ec8d (fixed in v26.6.2): configuration answers contain licence secrets'
const projects = 'commit dbf1db26e (fixed in v26.6.8): a key can list the projects of any organisation'

export const cases: Cases = {
  'names every fault of a release that is older than all repairs': {
    scan: { release: { from: 'v25.11.1', below: 'v26.3.7', contradictory: false } },
    finds: [
      `high p: release v25.11.1 or later, below v26.3.7 ${inferred}; ${[sources, portal, logout, licence, projects].join('; ')}`,
    ],
  },
  'names those alone that the release has for certain': {
    scan: { release: { from: 'v26.3.7', below: 'v26.6.5', contradictory: false } },
    finds: [`high p: release v26.3.7 or later, below v26.6.5 ${inferred}; ${[sources, logout, projects].join('; ')}`],
  },
  'needs no lower bound': {
    scan: { release: { from: null, below: 'v26.6.5', contradictory: false } },
    finds: [`high p: release below v26.6.5 ${inferred}; ${[sources, logout, projects].join('; ')}`],
  },
  'is silent where the release may be repaired': {
    scan: { release: { from: 'v26.6.5', below: 'v26.7.0', contradictory: false } },
  },
  'is silent where nothing shows how new the release may be': {
    scan: { release: { from: 'v26.3.7', below: null, contradictory: false } },
  },
  'is silent about a release that is repaired': {
    scan: { release: { from: 'v26.7.1', below: null, contradictory: false } },
  },
  'is silent where nothing shows the release': { scan: {} },
}
