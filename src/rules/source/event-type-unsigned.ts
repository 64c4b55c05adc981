import { resourceRule } from '../engine/define-rule.ts'

export const eventTypeUnsigned = resourceRule('source', {
  id: 'source/event-type-unsigned',
  title: 'Unverified senders choose the event type',
  severity: 'medium',
  packs: ['standard-webhooks'],
  acceptedWith: ['/verifier'],
  check({ attributes: { type, event_type_location: location, verifier } }) {
    // The broker of a queue decides who may write to it.
    if (type !== 'http' || typeof location !== 'string' || verifier === undefined) return undefined
    const part = partOf(location)
    if (part === undefined || (verifier?.type ?? 'noop') !== 'noop') return undefined
    return {
      path: '/event_type_location',
      message: `the event type comes from ${part} (\`${location}\`) of unverified requests`,
    }
  },
})

/** The service reads `request.…` and `req.…`, in any case; a type in the body is as good as the event itself. */
function partOf(location: string): string | undefined {
  const [, part = ''] = /^(?:request|req)\.(header|query|queryparam)\./i.exec(location) ?? []
  return part === '' ? undefined : part.toLowerCase() === 'header' ? 'a header' : 'the query'
}
