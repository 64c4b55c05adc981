import { anEndpoint, type Cases } from '../rule-cases.ts'

const seal = (digit: string) => `sealed:${digit.repeat(32)}`
const endpoint = (uid: string, owner: string | null, value: string, project = 'p', deleted: string | null = null) =>
  anEndpoint({ owner_id: owner, secrets: { [`k-${uid}`]: { value, deleted_at: deleted } } }, uid, project)

export const cases: Cases = {
  'finds a secret on two endpoints of one owner, and reports each': {
    sees: [endpoint('e1', 'o1', seal('a')), endpoint('e2', 'o1', seal('a')), endpoint('e3', 'o1', seal('b'))],
    finds: [
      'medium e1/secrets/k-e1: secret shared by 2 endpoints',
      'medium e2/secrets/k-e2: secret shared by 2 endpoints',
    ],
  },
  'is stricter across owners': {
    sees: [endpoint('e1', 'o1', seal('a')), endpoint('e2', 'o2', seal('a'))],
    finds: [
      'high e1/secrets/k-e1: secret shared by 2 endpoints of different owners',
      'high e2/secrets/k-e2: secret shared by 2 endpoints of different owners',
    ],
  },
  'is stricter across projects, and counts the endpoints of its own project alone': {
    sees: [
      endpoint('e1', 'o1', seal('a'), 'p'),
      endpoint('e1', 'o1', seal('a'), 'q'),
      endpoint('e3', null, seal('a'), 'q'),
    ],
    finds: [
      'high e1/secrets/k-e1: secret shared with endpoints in other projects',
      'high e1/secrets/k-e1: secret shared by 2 endpoints of different owners, and with endpoints in other projects',
      'high e3/secrets/k-e3: secret shared by 2 endpoints of different owners, and with endpoints in other projects',
    ],
  },
  'counts two without owner as one owner': {
    sees: [endpoint('e1', null, seal('a')), endpoint('e2', null, seal('a'))],
    finds: [
      'medium e1/secrets/k-e1: secret shared by 2 endpoints',
      'medium e2/secrets/k-e2: secret shared by 2 endpoints',
    ],
  },
  'leaves a secret alone that one endpoint has twice': {
    sees: [anEndpoint({ secrets: { k1: { value: seal('a') }, k2: { value: seal('a') } } })],
  },
  'never compares what the service masks': {
    sees: [endpoint('e1', 'o1', 'sealed:masked'), endpoint('e2', 'o2', 'sealed:masked')],
  },
  'leaves a deleted secret out': {
    sees: [endpoint('e1', 'o1', seal('a')), endpoint('e2', 'o2', seal('a'), 'p', '2026-01-01T00:00:00Z')],
  },
  'is silent where no value is shown': {
    sees: [anEndpoint({ secrets: { k1: {} } }, 'e1'), anEndpoint({ secrets: { k1: { value: null } } }, 'e2')],
  },
}
