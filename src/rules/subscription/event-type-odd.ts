import { z } from 'zod'
import { findsPattern } from '../../gateway/expressions.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { declaredEvents, deliveredEvents } from '../shared/delivered-events.ts'
import { pattern } from '../shared/pattern.ts'

export const eventTypeOdd = resourceRule('subscription', {
  id: 'subscription/event-type-odd',
  title: 'Event type may be mistyped',
  severity: 'medium',
  packs: ['hygiene'],
  options: z.strictObject({
    pattern: pattern.optional().describe('Regular expression for every event type but `*`; none by default'),
  }),
  *check({ attributes }, { options }) {
    const { basis, types = [] } = deliveredEvents(attributes)
    const declared = new Set(declaredEvents(attributes.filter_config).types)
    const said = oddities(basis === 'applied' ? types.filter((type) => declared.has(type)) : types, options)
    if (said.length > 0) yield { path: '/filter_config/event_types', message: firstOf(said) }
    if (basis === 'declared') return
    const applied = oddities(
      types.filter((type) => !declared.has(type)),
      options,
    )
    if (applied.length > 0) yield { path: '/filters', message: `in filter rows: ${firstOf(applied)}` }
  },
})

function oddities(types: readonly string[], options: { readonly pattern?: string | undefined }): readonly string[] {
  const odd: string[] = []
  for (const type of types) {
    if (type === '*') continue
    if (type.trim() === '') odd.push('an event type is blank')
    else if (type.trim() !== type) odd.push(`\`${type}\` has whitespace around it`)
    else if (!fits(type, options.pattern)) odd.push(`\`${type}\` does not match \`${options.pattern}\``)
  }
  return odd
}

function firstOf(odd: readonly string[]): string {
  const more = odd.length > 3 ? `; ${odd.length - 3} more` : ''
  return odd.slice(0, 3).join('; ') + more
}

function fits(type: string, source: string | undefined): boolean {
  return source === undefined || findsPattern(source, type)
}
