import { z } from 'zod'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretTooMany = resourceRule('endpoint', {
  id: 'endpoint/secret-too-many',
  title: 'More active secrets than a rotation needs',
  severity: 'low',
  packs: ['secrets'],
  options: z.strictObject({
    max_secrets: z.int().positive().default(2).describe('Active secrets that an endpoint may have'),
  }),
  check({ attributes }, { options }) {
    const { length } = activeSecrets(attributes)
    if (length > options.max_secrets) {
      return { path: '/secrets', message: `${length} active secrets, the policy allows ${options.max_secrets}` }
    }
    return undefined
  },
})
