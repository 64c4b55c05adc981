import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const approved = { isApproved: true }

export const cases: Cases = {
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
      `medium e1/owner_id: none was approved, "${'x'.repeat(58)}… is there`,
      'medium e1/rate_limit: 200 was approved, 100 is there',
      'medium e2: is not in the approved baseline',
      'medium s3: is in the approved baseline, and gone',
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
