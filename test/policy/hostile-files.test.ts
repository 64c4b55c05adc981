import { describe, expect, it } from 'vitest'
import { patternFault } from '../../src/rules/shared/pattern.ts'
import { policyOf } from '../audit/audit-harness.ts'

const rule = (assert: string) =>
  JSON.stringify({
    extends: [],
    custom: [{ id: 'a/b', kind: 'endpoint', assert, severity: 'low', message: 'm' }],
  })

/** Nine levels, each nine times the one before: 387 million values. */
const aliasBomb = Array.from({ length: 9 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x, x, x]'
    : `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
).join('\n')

describe('a hostile policy file is refused before it costs anything', () => {
  it.each<[string, string, RegExp]>([
    ['ten megabytes', `rules: {}\n${'#'.repeat(10 * 1024 * 1024)}`, /:1:1: the file is larger than 1 MiB, the limit/],
    ['an alias bomb', `${aliasBomb}\n`, /:\d+:\d+: aliases repeat more than 10000 values, the limit/],
    ['an alias of itself', 'overrides: &a [*a]\n', /:1:16: an alias of something that it is part of/],
    ['a mebibyte of brackets', '['.repeat(1024 * 1023), /limit|nested too deeply/],
    ['a deep nesting', `rules: ${'['.repeat(200)}${']'.repeat(200)}`, /nested more than 64 levels deep/],
    ['ten thousand rules', JSON.stringify({ custom: Array(10_000).fill({}) }), /custom|is missing/],
    [
      'a bomb of macros',
      rule('[1,2,3,4,5,6,7,8,9].exists(a, [1].exists(b, [1].exists(c, [1].exists(d, a + b + c + d > 99))))'),
      /macros such as `exists` are nested more than 2 deep, the limit/,
    ],
    ['a huge expression', rule(`resource.name == '${'x'.repeat(100_000)}'`), /more than 2000 characters/],
    ['a pattern of millions of states', rule("re(resource.name, '((a{100}){100}){100}')"), /not a regular expression/],
    ['a pattern that explodes elsewhere', rule("resource.name.matches('(a+)+$')"), /`matches` is not offered/],
  ])('%s', (_, text, message) => {
    expect(() => policyOf(text)).toThrow(message)
  })

  it('a pattern that explodes elsewhere is harmless on RE2', () => {
    expect(patternFault('(a+)+$')).toBeUndefined()
    expect(() => policyOf(rule("re(resource.name, '(a+)+$')"))).not.toThrow()
  })
})
