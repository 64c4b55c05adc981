import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLiterals, sealCode } from '../../src/gateway/inventory/seal-code.ts'
import { sealer } from './inventory-fixture.ts'

const seal = sealer.seal('Xk9-qQ2z')

/** Ten functions with made-up secrets in them, as prettier, eslint, terser and esbuild write them with many options. */
const programs: readonly { function: number; tool: string; canaries: string[]; text: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/programs.json'), 'utf8'),
)

describe('program text', () => {
  it.each(programs.map((program) => [`${program.function}, ${program.tool}`, program] as const))(
    'keeps its names and loses its secrets: function %s',
    (_, { canaries, text }) => {
      const sealed = sealCode(text, sealer)
      const names = findLiterals(text)?.names ?? []
      // A name stays readable, also one that was in quotes before it was formatted.
      const secrets = canaries.filter((canary) => !names.includes(canary))
      expect(secrets.filter((secret) => sealed.includes(secret))).toEqual([])
      expect(findLiterals(sealed)?.names).toEqual(names)
      expect(sealCode(sealed, sealer)).toBe(sealed)
    },
  )

  it.each([
    [`return { event_type: 'order.created', data: p }`],
    [`if (p.type === 'invoice.payment_failed') return null`],
    [`headers['X-Hub-Signature-256'] = p.total * 100`],
    [`const algorithm = 'sha256', encoding = "base64"`],
    ['// only paid orders\nreturn p'],
    [`const text = \`order \${p.id} of \${p.customer}\``],
    [`createHmac('sha256', key).digest('hex')`],
    [`if (typeof p.token !== 'string') throw new TypeError('missing data')`],
    [`tokens.map(({ type }) => type === 'order').join(',')`],
    [`p.password = '***'; p.token = '[REDACTED]'`],
    [`request.header.authorization.slice(7).replace('Bearer ', '')`],
    [`fetch('https://a.example/orders/')`],
    ['function (payload) { return payload }'],
    ['export default (payload) => payload'],
    [''],
  ])('stays unchanged without a possible secret: %s', (program) => {
    expect(sealCode(program, sealer)).toBe(program)
  })

  it.each([
    ['a number of more than three digits', 'f(8765432109)', `f('${sealer.seal('8765432109')}')`],
    ['a big integer', 'f(12345n)', `f('${sealer.seal('12345n')}')`],
    ['a word given to a secret', `const password = 'swordfish'`, `const password = '${sealer.seal('swordfish')}'`],
    ['a word compared with one', `p.token == 'swordfish'`, `p.token == '${sealer.seal('swordfish')}'`],
    ['a word next to one in a call', `equal(p.token, 'swordfish')`, `equal(p.token, '${sealer.seal('swordfish')}')`],
    ['a word that one is asked for', `p.token?.startsWith('fish')`, `p.token?.startsWith('${sealer.seal('fish')}')`],
    ['an expression for one', `p.token.match(/^fish$/)`, `p.token.match('${sealer.seal('/^fish$/')}')`],
    ['a word given to a key function', `createHmac('sha1', 'fish')`, `createHmac('sha1', '${sealer.seal('fish')}')`],
    ['a case of one', `switch (p.token) { case 'fish': }`, `switch (p.token) { case '${sealer.seal('fish')}': }`],
    ['a regular expression', `/Xk9-qQ2z/.test(p)`, `'${sealer.seal('/Xk9-qQ2z/')}'.test(p)`],
    ['a comment in HTML form', `f()\n<!-- Xk9-qQ2z`, `f()\n// ${sealer.seal('<!-- Xk9-qQ2z')}`],
    ['a first line for a shell', '#!Xk9-qQ2z\nf()', `// ${sealer.seal('#!Xk9-qQ2z')}\nf()`],
    ['a part of an address', `'https://a.example/Xk9-qQ2z'`, `'https://a.example/${sealer.seal('/Xk9-qQ2z')}'`],
    ['a member', `({'Xk9-qQ2z': 1})`, `({'${seal}': 1})`],
    ['a tag', 'tag`Xk9-qQ2z`', `tag\`${seal}\``],
  ])('seals %s', (_, program, sealed) => {
    expect(sealCode(program, sealer)).toBe(sealed)
    expect(sealCode(sealed, sealer)).toBe(sealed)
  })

  it.each([
    ['does not end', `const secret = 'Xk9-qQ2z`],
    ['is another language', 'def transform(payload):\n  return "Xk9-qQ2z"'],
    ['has a name that is a credential', 'const whsec_0123456789abcdef = 1'],
    ['has a name that is random', 'x.gX7bQ2kLm9TzR4vWc8Yn1pHd()'],
    ['is longer than any function', `f('${'ab '.repeat(200_000)}')`],
    ['is nested without end', `${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    ['is one long sum', `f(${'a+'.repeat(100_000)}1)`],
  ])('is sealed whole where it %s', (_, program) => {
    expect(sealCode(program, sealer)).toBe(sealer.seal(program))
  })

  it('is sealed the same way twice', () => {
    const words = fc.constantFrom('Xk9-qQ2z', 'order.created', '8765432109', `sealed:${'0'.repeat(32)}`, 'x', '')
    const piece = fc.oneof(
      words.map((word) => `'${word}'`),
      words.map((word) => `\`${word}\${y}\``),
      words.map((word) => `/* ${word} */ z`),
      fc.constantFrom('1', '12345', '/a+/g', '{token}', '[]', 'x.token'),
    )
    const program = fc
      .array(fc.tuple(fc.constantFrom('f(', 'const secret = (', 'x == ('), piece))
      .map((lines) =>
        lines.map(([before, value], index) => `${before.replace('secret', `secret${index}`)}${value})`).join('\n;'),
      )
    fc.assert(
      fc.property(program, (text) => {
        const sealed = sealCode(text, sealer)
        expect(sealed).not.toContain('Xk9-qQ2z')
        expect(sealCode(sealed, sealer)).toBe(sealed)
      }),
    )
  })
})
