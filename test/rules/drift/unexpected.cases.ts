import { anEndpoint, type Cases, changed, seal } from '../rule-cases.ts'

const approved = { isApproved: true }

export const cases: Cases = {
  'names the field with its present and its approved value': {
    compares: [changed(anEndpoint({ status: 'active' }), { status: 'paused' }, approved)],
    finds: ['medium e1: 1 field differs from the approved baseline: /status is "paused" (approved: "active")'],
  },
  'finds what was not approved: changed, come, gone': {
    compares: [
      changed(
        anEndpoint({ rate_limit: 200, owner_id: null }),
        { rate_limit: 100, owner_id: 'x'.repeat(100) },
        approved,
      ),
      { kind: 'endpoint', uid: 'e2', before: undefined, after: {}, ...approved },
      { kind: 'subscription', uid: 's3', before: {}, after: undefined, ...approved },
    ],
    finds: [
      `medium e1: 2 fields differ from the approved baseline: ${[
        `/owner_id is "${'x'.repeat(38)}… (approved: none)`,
        '/rate_limit is 100 (approved: 200)',
      ].join(', ')}`,
      'medium e2: added: the approved baseline does not have it',
      'medium s3: removed: the approved baseline still has it',
    ],
  },
  'names five fields, and says how many more differ': {
    compares: [
      changed(
        anEndpoint({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }),
        { a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2 },
        approved,
      ),
    ],
    finds: [
      `medium e1: 7 fields differ from the approved baseline: ${['a', 'b', 'c', 'd', 'e']
        .map((name) => `/${name} is 2 (approved: 1)`)
        .join(', ')} and 2 more`,
    ],
  },
  'names no seals': {
    compares: [
      changed(
        anEndpoint({ secrets: { k1: { value: seal('a') }, k2: { value: seal('b') } }, api_key: null }),
        { secrets: { k1: { value: seal('c') }, k2: { value: seal('b') } }, api_key: seal('d') },
        approved,
      ),
    ],
    finds: [
      'medium e1: 2 fields differ from the approved baseline: /api_key is a secret (approved: none), /secrets/k1/value is a secret (approved: another secret)',
    ],
  },
  'is silent without an approved baseline': {
    compares: [
      changed(anEndpoint({ rate_limit: 200 }), { rate_limit: 100 }),
      { kind: 'endpoint', uid: 'e2', before: undefined, after: {} },
    ],
  },
  'leaves devices to themselves': {
    compares: [{ kind: 'device', uid: 'd1', before: { status: 'online' }, after: { status: 'offline' }, ...approved }],
  },
}
