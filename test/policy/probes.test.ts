import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/json.ts'
import { expectExpression } from '../../src/policy/cel/payload-expression.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { expectJson } from '../../src/policy/read-probes.ts'

const files: Readonly<Record<string, string>> = {
  '/etc/order.json': '{"a": 1}',
  '/etc/sub/order.json': '\ufeff{"a": 2}',
  '/etc/list.json': '[1]',
  '/etc/broken.json': '{"a": not-a-real-key}',
  '/etc/large.json': JSON.stringify({ a: 'x'.repeat(1024 * 1024) }),
  '/etc/fn.js': 'function transform(p) { return p }',
}

function read(policy: string, more: Readonly<Record<string, string>> = {}) {
  const all: Readonly<Record<string, string>> = { ...files, ...more, '/etc/policy.yaml': policy }
  return readPolicy('/etc/policy.yaml', (file) => {
    const text = all[file]
    if (text === undefined) throw new Error(`ENOENT: no such file, open '${file}'`)
    return text
  })
}

function refusal(policy: string, more?: Readonly<Record<string, string>>) {
  try {
    read(policy, more)
  } catch (error) {
    if (error instanceof AuditError && error.kind === 'usage') return error.message.split('\n')
    throw error
  }
  throw new Error('it was let through')
}

const probe = (members: string) =>
  `probes:\n  - { name: p, match: { uid: x }, function: body, payload: order.json${members} }`

describe('probes of a policy', () => {
  it('are read with their files, which are next to the policy', () => {
    const [one, two] = read(`probes:
  - { name: one, match: { uid: x }, function: body, payload: ./order.json }
  - { name: two, match: { kind: subscription }, function: subscription, payload: /etc/sub/order.json, function_file: fn.js, type: other }
`).probes
    expect(one).toMatchObject({ name: 'one', function: 'body', type: 'body', payload: { a: 1 } })
    expect([one?.functionText, one?.expectation]).toEqual([undefined, undefined])
    expect(two).toMatchObject({
      function: 'subscription',
      type: 'other',
      payload: { a: 2 },
      functionText: files['/etc/fn.js'],
    })
  })

  it('match only resources with a function of their kind', () => {
    const ref = { name: 'acme/payments', service: 'acme', uid: 'p' }
    const [one] = read(probe('')).probes
    const matches = (kind: 'source' | 'endpoint', uid: string) =>
      one?.matches(ref, {}, { kind, uid, name: '', attributes: {}, volatile: {}, facts: {} })
    expect([matches('source', 'x'), matches('source', 'y'), matches('endpoint', 'x')]).toEqual([true, false, false])
  })

  it('are part of the digest of the policy, with their files', () => {
    const digests = [
      read('rules: {}'),
      read(probe('')),
      read(probe(', expect: "true"')),
      read(probe(', expect: "false"')),
      read(probe(''), { '/etc/order.json': '{"a": 2}' }),
      read(probe(', function_file: fn.js')),
      read(probe(', function_file: fn.js'), { '/etc/fn.js': '' }),
    ].map(({ digest }) => digest)
    expect(new Set(digests).size).toBe(digests.length)
    expect(read('rules: {}').digest).toBe(read('rules: {}\nprobes: []').digest)
  })

  it.each([
    [', payloads: x', /^\/etc\/policy\.yaml:2:72: `payloads` is unknown, did you mean `payload`\?$/],
    [', expect: "payload.a =="', /:2:93: the expression ends too early$/],
    [', expect: "paylod.a == 1"', /:2:81: there is no `paylod`, did you mean `payload`\?$/],
    [', expect: "1 + 1"', /:2:81: the expression gives `int`, expected true or false$/],
    [', expect: "payload.a.matches(\'(a+)+$\')"', /:2:81: `matches` is not offered/],
    [
      ', expect: "payload.all(a, a.all(b, b.all(c, c == 1)))"',
      /:2:105: macros such as `exists` are nested more than 2 deep/,
    ],
    [`, expect: "${'('.repeat(200)}1${')'.repeat(200)} == 1"`, /:2:121: the expression is too large/],
    [', expect: "true", expect_json: 1', /:2:5: .*expected only one of `expect` and `expect_json`$/],
    [', function_file: no.js', /:2:87: cannot read \/etc\/no\.js: ENOENT/],
    [', type: ""', /:2:78: /],
  ])('are refused at their place: %s', (members, line) => {
    expect(refusal(probe(members))).toEqual([expect.stringMatching(line)])
  })

  it.each([
    ['no.json', /cannot read \/etc\/no\.json: ENOENT/],
    ['list.json', /\/etc\/list\.json does not contain a JSON object/],
    ['broken.json', /\/etc\/broken\.json is not JSON$/],
    ['large.json', /\/etc\/large\.json is larger than a probe may be: 1048576 characters$/],
  ])('are refused for their payload: %s', (payload, text) => {
    const [line, ...more] = refusal(probe('').replace('order.json', payload))
    expect([line, more]).toEqual([expect.stringMatching(/^\/etc\/policy\.yaml:2:60: /), []])
    expect(line).toMatch(text)
    expect(line).not.toContain('not-a-real-key')
  })

  it('have unique names, also across extended files', () => {
    const both = `${probe('')}\n  - { name: p, match: { uid: y }, function: header, payload: order.json }`
    expect(refusal(both)).toEqual(['/etc/policy.yaml:3:13: there is another probe `p`'])
    expect(refusal(`extends: [./base.yaml]\n${probe('')}`, { '/etc/base.yaml': probe('') })).toEqual([
      '/etc/policy.yaml:3:13: there is another probe `p`',
    ])
    const twice = {
      '/etc/a.yaml': 'extends: [./c.yaml]',
      '/etc/b.yaml': 'extends: [./c.yaml]',
      '/etc/c.yaml': probe(''),
    }
    expect(read('extends: [./a.yaml, ./b.yaml]', twice).probes).toHaveLength(1)
    const differing = { '/etc/a.yaml': probe(''), '/etc/b.yaml': probe(', type: other') }
    expect(refusal('extends: [./a.yaml, ./b.yaml]', differing)).toEqual([
      '/etc/policy.yaml:1:10: they contain two different probes `p`',
    ])
  })
})

