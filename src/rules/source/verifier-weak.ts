import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { lengthClasses, reasonsAgainst } from '../shared/secret-strength.ts'
import { verifierSecretOf } from '../shared/verifier-secret.ts'

export const verifierWeak = resourceRule('source', {
  id: 'source/verifier-weak',
  title: 'Source secret is weak',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  skipsMasked: true,
  options: z.strictObject({
    min_characters: z.literal(lengthClasses).default(16).describe('Minimum length of a secret, in characters'),
  }),
  check({ attributes, facts }, { options }) {
    const secret = verifierSecretOf(attributes.verifier)
    if (secret === undefined) return
    const reasons = reasonsAgainst(secret.seal, facts[secret.path], options.min_characters)
    if (reasons.length > 0) return { path: secret.path, message: `weak ${secret.what}: ${reasons.join(', ')}` }
    return undefined
  },
})
