import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, expect, it } from 'vitest'
import { apiEntries, entriesFor } from '../../src/cli/api/api-entries.ts'
import { describeApi } from '../../src/cli/api/describe-api.ts'
import { describeCommand } from '../../src/cli/commands.ts'
import { openDemoSite } from './demo-site.ts'

const demo = await openDemoSite()
afterAll(() => demo[Symbol.asyncDispose]())

/** Every place within the document that a reference names. */
function refsOf(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : refsOf(value)))
}

function resolve(document: unknown, ref: string) {
  const steps = ref.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((at, step) => Object(at)[step.replaceAll('~1', '/')], document)
}

it('is valid OpenAPI 3.1, and what it refers to is there', async () => {
  const answer = await demo.get('/api/v1/openapi.json')
  expect(answer.headers.get('content-type')).toBe('application/json')
  const document = JSON.parse(await answer.text())
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  expect(document.info.version).toBe('1.2.3')
  const refs = refsOf(document)
  expect(refs.length).toBeGreaterThan(100)
  expect(refs.filter((ref) => !ref.startsWith('#/') || resolve(document, ref) === undefined)).toEqual([])
})

it('says how to log in, and which answers are no answer', async () => {
  const { paths, security, components } = JSON.parse(await (await demo.get('/api/v1/openapi.json')).text())
  expect(security).toEqual([{}, { token: [] }, { login: [] }])
  expect(components.securitySchemes).toMatchObject({
    token: { type: 'http', scheme: 'bearer' },
    login: { type: 'apiKey', in: 'cookie', name: 'hookdrift_reader' },
  })
  for (const path of ['/api/v1/violations', '/feed.atom']) {
    const { responses } = paths[path].get
    expect(Object.keys(responses)).toEqual(['200', '304', '400', '401', '403', '429', '500', '503'])
    for (const status of [429, 503]) expect(Object.keys(responses[status].headers)).toEqual(['Retry-After'])
  }
})

it('would find a fault', async () => {
  const broken = {
    ...(await describeApi(apiEntries, '1', describeCommand)),
    paths: { '/x': { get: { parameters: [{ name: 'a' }] } } },
  }
  expect((await new Validator().validate(broken)).valid).toBe(false)
})

it('names every command and every parameter', async () => {
  const { paths } = JSON.parse(await (await demo.get('/api/v1/openapi.json')).text())
  expect(Object.keys(paths)).toEqual([...Object.keys(entriesFor(false)).map((name) => `/api/v1/${name}`), '/feed.atom'])
  const parameters = new Map<string, { schema: unknown; required: boolean }>(
    paths['/api/v1/violations'].get.parameters.map((each: { name: string }) => [each.name, each]),
  )
  expect(parameters.get('severity')?.schema).toEqual({
    type: 'string',
    enum: ['critical', 'high', 'medium', 'low', 'info'],
  })
  expect(parameters.get('project')?.schema).toEqual({ type: 'array', items: { type: 'string' } })
  expect(parameters.get('run')?.schema).toEqual({ type: 'string', default: 'latest' })
  expect(parameters.get('format')?.schema).toEqual({ type: 'string', enum: ['json', 'csv'], default: 'json' })
  const [uid] = paths['/api/v1/timeline'].get.parameters
  expect(uid).toMatchObject({ name: 'uid', required: true })
})
