import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { eventTypesOf } from '../shared/event-filter.ts'
import { matches, pattern } from '../shared/pattern.ts'

export const eventTypeOdd = resourceRule('subscription', {
  id: 'subscription/event-type-odd',
  title: 'Event type may be mistyped',
  severity: 'medium',
  packs: ['hygiene'],
  options: z.strictObject({
    pattern: pattern.optional().describe('Regular expression that every event type but `*` matches; none by default'),
  }),
  *check({ attributes }, { options }) {
    const types = eventTypesOf(attributes.filter_config) ?? []
    const lowerCase = new Set<string>()
    const odd: string[] = []
    for (const type of types) {
      const isRepeated = lowerCase.size === lowerCase.add(type.toLowerCase()).size
      if (type.trim() === '') odd.push('one is blank')
      else if (type.trim() !== type) odd.push(`\`${type}\` has blanks around it`)
      else if (isRepeated) odd.push(`\`${type}\` is named twice, case aside`)
      else if (!fits(type, options.pattern)) odd.push(`\`${type}\` does not match the policy's pattern`)
    }
    if (odd.length === 0) return
    const more = odd.length > 3 ? `; ${odd.length - 3} more` : ''
    yield { path: '/filter_config/event_types', message: odd.slice(0, 3).join('; ') + more }
  },
})

function fits(type: string, source: string | undefined): boolean {
  return source === undefined || type === '*' || matches(source, type)
}
