import { describe, expect, it } from 'vitest'
import { patternFault } from '../../src/gateway/expressions.ts'
import { AuditError } from '../../src/model/errors.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { wrongFiles } from './wrong-files.ts'

function saysOf(text: string) {
  try {
    readPolicy('/etc/policy.yaml', () => text)
  } catch (error) {
    if (!(error instanceof AuditError) || error.kind !== 'usage') throw error
    return error.message.split('\n').map((line) => line.replaceAll('/etc/policy.yaml:', ''))
  }
  return []
}

describe('a wrong policy file', () => {
  it.each(Object.entries(wrongFiles))('is refused at its line and column: %s', (_, [text, ...says]) => {
    expect(saysOf(text)).toEqual(says)
  })

  it('is reported with all its mistakes at once, of shape and of expressions', () => {
    const custom = (assert: string) =>
      `custom:\n  - { id: a/b, kind: endpoint, severity: low, message: "{resource.nme}", assert: ${assert} }\n`
    expect(saysOf(`extends: [tsl]\nrules: { endpoint/inactiv: off }\n${custom('2 > 1')}`)).toEqual([
      '1:11: `tsl` is not a pack, did you mean `tls`?',
      '2:10: `endpoint/inactiv` is unknown, did you mean `endpoint/inactive`?',
      '4:67: there is no field `nme` of endpoint, did you mean `name`?',
    ])
    expect(saysOf(custom('resource.urll == ""'))).toEqual([
      '2:67: there is no field `nme` of endpoint, did you mean `name`?',
      '2:91: there is no field `urll` of endpoint, did you mean `url`?',
    ])
  })
})

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
