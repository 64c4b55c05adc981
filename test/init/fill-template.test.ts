import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fillTemplate } from '../../src/cli/init/plan-files.ts'
import type { Json } from '../../src/model/json.ts'

/** Texts that are something else in YAML, in a shell, in a replacement or in a template. */
const hostile = [
  'null',
  '1e5',
  '',
  ' ',
  '~',
  '- a',
  'a: b',
  'a #b',
  '"q"',
  "it's",
  '": ]\n- {x: &a',
  'a\n\nb\n',
  '*a',
  '!x',
  '@x',
  '%x',
  '`x`',
  '$& $1 $$',
  '__url__',
  '– 🙂',
]
const reference = `$\{x}`

describe('a template', () => {
  it.each([...hostile, reference, 'all', ['a', 'b: c'], [{ id: '0123', name: "it's # no" }], { x: 'off' }, []])(
    'reads %j again where it is all of a member’s value',
    (url: Json) => {
      expect(parse(fillTemplate('services:\n  - name: __url__\n    url: __url__\nend: true\n', { url }))).toEqual({
        services: [{ name: url, url }],
        end: true,
      })
    },
  )

  it.each(['acme', 'a.b-c_d', '123', '1e5', '0x1F', 'true', 'null', '_', '__url__'])(
    'has %j as a text where it is a key, an item, or a part of a text',
    (service) => {
      const text = 'secrets: [ __service__ ]\nof:\n  __service__:\n    file: ./keys/__service__\n'
      const filled = parse(fillTemplate(text, { service }))
      expect(filled).toEqual({ secrets: [service], of: { [service]: { file: `./keys/${service}` } } })
    },
  )

  it.each(hostile.filter((text) => !/^\w+$/.test(text)))('refuses %j where it is not a whole value', (service) => {
    for (const text of ['run: cat keys/__service__\n', '# __service__\n', '__service__:\n', '[ __service__ ]'])
      expect(() => fillTemplate(text, { service })).toThrow('its value is not a word')
  })

  it('leaves a member out that has no value', () => {
    expect(fillTemplate('a: 1\nb: __organisation__\nc: 2\n', { organisation: undefined })).toBe('a: 1\nc: 2\n')
    expect(() => fillTemplate('x/__organisation__', { organisation: undefined })).toThrow('its value is not a word')
  })

  it('fails for a name that has no value', () => {
    for (const name of ['none', 'constructor', 'to_string'])
      expect(() => fillTemplate(`a: __${name}__\n`, {})).toThrow(`names ${name}, which has no value`)
  })

  it('keeps expressions of GitHub, GitLab, Compose, Helm and shells', () => {
    const text = `a: $\{{ secrets.X }} $[[ inputs.x ]] $\{X:-y} {{ .Values.x }} {{- x }} $X $(x)\n<<: *x\nb: { x: [y] }\n`
    expect(fillTemplate(text, {})).toBe(text)
  })
})
