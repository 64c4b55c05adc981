import { resourceRule } from '../engine/define-rule.ts'
import { reasonsAgainst } from '../shared/secrets.ts'

const minKeyCharacters = 16
const defaultUsers = new Set(
  'admin administrator changeme convoy default demo guest root test user username'.split(' '),
)

export const authWeak = resourceRule('endpoint', {
  id: 'endpoint/auth-weak',
  title: 'Credential is weak',
  severity: 'medium',
  packs: ['secrets'],
  skipsMasked: true,
  *check({ attributes: { authentication }, facts }) {
    const { api_key: apiKey, basic_auth: basic } = authentication ?? {}
    const keyPath = '/authentication/api_key/header_value'
    const againstKey = reasonsAgainst(apiKey?.header_value, facts[keyPath], minKeyCharacters)
    if (againstKey.length > 0) yield { path: keyPath, message: `weak API key: ${againstKey.join(', ')}` }

    const user = basic?.username
    if (user !== undefined && defaultUsers.has(user.toLowerCase())) {
      yield { path: '/authentication/basic_auth/username', message: `\`${user}\` is a default user name` }
    }
    const passwordPath = '/authentication/basic_auth/password'
    const againstPassword = reasonsAgainst(basic?.password, facts[passwordPath], 0)
    if (againstPassword.length > 0)
      yield { path: passwordPath, message: `weak password: ${againstPassword.join(', ')}` }
  },
})
