import { z } from 'zod'
import { findsPattern } from '../../gateway/expressions.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { pattern } from '../shared/pattern.ts'

export const nameConvention = resourceRule('endpoint', {
  id: 'endpoint/name-convention',
  title: 'Name or description breaks the naming convention',
  severity: 'low',
  packs: [],
  optIn: true,
  options: z.strictObject({
    name: pattern.optional().describe('Regular expression for the name; anchor it with ^ and $'),
    description: pattern.optional().describe('Regular expression for the description'),
  }),
  *check({ attributes }, { options }) {
    for (const member of ['name', 'description'] as const) {
      const [source, text] = [options[member], attributes[member]]
      if (source === undefined || text === undefined || findsPattern(source, text ?? '')) continue
      yield { path: `/${member}`, message: `${member} ${JSON.stringify(text ?? '')} does not match \`${source}\`` }
    }
  },
})
