import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { listed } from '../shared/listed.ts'

export const typeCli = resourceRule('subscription', {
  id: 'subscription/type-cli',
  title: 'CLI subscription outside a development project',
  severity: 'low',
  packs: ['hygiene'],
  options: z.strictObject({
    environments: z
      .array(z.string())
      .default(['dev', 'development', 'test'])
      .describe('Values of the label `env` that allow CLI subscriptions'),
  }),
  check({ attributes }, { options }, { labels }) {
    const { env } = labels
    // Without the label the project's purpose is not known.
    if (attributes.type !== 'cli' || env === undefined) return
    if (options.environments.some((allowed) => allowed.toLowerCase() === env.toLowerCase())) return
    return {
      path: '/type',
      message: `CLI subscription in a project with label env ${JSON.stringify(env)} (policy: ${listed(options.environments)})`,
    }
  },
})
