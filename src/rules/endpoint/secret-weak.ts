import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { isWellKnown, lengthClasses, reasonsAgainst } from '../shared/secret-strength.ts'

export const secretWeak = resourceRule('endpoint', {
  id: 'endpoint/secret-weak',
  title: 'Signing secret is weak',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets', 'standard-webhooks'],
  skipsMasked: true,
  options: z.strictObject({
    min_characters: z.literal(lengthClasses).default(24).describe('Minimum length of a secret, in characters'),
  }),
  *check({ attributes, facts }, { options }) {
    for (const [uid, { value }] of activeSecrets(attributes)) {
      const path = `/secrets/${pointerStep(uid)}/value`
      const reasons = reasonsAgainst(value, facts[path], options.min_characters)
      if (reasons.length === 0) continue
      const isGuessed = (facts[path]?.min_length ?? 0) < 16 || isWellKnown(facts[path])
      yield { path, message: `weak secret: ${reasons.join(', ')}`, severity: isGuessed ? 'high' : 'medium' }
    }
  },
})