function evaluateBy(expression: string, payload: Json) {
  const result = expectExpression(expression)
  if ('mistakes' in result) throw new Error(result.mistakes.map(({ text }) => text).join())
  return result.expectation.evaluate(payload, 0)
}

describe('an expectation', () => {
  it.each<[string, Json]>([
    ["payload.event_type == 'x' && payload.data.n == 1", { event_type: 'x', data: { n: 1 } }],
    ['payload.list.exists(x, x > 1.5)', { list: [1, 2] }],
    ["!('gone' in payload) && payload.none == null", { none: null }],
    ['payload == 3', 3],
    ['payload.yes', { yes: true }],
  ])('is met: %s', (expression, payload) => {
    expect(evaluateBy(expression, payload)).toEqual({ is: 'met' })
  })

  it.each<[string, Json, string]>([
    ['payload.n == 2', { n: 1 }, 'the result does not satisfy `payload.n == 2`'],
    ['payload.gone == 1', {}, 'the result does not satisfy `payload.gone == 1` (No such key: gone)'],
    ['payload.n', { n: 1 }, 'the result does not satisfy `payload.n` (it returns neither true nor false)'],
    [
      'age(payload.at) < days(1)',
      { at: 'never' },
      'the result does not satisfy `age(payload.at) < days(1)` (age: not a time)',
    ],
    ['payload.__proto__ == 1', {}, 'the result does not satisfy `payload.__proto__ == 1` (No such key: __proto__)'],
  ])('is broken: %s', (expression, payload, complaint) => {
    expect(evaluateBy(expression, payload)).toEqual({ is: 'broken', complaint })
  })

  it('is unknown when its loops would take too long', () => {
    const list = Array.from({ length: 2000 }, (_, n) => n)
    const nested = 'payload.all(a, payload.exists(b, a == b))'
    expect(evaluateBy(nested, list)).toEqual({
      is: 'unknown',
      reason: expect.stringMatching(/takes more than 50000 steps/),
    })
    expect(evaluateBy(nested, list.slice(0, 200))).toEqual({ is: 'met' })
    expect(evaluateBy('payload.all(a, a >= 0)', list)).toEqual({ is: 'met' })
    const reason = '`true` a document has more than 10000 parts, the limit'
    expect(evaluateBy('true', Array(10_000).fill(0))).toEqual({ is: 'unknown', reason })
  })

  it('of JSON is met by that value in any order of members, and by no other', () => {
    const { evaluate } = expectJson({ a: [1, { b: null }], c: 'x' })
    expect(evaluate({ c: 'x', a: [1, { b: null }] }, 0)).toEqual({ is: 'met' })
    const complaints = [{ a: [1, { b: 0 }], c: 'x' }, { a: [1], c: 'x' }, { a: [1, { b: null }], c: 'x', d: 1 }, null]
      .map((result) => evaluate(result, 0))
      .map((outcome) => ('complaint' in outcome ? outcome.complaint : outcome.is))
    expect(complaints).toEqual([
      'the result differs from the expected JSON at /a/1/b',
      'the result differs from the expected JSON at /a/1',
      'the result differs from the expected JSON at /d',
      'the result differs from the expected JSON',
    ])
  })
})

describe('an expectation about a number', () => {
  const exact = { id: 'number:1234567890123456789' }
  const near = { id: 'number:1234567890123456788' }

  it('compares every digit of a number, as JSON and as an expression', () => {
    const [json, expression] = read(`probes:
  - { name: json, match: { uid: x }, function: body, payload: order.json, expect_json: { id: 1234567890123456789 } }
  - { name: cel, match: { uid: x }, function: body, payload: order.json, expect: payload.id == 1234567890123456789 }
`).probes.map(
      ({ expectation }) =>
        (result: Json) =>
          expectation?.evaluate(result, 0).is,
    )
    expect([json?.(exact), json?.(near), json?.({ id: '1234567890123456789' })]).toEqual(['met', 'broken', 'broken'])
    expect([expression?.(exact), expression?.(near), expression?.({ id: 5 })]).toEqual(['met', 'broken', 'broken'])
  })
})
