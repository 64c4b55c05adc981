import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditError } from '../../src/model/errors.ts'
import { problemLine, refuseProblems } from '../../src/model/yaml/problem.ts'
import { readDocument } from '../../src/model/yaml/read-document.ts'

const severity = z.enum(['low', 'high'])
const schema = z.strictObject({
  name: z.string().exactOptional(),
  concurrency: z.int().min(1).max(64).default(4),
  share: z.number().gt(0).max(1).exactOptional(),
  key: z.string().min(3).exactOptional(),
  on: z.boolean().exactOptional(),
  mode: z.enum(['auto', 'required', 'off']).exactOptional(),
  labels: z.record(z.string().regex(/^[a-z]+$/, { error: 'lower-case letters' }), z.string()).exactOptional(),
  items: z.array(z.strictObject({ id: z.string(), size: z.int().exactOptional() })).exactOptional(),
  rules: z
    .record(z.string(), z.union([z.literal('off'), severity, z.strictObject({ severity, max: z.int().positive() })]))
    .exactOptional(),
})

const read = (text: string) => readDocument(text, { file: 'f.yaml', schema, isSecret: (path) => path.at(-1) === 'key' })

function refusal(text: string, act: (text: string) => unknown = read): readonly string[] {
  try {
    act(text)
  } catch (thrown) {
    if (!(thrown instanceof AuditError)) throw thrown
    expect(thrown.exitCode).toBe(2)
    return thrown.message.split('\n')
  }
  return []
}

