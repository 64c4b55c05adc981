import type { Cases } from '../rule-cases.ts'

const inferred = '(inferred from the fields that its answers show)'
const sources =
  "GHSA-p5vg-v7mj-f6q4 (fixed in v26.6.8): a key of one project can read another project's source, broker credentials included"
const owners =
  "commit ee146ae08 (fixed in v26.6.0): a portal link can change and delete other owners' endpoints and expire their secrets"
const revoked =
  "commit dbf1db26e (fixed in v26.6.8): a revoked portal link still works, reads storage credentials, and can move a subscription to another owner's endpoint; a key can list the projects of any organisation"
const secrets =
  "commit 7bee3006c (fixed in v26.6.7): answers to portal links contain signing secrets, and a portal link can get another one's key"
const portal = 'commit a11814921 (fixed in v26.3.7): the portal accepts an owner id as a token'
const token = 'commit c2242f2b8 (fixed in v26.6.6): a delivery goes out without authentication when no token can be had'
const logout = 'GHSA-hpqj-2j2x-p5p2 (fixed in v26.6.8): a dashboard session stays valid after logout'
const others =
  'commit c2242f2b8 (fixed in v26.6.6); GHSA-hpqj-2j2x-p5p2 (fixed in v26.6.8); commit bc0b5ec8d (fixed in v26.6.2); commit 01f046ac5 (fixed in v26.6.0)'

export const cases: Cases = {
  'says what the five worst faults of an old release allow, and names the others': {
    scan: { release: { from: 'v25.11.1', below: 'v26.3.7', contradictory: false } },
    finds: [
      `high p: release v25.11.1 or later, below v26.3.7 ${inferred}; ${[sources, owners, revoked, secrets, portal, others].join('; ')}`,
    ],
  },
  'names those alone that the release has for certain': {
    scan: { release: { from: 'v26.3.7', below: 'v26.6.5', contradictory: false } },
    finds: [
      `high p: release v26.3.7 or later, below v26.6.5 ${inferred}; ${[sources, revoked, secrets, token, logout].join('; ')}`,
    ],
  },
  'needs no lower bound': {
    scan: { release: { from: null, below: 'v26.6.5', contradictory: false } },
    finds: [`high p: release below v26.6.5 ${inferred}; ${[sources, revoked, secrets, token, logout].join('; ')}`],
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
