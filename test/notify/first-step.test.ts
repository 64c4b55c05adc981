import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { firstStep } from '../../src/notify/compose-messages.ts'
import { remediationOf } from '../../src/rules/rule-page.ts'

describe('the first step of a remediation', () => {
  it.each([
    ['Set the credentials again. Make the caller send them.', 'Set the credentials again.'],
    ['1. Prefer `hmac`. 2. If the sender cannot, use a key.', 'Prefer `hmac`.'],
    ['- Rotate the key, e.g. by hand. - Or remove it.', 'Rotate the key, e.g. by hand.'],
    ['Set `a. B` again', 'Set `a. B` again'],
    ['See [the guide](../how-to/x.md) first. Then act.', 'See the guide first.'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(firstStep(text)).toBe(expected)
  })

  it('is cut between words, with its code closed', () => {
    expect(firstStep('word '.repeat(100))).toMatch(/^(?:word )+word…$/)
    const cut = firstStep(`Run \`${'word '.repeat(100)}\` now`)
    expect(cut.length).toBeLessThanOrEqual(202)
    expect(cut.split('`')).toHaveLength(3)
  })

  it('of each rule page is a short sentence', () => {
    const pages = readdirSync(new URL('../../docs/rules', import.meta.url), { recursive: true, encoding: 'utf8' })
    const ids = pages.filter((page) => page.endsWith('.md')).map((page) => page.replace(/\.md$/, ''))
    expect(ids.length).toBeGreaterThan(100)
    const odd = ids.filter((id) => {
      const step = firstStep(remediationOf(id))
      return (
        step.length < 10 || step.length > 202 || step.split('`').length % 2 === 0 || /\n|^\d\. |^- |\]\(/.test(step)
      )
    })
    expect(odd).toEqual([])
  })
})
