import { resourceRule } from '../engine/define-rule.ts'

const knownTypes: ReadonlySet<string> = new Set(['noop', 'hmac', 'basic_auth', 'api_key'])

export const verifierUnknown = resourceRule('source', {
  id: 'source/verifier-unknown',
  title: 'Source verifier type is unknown',
  severity: 'high',
  packs: ['standard-webhooks', 'secrets'],
  *check({ attributes: { type, verifier } }) {
    const name = verifier?.type
    if (typeof name !== 'string' || name === '' || knownTypes.has(name)) return
    const path = '/verifier/type'
    const message = `unknown verifier type \`${name}\`: releases up to v26.6.8 then verify nothing`
    // The broker of a queue decides who may write, as for source/unverified.
    if (type === 'pub_sub') yield { path, message, severity: 'info' }
    else yield { path, message }
  },
})
