import { anEndpoint, aProject, type Cases } from '../rule-cases.ts'

const lax = aProject({ config: { ssl: { enforce_secure_endpoints: false } } })
const wouldAccept =
  'info p/config/ssl/enforce_secure_endpoints: https is not enforced: a new endpoint may use plain http'

export const cases: Cases = {
  'finds a project that does not enforce https': { sees: [lax], finds: [wouldAccept] },
  'is mild as long as every endpoint uses https': {
    sees: [lax, anEndpoint({ url: 'https://a.example' })],
    finds: [wouldAccept],
  },
  'is more severe where an endpoint uses plain http': {
    sees: [lax, anEndpoint({ url: 'HTTP://a.example' }), anEndpoint({ url: 'https://b.example' }, 'e2')],
    finds: ['medium p/config/ssl/enforce_secure_endpoints: https is not enforced, and an endpoint uses plain http'],
  },
  'is as severe when unread endpoints may use it': {
    sees: [lax, anEndpoint({ url: 'http://a.example' })],
    unseen: ['endpoint'],
    finds: ['medium p/config/ssl/enforce_secure_endpoints: https is not enforced, and an endpoint uses plain http'],
  },
  'gives no count when it did not see every endpoint': {
    sees: [lax, anEndpoint({ url: 'https://a.example' })],
    unseen: ['endpoint'],
  },
  'leaves a project that enforces it alone': {
    sees: [aProject({ config: { ssl: { enforce_secure_endpoints: true } } }), anEndpoint({ url: 'http://a.example' })],
  },
  'is silent where the setting is not shown': {
    sees: [aProject({ config: { ssl: {} } }), anEndpoint({ url: 'http://a.example' })],
  },
}
