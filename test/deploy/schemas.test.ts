import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOwner, schemaAddress } from '../../scripts/release/owner.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout, textOf } from './build-image.ts'

const owner = readOwner(checkout)
const files = globSync('config/**/*.schema.json', { cwd: checkout })
const idOf = (path: string): string => JSON.parse(textOf(path)).$id
const ids = files.map(idOf)

describe('the address of a schema', () => {
  it('is at a host that never exists, until the owner names one', () => {
    expect(schemaAddress({ schemas: '' }, 'report-3')).toBe('https://hookdrift.example/schemas/report-3.schema.json')
    expect(schemaAddress({ schemas: 'https://acme.example/s' }, 'report-3#/$defs/time')).toBe(
      'https://acme.example/s/report-3.schema.json#/$defs/time',
    )
  })
})

describe('the JSON Schemas', () => {
  it('each have an address of their own as their id, with the number of their form', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(new Set(ids).size).toBe(files.length)
    const named = Object.fromEntries(files.map((path) => [path, idOf(path)]))
    expect(named).toMatchObject({
      'config/hookdrift.schema.json': schemaAddress(owner, 'hookdrift'),
      'config/policy.schema.json': schemaAddress(owner, 'policy'),
      'config/report.schema.json': schemaAddress(owner, 'report-3'),
      'config/answers/diff.schema.json': schemaAddress(owner, 'answers/diff-3'),
    })
    for (const path of files.filter((path) => path.startsWith('config/answers/')))
      expect(`hookdrift.${idOf(path).replace(/^.*\/|\.schema\.json$/g, '')}`).toBe(
        JSON.parse(textOf(path)).properties.schema.const.replace('/', '-'),
      )
  })

  it('refer to parts of each other that exist', () => {
    const byId = new Map(files.map((path) => [idOf(path), JSON.parse(textOf(path))]))
    for (const path of files) {
      const refs = [...textOf(path).matchAll(/"\$ref": "([^"#]*)#([^"]*)"/g)]
      for (const [ref, id = '', pointer = ''] of refs) {
        const found = pointer
          .split('/')
          .slice(1)
          .reduce((value, name) => value?.[name], byId.get(id === '' ? idOf(path) : id))
        expect(found, `${path}: ${ref}`).toBeTypeOf('object')
      }
    }
  })

  it('are laid out for a web server under the rest of their ids', () => {
    using directory = openDirectory()
    execFileSync(process.execPath, [join(checkout, 'scripts/publish-schemas.ts'), directory.path])
    const laidOut = globSync('**/*.json', { cwd: directory.path })
    expect(laidOut.sort()).toEqual(ids.map((id) => id.slice(schemaAddress(owner, '').lastIndexOf('/') + 1)).sort())
    expect(readFileSync(join(directory.path, 'answers/diff-3.schema.json'), 'utf8')).toBe(
      textOf('config/answers/diff.schema.json'),
    )
  })
})

describe('the entry for a catalogue', () => {
  const { schemas } = JSON.parse(textOf('release/catalog.json'))
  const schemaFor = (path: string) =>
    schemas.filter(({ fileMatch }: { fileMatch: readonly string[] }) =>
      fileMatch.some((pattern) => matchesGlob(path, pattern.startsWith('**/') ? pattern : `**/${pattern}`)),
    )

  it('names our files, none of others, and schemas that exist', () => {
    expect(schemaFor('/etc/hookdrift/hookdrift.yaml')).toMatchObject([{ url: schemaAddress(owner, 'hookdrift') }])
    expect(schemaFor('/etc/hookdrift/policy.yaml')).toMatchObject([{ url: schemaAddress(owner, 'policy') }])
    expect(schemaFor('/etc/firewall/policy.yaml')).toEqual([])
    for (const { url, name, description } of schemas) {
      expect(ids).toContain(url)
      expect(name && description).toBeTruthy()
    }
  })
})
