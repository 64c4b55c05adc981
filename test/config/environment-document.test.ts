// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { expectedIn } from '../../src/config/choose-projects.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { describeKey } from '../../src/config/expand-references.ts'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { readGateway } from '../../src/config/read-gateway.ts'
import { AuditError } from '../../src/model/errors.ts'
import { firstService } from './config-fixture.ts'

type Environment = Readonly<Record<string, string>>

const enough = {
  HOOKDRIFT_URL: 'https://hooks.example.com',
  HOOKDRIFT_KEY: 'not-a-real-key',
  HOOKDRIFT_PROJECTS: 'payments=P1,P2',
}

function sources(env: Environment, files: Readonly<Record<string, string>> = {}) {
  const readFile = (path: string) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' })
    return text
  }
  return { env, readFile }
}

const read = (env: Environment, files?: Readonly<Record<string, string>>): Configuration =>
  readConfiguration('/work/hookdrift.yaml', sources(env, files))

function refusal(env: Environment): string {
  try {
    read(env)
  } catch (error) {
    if (error instanceof AuditError) return `${error.message}\n${error.advice ?? ''}`
    throw error
  }
  return ''
}

describe('the environment as a configuration', () => {
  it('is what a file would be', () => {
    const file = `services:
  - name: hooks.example.com
    url: https://hooks.example.com
    key: \${HOOKDRIFT_KEY}
    projects: [{ id: P1, name: payments }, { id: P2 }]
`
    const { file: path, services, ...rest } = read(enough)
    const { file: _, services: written, ...same } = read(enough, { '/work/hookdrift.yaml': file })
    expect(path).toBeUndefined()
    expect(rest).toEqual(same)
    const names = (all: Configuration['services']) =>
      all.map(({ settings, projects }) => [settings, projects.map(({ ref, key }) => [ref, key])])
    expect(names(services)).toEqual(names(written))
    expect(rest.history.displayName).toBe('/work/hookdrift.db')
  })

  it('gives way to a file', () => {
    const file = 'services: [{ name: a, url: https://a.example, key: k, projects: [{ id: P9 }] }]\n'
    expect(firstService(read(enough, { '/work/hookdrift.yaml': file })).settings.name).toBe('a')
  })

  it('takes the key from a file', () => {
    const { HOOKDRIFT_KEY: _, ...env } = enough
    const [project] = firstService(
      read({ ...env, HOOKDRIFT_KEY_FILE: 'key.txt' }, { '/work/key.txt': 'from-a-file\n' }),
    ).projects
    expect(project?.key).toBe('from-a-file')
    expect(
      describeKey(project?.key ?? '', project?.keyPosition ?? { line: 1, column: 1, reference: '' }, undefined),
    ).toBe('${file:key.txt} with 11 characters')
  })

  it('is read by commands that need no key', () => {
    const { HOOKDRIFT_KEY: _, ...env } = enough
    const needs = ['history'] as const
    const { services, history } = readConfiguration('/work/hookdrift.yaml', sources(env), { needs, usesSecrets: false })
    expect({ projects: expectedIn(services).named, history: history.displayName }).toEqual({
      projects: ['hooks.example.com/payments', 'hooks.example.com/P2'],
      history: '/work/hookdrift.db',
    })
    const project = { service: 'hooks.example.com', name: 'hooks.example.com/P2' }
    expect(readGateway('/work/hookdrift.yaml', sources(env), project)).toMatchObject({
      baseUrl: ['https://hooks.example.com', '/api/v1'],
      placeholders: [{ name: 'HOOKDRIFT_KEY' }],
    })
  })

  it('expands nothing in names and ids', () => {
    expect(refusal({ ...enough, HOOKDRIFT_PROJECTS: 'a=${HOOKDRIFT_KEY}' })).toMatch(/^HOOKDRIFT_PROJECTS: id is /)
    expect(refusal({ ...enough, HOOKDRIFT_PROJECTS: 'a=${HOOKDRIFT_KEY}' })).not.toContain('not-a-real-key')
  })

  it.each([
    ['no key', { HOOKDRIFT_KEY: '' }, 'HOOKDRIFT_KEY: key is empty once `${HOOKDRIFT_KEY}` is filled in'],
    ['no key at all', { HOOKDRIFT_KEY: undefined }, 'HOOKDRIFT_KEY: not set'],
    ['two keys', { HOOKDRIFT_KEY_FILE: '/k' }, 'HOOKDRIFT_KEY and HOOKDRIFT_KEY_FILE are both set\nunset one of them'],
    ['a key in quotes', { HOOKDRIFT_KEY: '"abc"' }, 'HOOKDRIFT_KEY: '],
    ['a file without key', { HOOKDRIFT_KEY: '', HOOKDRIFT_KEY_FILE: '/k' }, 'HOOKDRIFT_KEY_FILE: cannot read /k'],
    ['a brace in a path', { HOOKDRIFT_KEY: '', HOOKDRIFT_KEY_FILE: '/k}' }, 'HOOKDRIFT_KEY_FILE has a brace'],
    ['no URL', { HOOKDRIFT_URL: 'hooks' }, 'HOOKDRIFT_URL: url is '],
    ['a path of the API', { HOOKDRIFT_URL: 'https://h.example/api/v1' }, 'HOOKDRIFT_URL: leave /api/v1 out of the URL'],
    [
      'all projects of no organisation',
      { HOOKDRIFT_PROJECTS: 'all' },
      'HOOKDRIFT_ORGANISATION: not set. A personal key needs the id of the organisation; or list projects in HOOKDRIFT_PROJECTS',
    ],
    ['no project', { HOOKDRIFT_PROJECTS: ' , ' }, 'HOOKDRIFT_PROJECTS names no project\nset it to `all`'],
    ['an id twice', { HOOKDRIFT_PROJECTS: 'a=1,b=1' }, 'HOOKDRIFT_PROJECTS has the id 1 twice'],
    ['a name twice', { HOOKDRIFT_PROJECTS: 'a=1,a=2' }, 'HOOKDRIFT_PROJECTS has the name a twice'],
    ['an odd name', { HOOKDRIFT_PROJECTS: 'a b=1' }, 'HOOKDRIFT_PROJECTS: name is "a b", expected letters'],
  ])('names the variable with a fault: %s', (_, change, message) => {
    const text = refusal({ ...enough, ...change } as Environment)
    expect(text).toContain(message)
    expect(text).not.toMatch(/hookdrift\.yaml|:\d+:\d+/)
  })

  it('reports all faults at once', () => {
    const text = refusal({ HOOKDRIFT_URL: 'hooks', HOOKDRIFT_PROJECTS: 'a b=1' })
    expect(text.match(/^HOOKDRIFT_\w+/gm)).toEqual(['HOOKDRIFT_URL', 'HOOKDRIFT_KEY', 'HOOKDRIFT_PROJECTS'])
  })

  it('is none without a URL', () => {
    for (const url of [{}, { HOOKDRIFT_URL: '' }]) {
      const { HOOKDRIFT_URL: _, ...rest } = enough
      expect(refusal({ ...rest, ...url })).toMatch(
        /^cannot read the configuration .*\nrun `hookdrift init`, set HOOKDRIFT_URL and HOOKDRIFT_KEY/,
      )
    }
  })
})