describe('readDocument', () => {
  it('decodes a file and fills in the defaults', () => {
    expect(read('name: a\nlabels: { env: prod }\n').value).toEqual({
      name: 'a',
      concurrency: 4,
      labels: { env: 'prod' },
    })
  })

  it('reads a file with a byte order mark and Windows line ends', () => {
    expect(read('\uFEFFname: a\r\nconcurrency: 5\r\n').value).toEqual({ name: 'a', concurrency: 5 })
  })

  it('lists every mistake of a file in order', () => {
    expect(
      refusal('name: 1\non: yes\nconcurrency: many\nshare: 0\nitems:\n  - id: a\n    size: 1.5\n  - {}\n'),
    ).toEqual([
      'f.yaml:1:7: name is 1, expected text (in quotes)',
      'f.yaml:2:5: on is "yes", expected true or false',
      'f.yaml:3:14: concurrency is "many", expected a whole number from 1 to 64',
      'f.yaml:4:8: share is 0, expected a number above 0 and of at most 1',
      'f.yaml:7:11: size is 1.5, expected a whole number',
      'f.yaml:8:5: id is missing, expected text',
    ])
  })

  it.each([
    [
      'histroy: a',
      'f.yaml:1:1: `histroy` is unknown, expected `name`, `concurrency`, `share`, `key`, `on`, `mode`, `labels`, `items` or `rules`',
    ],
    ['name: a\nconcurency: 3', 'f.yaml:2:1: `concurency` is unknown, did you mean `concurrency`?'],
    ['items: [{ id: a, sise: 1 }]', 'f.yaml:1:18: `sise` is unknown, did you mean `size`?'],
    [
      '__proto__: { name: a }',
      'f.yaml:1:1: `__proto__` is unknown, expected `name`, `concurrency`, `share`, `key`, `on`, `mode`, `labels`, `items` or `rules`',
    ],
  ])('points at an unknown key itself: %s', (text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it.each([
    ['mode: of', 'f.yaml:1:7: mode is "of", expected `auto`, `required` or `off`'],
    ['labels: { A: b }', 'f.yaml:1:11: the name `A` does not fit, expected lower-case letters'],
    ['labels: { a: 1 }', 'f.yaml:1:14: a is 1, expected text (in quotes)'],
    ['labels:', 'f.yaml:1:1: labels is empty, expected a mapping'],
    ['items: {}', 'f.yaml:1:8: items is an empty mapping, expected a list'],
    ['items: [a]', 'f.yaml:1:9: items[0] is "a", expected a mapping'],
    ['rules: { a: of }', 'f.yaml:1:13: a is "of", expected `off`, or `low` or `high`, or a mapping'],
    ['rules: { a: { severity: low, max: 0 } }', 'f.yaml:1:35: max is 0, expected a whole number of at least 1'],
    ['rules: { a: { severity: low, max: 1, mx: 1 } }', 'f.yaml:1:38: `mx` is unknown, expected `severity` or `max`'],
  ])('describes %s in plain words', (text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it.each([
    ['', 'f.yaml:1:1: the file is empty, expected a mapping'],
    ['# nothing\n', 'f.yaml:1:1: the file is empty, expected a mapping'],
    ['- name: a', 'f.yaml:1:1: the file is a list, expected a mapping'],
    ['name', 'f.yaml:1:1: the file is a text, expected a mapping'],
    ['labels:\n\ta: b', 'f.yaml:2:1: indented with a tab, expected spaces'],
    ['name: a\nname: b', 'f.yaml:2:1: a duplicate key, first in line 1'],
    ['name: *a', 'f.yaml:1:7: an alias without an anchor before it; a value that begins with * needs quotes'],
    ['items: &a [*a]', 'f.yaml:1:12: an alias of something that it is part of'],
    ['name: !env HOME', 'f.yaml:1:7: a YAML tag that hookdrift does not know; a value that begins with ! needs quotes'],
    [
      'name: !!binary aGk=',
      'f.yaml:1:7: a YAML tag that hookdrift does not know; a value that begins with ! needs quotes',
    ],
    ['name: a\n---\nname: b', 'f.yaml:2:1: a second YAML document begins, expected one per file'],
    ['%YAML 1.1\n---\nname: a', 'f.yaml:1:1: expected YAML 1.2'],
    ['name: a: b', 'f.yaml:1:7: a second colon in one line; a text with a colon and a space in it needs quotes'],
    ['name: @a', 'f.yaml:1:7: a value that begins with @, ` or % needs quotes'],
    ['? [a]\n: b', 'f.yaml:1:3: a key that is not a text, expected a plain name'],
  ])('refuses a syntax error: %j', (text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it('follows aliases, and points at the alias or into the aliased text', () => {
    expect(read('labels: &l { a: b }\nitems: [{ id: &x y }, { id: *x }]').value.items).toEqual([
      { id: 'y' },
      { id: 'y' },
    ])
    expect(refusal('name: &n a\nconcurrency: *n')).toEqual([
      'f.yaml:2:14: concurrency is "a", expected a whole number from 1 to 64',
    ])
    expect(refusal('items:\n  - &i\n    id: 1\n  - *i')).toEqual(['f.yaml:3:9: id is 1, expected text (in quotes)'])
  })

  it('refuses an alias bomb at the alias that goes too far', () => {
    const ten = (alias: string) => `[${Array(10).fill(alias).join(', ')}]`
    const bomb = `items: &a ${ten('1')}\nlabels: &b ${ten('*a')}\nrules: &c ${ten('*b')}\nname: &d ${ten('*c')}\nmode: &e ${ten('*d')}\non: ${ten('*e')}`
    expect(refusal(bomb)).toContain('f.yaml:4:39: aliases repeat more than 10000 values, the limit')
  })

  it('refuses a file nested too deeply', () => {
    const [line] = refusal(`name: ${'['.repeat(100)}${']'.repeat(100)}`)
    expect(line).toBe('f.yaml:1:7: name is a list, expected text')
    expect(refusal(`name: ${'['.repeat(100)}${']'.repeat(100)}`)).toContain(
      'f.yaml:1:71: nested more than 64 levels deep, the limit',
    )
  })

  it.each([
    ['10 MB', 'x'.repeat(10_000_000), 'f.yaml:1:1: the file is larger than 1 MiB, the limit'],
    [
      'a mebibyte of brackets',
      '['.repeat(1024 * 1024),
      'f.yaml:1:250000: the file has more than 250000 YAML tokens, the limit',
    ],
    [
      'a hundred thousand keys',
      Array.from({ length: 100_000 }, (_, i) => `k${i}:\n`).join(''),
      'f.yaml:62500:8: the file has more than 250000 YAML tokens, the limit',
    ],
  ])('refuses %s quickly', (_, text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it('shows the first fifty of very many mistakes', () => {
    const lines = refusal(Array.from({ length: 300 }, (_, index) => `unheard-of-${index}: 1\n`).join(''))
    expect(lines).toHaveLength(51)
    expect(lines.at(-1)).toBe('… and 250 more')
  })

  it.each([
    ['key: NS', 'f.yaml:1:6: key has a value that does not fit (not shown), expected text that is not empty'],
    ['key: 4711', 'f.yaml:1:6: key has a value that does not fit (not shown), expected text that is not empty'],
    ['key: ""', 'f.yaml:1:6: key is "", expected text that is not empty'],
    ['key: [NS]', 'f.yaml:1:6: key is a list, expected text that is not empty'],
  ])('does not show a secret: %s', (text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it.each([
    'key:not-a-real-key', // the blank forgotten: the whole file is one text
    '{ key:not-a-real-key }',
    'on: x\n  key:not-a-real-key',
    'key: *not-a-real-key',
    'key: !not-a-real-key x',
    'key: "not-a-real-key',
    'key: not-a-real-key: x',
    'mode: CO.aaaaaaaaaaaaaaaa.not-a-real-key.aaaaaaaaaaaaaaaaaaaaaaa',
    'mode: https://me:not-a-real-key@example.com',
  ])('does not show a secret that slipped to another place: %j', (text) => {
    const lines = refusal(text)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('\n')).not.toContain('not-a-real-key')
  })

  describe('with references in its texts', () => {
    const expand = (text: string) =>
      text === '$bad' ? { problem: 'no such variable' } : { text: text.replace('$a', 'expanded').replace('$empty', '') }
    const readExpanded = (text: string) => readDocument(text, { file: 'f.yaml', schema, expand })

    it('checks the expanded texts', () => {
      expect(readExpanded('name: x-$a\nlabels: { a: $a }').value).toMatchObject({
        name: 'x-expanded',
        labels: { a: 'expanded' },
      })
    })

    it('shows the text as written, never its expansion', () => {
      expect(refusal('mode: $a', readExpanded)).toEqual([
        'f.yaml:1:7: mode is "$a", expected `auto`, `required` or `off`',
      ])
      expect(refusal('key: $empty', readExpanded)).toEqual([
        'f.yaml:1:6: key is empty once its references are filled in, expected text that is not empty',
      ])
    })

    it('names an undefined reference, without its value', () => {
      expect(refusal('mode: $bad\nconcurrency: 0', readExpanded)).toEqual([
        'f.yaml:1:7: no such variable',
        'f.yaml:2:14: concurrency is 0, expected a whole number from 1 to 64',
      ])
    })
  })

  describe('for problems found later', () => {
    const document = read('# first\nitems:\n  - id: a\n    size: 2\nlabels: { env: prod }\n')

    it('knows where keys and values begin', () => {
      expect(document.at(['items', 0, 'size'], 'key')).toEqual({ line: 4, column: 5 })
      expect(document.at(['items', 0, 'size'])).toEqual({ line: 4, column: 11 })
      expect(document.at(['items', 0])).toEqual({ line: 3, column: 5 })
      expect(document.at([])).toEqual({ line: 2, column: 1 })
    })

    it('places a missing key at its nearest parent', () => {
      expect(document.at(['labels', 'team'], 'key')).toEqual({ line: 5, column: 9 })
      expect(document.at(['items', 7, 'id'])).toEqual({ line: 3, column: 3 })
    })

    it('formats them as lines, for a refusal or a warning', () => {
      const late = document.problem(['labels', 'env'], 'unknown environment', 'key')
      const early = document.problem(['items', 0, 'id'], 'unheard of')
      expect(problemLine(late)).toBe('f.yaml:5:11: unknown environment')
      expect(refusal('', () => refuseProblems([late, early]))).toEqual([
        'f.yaml:3:9: unheard of',
        'f.yaml:5:11: unknown environment',
      ])
    })

    it('returns a text as written', () => {
      expect(document.written(['items', 0, 'id'])).toBe('a')
      expect(document.written(['items', 0, 'size'])).toBeUndefined()
      expect(document.written(['nowhere'])).toBeUndefined()
    })
  })
})
