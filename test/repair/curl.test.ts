import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressedRequest, curlLines, quoteForShell, wireJson } from '../../src/gateway/repair/curl.ts'
import { type BodyObject, bodyOf, type Pieces, spell } from '../../src/gateway/repair/pieces.ts'
import { parseJson } from '../../src/gateway/service/parse-json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { anyCharacter } from '../any-character.ts'
import { tries } from '../thoroughness.ts'

/** A `curl` that prints its arguments, each ended by a NUL. */
const stub = 'curl() { for argument in "$@"; do printf "%s\\0" "$argument"; done; }\n'

function runInShell(lines: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync('sh', ['-u'], {
    input: `${stub}${lines.join('\n')}\n`,
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  return { status, stderr, args: stdout.split('\0').slice(0, -1) }
}

/** The values of an option among arguments. */
function valuesOf(option: string, args: readonly string[]): string[] {
  return args.flatMap((arg, at) => (arg === option ? [args[at + 1] ?? ''] : []))
}

/** `JSON.parse` may take a name with an escape for another one that it met before. */
function readExactly(body: string): unknown {
  const read = parseJson(Buffer.from(body))
  return read.ok ? read.value : read.reason
}

const reference = (name: string) => `\${${name}}`
const secret = { name: 'SECRET_ONE' }

/** Texts that are these words alone are the placeholder. */
const mark = 'the secret'
const filled = (body: JsonObject): BodyObject => bodyOf(body, (text) => (text === mark ? [secret] : [text]))

const request = (body: JsonObject | null, more: Partial<AddressedRequest> = {}): AddressedRequest => ({
  method: 'PUT',
  url: ['https://hooks.example.com/api/v1', '/projects/p/endpoints/e'],
  headers: { Authorization: ['Bearer ', { name: 'ACME_KEY' }], 'content-type': ['application/json'] },
  body: body && filled(body),
  ...more,
})

describe('a curl command', () => {
  it('gives a real shell the arguments, with variables in place of placeholders', () => {
    const body = { name: "O'Brien", authentication: { api_key: { header_value: mark } } }
    const lines = curlLines(request(body))
    const { status, args } = runInShell(lines, { ACME_KEY: "k'e $y", SECRET_ONE: 'a\\"b$(id)' })
    expect(status).toBe(0)
    expect(args.slice(0, 5)).toEqual(['--silent', '--show-error', '--fail-with-body', '--request', 'PUT'])
    expect(valuesOf('--header', args)).toEqual(["Authorization: Bearer k'e $y", 'content-type: application/json'])
    expect(valuesOf('--url', args)).toEqual(['https://hooks.example.com/api/v1/projects/p/endpoints/e'])
    const [sent = ''] = valuesOf('--data-raw', args)
    expect(JSON.parse(sent)).toEqual({ ...body, authentication: { api_key: { header_value: 'a"b$(id)' } } })
  })

  it('does not run while a variable is unset or empty', () => {
    const lines = curlLines(request({ secret: mark }))
    for (const env of [{ ACME_KEY: 'k' }, { ACME_KEY: 'k', SECRET_ONE: '' }]) {
      const { status, args, stderr } = runInShell(lines, env)
      expect({ args, isRefused: status !== 0 }).toEqual({ args: [], isRefused: true })
      expect(stderr).toContain('SECRET_ONE')
    }
  })

  it('has no body where the request has none', () => {
    const { args } = runInShell(curlLines(request(null, { method: 'POST' })), { ACME_KEY: 'k' })
    expect(valuesOf('--data-raw', args)).toEqual([])
  })

  const hostile = fc.oneof(
    fc.constantFrom(
      ...["'", "'; touch /tmp/pwned; '", '$(touch /tmp/pwned)', '`id`', '"', '\\', "\\'", '!!', '*', '~', 'é漢😀', '#'],
      ...['\n', '\r\n', '\u0000', '\u001b[31m', '\u202e', '\u2028', '-d @/etc/passwd', `'"\${ACME_KEY:?}"'`],
      ...['HOME', 'ACME_KEY', 'SECRET_ONE'].map(reference),
    ),
    fc.string({ unit: anyCharacter }),
  )

  it('keeps every text of a body, no matter what it holds', () => {
    const text = fc.array(hostile, { maxLength: 4 }).map((parts) => parts.join(''))
    const bodies = fc.array(fc.dictionary(text, text, { maxKeys: 4 }), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(bodies, (list) => {
        const lines = list.flatMap((body) => curlLines(request(body)))
        expect(lines.join('\n')).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
        const { status, stderr, args } = runInShell(lines, { ACME_KEY: 'k' })
        expect([status, stderr]).toEqual([0, ''])
        expect(valuesOf('--data-raw', args).map(readExactly)).toEqual(list)
      }),
      { numRuns: tries(40, { locally: 12 }) },
    )
  })

  it('quotes any text as one word', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 30 }), (texts) => {
        // An argument of a program cannot contain a NUL.
        const words = texts.map((text) => text.replaceAll('\0', '').toWellFormed())
        const { args } = runInShell([`curl ${words.map((word) => quoteForShell([word])).join(' ')}`])
        expect(args).toEqual(words)
      }),
      { numRuns: tries(40, { locally: 12 }) },
    )
  })

  it('has variables where a text has placeholders, and nowhere else', () => {
    const pieces: fc.Arbitrary<Pieces> = fc.array(fc.oneof(hostile, fc.constant(secret)), { maxLength: 6 })
    const texts = fc.array(pieces, { minLength: 8, maxLength: 8 })
    const plain = (text: Pieces, value: string) => text.map((piece) => (piece === secret ? value : piece)).join('')
    fc.assert(
      fc.property(texts, (list) => {
        const lines = list.flatMap((text) => {
          const member = { name: text, value: { type: 'text', pieces: text } } as const
          return curlLines(request(null, { body: { type: 'object', members: [member] } }))
        })
        const { status, args } = runInShell(lines, { ACME_KEY: 'not-a-real-key', SECRET_ONE: 'one $(id) word' })
        expect(status).toBe(0)
        const sent = valuesOf('--data-raw', args).map((body) => Object.entries(Object(readExactly(body))))
        expect(sent).toEqual(list.map((text) => Array(1).fill(Array(2).fill(plain(text, 'one $(id) word')))))
        expect(args.filter((arg) => arg.includes('not-a-real-key'))).toEqual(
          list.map(() => 'Authorization: Bearer not-a-real-key'),
        )
      }),
      { numRuns: tries(40, { locally: 12 }) },
    )
  })

  it('has the layout of other JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const json = readExactly(JSON.stringify(body)) as JsonObject // A dictionary.
        expect(readExactly(spell(wireJson(bodyOf(json, (text) => [text]))))).toEqual(json)
        const plain = JSON.stringify(json, null, 2)
        if (/^[ -~\n]*$/.test(plain)) expect(spell(wireJson(bodyOf(json, (text) => [text])))).toBe(plain)
      }),
    )
  })

  it('writes numbers that a double cannot hold as numbers', () => {
    const body = { rate_limit: 'number:12345678901234567890', name: 'text:number:12345678901234567890' }
    expect(spell(wireJson(filled(body)))).toBe(
      '{\n  "rate_limit": 12345678901234567890,\n  "name": "number:12345678901234567890"\n}',
    )
  })
})
