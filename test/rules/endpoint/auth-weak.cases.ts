import type { Facts } from '../../../src/model/resource.ts'
import { anEndpoint, type Cases, endpoints, masked, type Seen, seal } from '../rule-cases.ts'

const keyPath = '/authentication/api_key/header_value'
const passwordPath = '/authentication/basic_auth/password'
const withKey = (facts: Facts, uid = 'e1'): Seen => ({
  ...anEndpoint({ authentication: { type: 'api_key', api_key: { header_value: seal('a') } } }, uid),
  facts,
})
const withUser = (username: string, password: string, facts: Facts, uid = 'e1'): Seen => ({
  ...anEndpoint({ authentication: { type: 'basic_auth', basic_auth: { username, password } } }, uid),
  facts,
})
const common: Facts = { [passwordPath]: { min_length: 0, weak: ['common'] } }
const good: Facts = { [keyPath]: { min_length: 16, weak: [] }, [passwordPath]: { min_length: 8, weak: [] } }

export const cases: Cases = {
  'finds an API key under 16 characters, and one that can be guessed': {
    sees: [
      withKey({ [keyPath]: { min_length: 8, weak: [] } }),
      withKey({ [keyPath]: { min_length: 16, weak: ['common', 'few-characters'] } }, 'e2'),
    ],
    finds: [
      `medium e1${keyPath}: weak API key: 8 to 15 characters (policy: at least 16)`,
      `high e2${keyPath}: weak API key: a common word, few different characters`,
    ],
  },
  'finds default user names and passwords': {
    sees: [withUser('Admin', seal('a'), common)],
    finds: [
      'medium e1/authentication/basic_auth/username: `Admin` is a default user name',
      `high e1${passwordPath}: weak password: a common word`,
    ],
  },
  'leaves good credentials alone': { sees: [withKey(good), withUser('hooks-tenant-01', seal('a'), good, 'e2')] },
  'never evaluates what the service masks': { sees: [withUser('bob', masked, common)] },
  'is silent without authentication and where none is shown': { sees: endpoints({}, { authentication: null }) },
}
