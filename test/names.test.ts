import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = resolve(import.meta.dirname, '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

describe('exported type names', () => {
  it('are each defined in one file, so that a search finds the right one', () => {
    const places = files.flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/^export (?:interface|type|class|enum) ([A-Z]\w*)/gm)].map(
        ([, name = '']) => ({ name, file }),
      ),
    )
    const twice = [...Map.groupBy(places, ({ name }) => name)].filter(([, among]) => among.length > 1)
    expect(twice.map(([name, among]) => `${name}: ${among.map(({ file }) => file).join(', ')}`)).toEqual([])
    expect(places.length).toBeGreaterThan(200)
  })
})

describe('names of types', () => {
  // Things, although they end as participles do.
  const things = /^(?:End|Find|Group|List|Mapp|Match|Open|Prun|Rank|Read|Sett|Tim)ing$|^Need$/

  it('are those of things, and no participles', () => {
    const declared = files.flatMap((file) =>
      [
        ...readFileSync(join(source, file), 'utf8').matchAll(
          /^(?:export )?(?:interface|type) ([A-Z][a-z]*(?:ed|ing))\b/gm,
        ),
      ].map(([, name = '']) => ({ name, file })),
    )
    expect(declared.filter(({ name }) => !things.test(name))).toEqual([])
  })
})

describe('comments', () => {
  it('name files that exist', () => {
    const root = join(source, '..')
    const known = ['src', 'test', 'docs'].flatMap((folder) => {
      const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      return names.map((name) => `/${folder}/${name}`)
    })
    const named = files.flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/^.*(?:\/\*|^ *\*|\/\/) (.*)$/gm)].flatMap(
        ([, text = '']) =>
          [...text.matchAll(/(?<![\w./-])[\w-][\w/-]*\.(?:ts|md)\b/g)].map(([name]) => ({ file, name })),
      ),
    )
    expect(named.filter(({ name }) => !known.some((path) => path.endsWith(`/${name}`)))).toEqual([])
    expect(named.length).toBeGreaterThan(10)
  })
})

describe('object literals', () => {
  it('are as long as their subject: none is spread into another one', () => {
    const spread = files.filter((file) => readFileSync(join(source, file), 'utf8').includes('...{'))
    expect(spread).toEqual([])
  })
})
