import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

/** In characters; what a person wrote is shorter. */
const longestRead = 100_000

export const functionSuspicious = resourceRule('subscription', {
  id: 'subscription/function-suspicious',
  title: 'Function contains suspicious code',
  severity: 'medium',
  packs: ['secrets', 'hygiene'],
  licence: 'Transformations',
  options: z.strictObject({
    max_kilobytes: z.number().positive().default(64).describe('Longest text of a function, in KB (1,024 bytes)'),
  }),
  check({ attributes: { function: text } }, { options }) {
    if (typeof text !== 'string') return
    const reasons: string[] = []
    // The inventory seals what looks like a credential within the text.
    if (/sealed:(?:[0-9a-f]{32}|masked)/.test(text)) reasons.push('contains what looks like a credential')
    if (text.includes('eval') || text.includes('Function')) {
      if (/(?<![\w$.])(?:eval|Function)\s*\(/.test(codeOf(text))) reasons.push('runs text as code')
    }
    const kilobytes = Buffer.byteLength(text) / 1024
    if (kilobytes > options.max_kilobytes) {
      reasons.push(`is ${Math.ceil(kilobytes)} KB long (policy: at most ${options.max_kilobytes} KB)`)
    }
    if (reasons.length > 0) return { path: '/function', message: reasons.join('; ') }
    return undefined
  },
})

/**
 * The program without comments and plain strings; of templates, what they insert. What is not closed goes on to the
 * end, so that no text takes long.
 */
function codeOf(text: string): string {
  return text
    .slice(0, longestRead)
    .replace(
      /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`((?:\\[\s\S]|[^`\\])*)`?/g,
      (_, template: string | undefined) => (template?.match(/\$\{[^{}]*\}/g) ?? ['']).join(' '),
    )
}
