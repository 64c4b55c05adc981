import type { Facts } from '../../model/resource.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { isWellKnown, reasonsAgainst } from '../shared/secret-strength.ts'

const minKeyCharacters = 16
const defaultUsers = new Set(
  'admin administrator changeme convoy default demo guest root test user username'.split(' '),
)

export const authWeak = resourceRule('endpoint', {
  id: 'endpoint/auth-weak',
  title: 'Credential is weak',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets'],
  skipsMasked: true,
  *check({ attributes: { authentication }, facts }) {
    const { api_key: apiKey, basic_auth: basic } = authentication ?? {}
    yield* weakAt('API key', '/authentication/api_key/header_value', apiKey?.header_value, facts, minKeyCharacters)
    const user = basic?.username
    if (user !== undefined && defaultUsers.has(user.toLowerCase())) {
      yield { path: '/authentication/basic_auth/username', message: `\`${user}\` is a default user name` }
    }
    yield* weakAt('password', '/authentication/basic_auth/password', basic?.password, facts, 0)
  },
})

function* weakAt(what: string, path: string, seal: string | undefined, { [path]: facts }: Facts, minimum: number) {
  const reasons = reasonsAgainst(seal, facts, minimum)
  const severity = isWellKnown(facts) ? 'high' : 'medium'
  if (reasons.length > 0) yield { path, message: `weak ${what}: ${reasons.join(', ')}`, severity } as const
}
