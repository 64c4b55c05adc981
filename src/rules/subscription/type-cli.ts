import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

export const typeCli = resourceRule('subscription', {
  id: 'subscription/type-cli',
  title: "Subscription delivers to a person's command line outside development",
  severity: 'low',
  packs: ['hygiene'],
  options: z.strictObject({
    environments: z
      .array(z.string())
      .default(['dev', 'development', 'test'])
      .describe("Values of the project's label `env` where command lines may listen"),
  }),
  check({ attributes }, { options }, { labels }) {
    const { env } = labels
    // Without the label the project's purpose is not known.
    if (attributes.type !== 'cli' || env === undefined || options.environments.includes(env.toLowerCase())) return
    return {
      path: '/type',
      message: `a command line receives the events of a project whose label env is ${JSON.stringify(env)}`,
    }
  },
})
