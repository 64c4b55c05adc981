import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { offsetWithin } from '../../src/model/yaml/node-values.ts'

/** The text in the file at the place of `needle` in the decoded text. */
function found(file: string, needle: string): string {
  const document = parseDocument(file)
  const node = document.get('a', true) ?? null
  const text = String(document.get('a'))
  const at = offsetWithin(file, node as never, text.indexOf(needle))
  return at === undefined ? 'nowhere' : file.slice(at, at + needle.length)
}

describe('a place within a text', () => {
  it.each([
    ['plain', 'a: one two\n'],
    ['plain, over lines', 'a: one\n   and\n\n   two\n'],
    ['in single quotes', "a: 'one ''and'' two'\n"],
    ['in double quotes', 'a: "one \\"and\\" \\u00e9\\x41\\U0001F600 \\n \\\\ two"\n'],
    ['in double quotes, over lines', 'a: "one \\\n   and\\\n   \\  two"\n'],
    ['a block', 'b: 1\na: |\n    one\n      and\n    two\n'],
    ['a folded block', 'a: >-\n  one\n  and\n\n\n  two\n'],
    ['in braces', "{ b: 1, a: 'one ''and'' two' }\n"],
  ])('is found in a text %s', (_, file) => {
    expect(found(file, 'two')).toBe('two')
    expect(found(file, 'one')).toBe('one')
  })

  it('is undefined in a node that is not a text', () => {
    expect(found('a: [one, two]\n', 'two')).toBe('nowhere')
  })
})
