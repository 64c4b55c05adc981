import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { describeSelector, matcherOf, reachOf, type Selector, selectorSchema } from '../../src/policy/selector.ts'

const project: ProjectRef = { name: 'acme/payments', service: 'acme', uid: 'p1' }
const labels = { env: 'prod', team: 'billing' }

function anEndpoint(attributes: JsonObject = {}, other: Partial<Resource> = {}): Resource {
  return { kind: 'endpoint', uid: 'e1', name: 'test-orders', attributes, volatile: {}, facts: {}, ...other }
}

describe('a selector', () => {
  it.each<[Selector, boolean]>([
    [{ service: 'acme' }, true],
    [{ service: 'ac*' }, true],
    [{ service: 'acm' }, false],
    [{ service: ['other', 'acme'] }, true],
    [{ service: ['other', 'another'] }, false],
    [{ project: 'acme/*' }, true],
    [{ project: 'payments' }, false],
    [{ labels: { env: 'prod' } }, true],
    [{ labels: { env: ['test', 'prod'] } }, true],
    [{ labels: { env: 'test' } }, false],
    [{ labels: { env: 'prod', team: 'crm' } }, false],
    [{ labels: { region: 'eu' } }, false],
    // A project without a label has it empty.
    [{ labels: { region: '' } }, true],
    [{ service: 'acme', labels: { env: 'test' } }, false],
    [{ service: 'acme', project: 'acme/orders' }, false],
  ])('%j matches a project only when all its keys about projects match: %s', (selector, reaches) => {
    expect(reachOf(selector)(project, labels)).toBe(reaches)
    expect(matcherOf(selector).matches(project, labels, anEndpoint())).toBe(reaches)
  })

  it('matches a project regardless of its keys about resources', () => {
    expect(reachOf({ kind: 'source', uid: 'q1', name: 'x', owner: 'y', url_host: 'z' })(project, labels)).toBe(true)
  })

  it.each<[Selector, boolean]>([
    [{ kind: 'endpoint' }, true],
    [{ kind: ['source', 'endpoint'] }, true],
    [{ kind: 'source' }, false],
    [{ uid: 'e1' }, true],
    [{ uid: ['e0', 'e1'] }, true],
    // A uid is compared as it is.
    [{ uid: 'e*' }, false],
    [{ name: 'test-*' }, true],
    [{ name: 'orders' }, false],
    [{ name: ['a', '*-orders'] }, true],
    [{ name: '/^test-/' }, true],
    [{ name: '/orders/' }, true],
    [{ name: '/^orders/' }, false],
    // One slash makes no regular expression.
    [{ name: '/test-orders' }, false],
    [{ name: 'test-orders/' }, false],
    [{ owner: 'tenant-*' }, true],
    [{ owner: 'tenant' }, false],
    [{ url_host: 'hooks.example.com' }, true],
    [{ url_host: '*.example.com' }, true],
    [{ url_host: 'Hooks.Example.com' }, true],
    [{ url_host: 'example.com' }, false],
    [{ kind: 'endpoint', name: 'test-*', owner: 'tenant-7', url_host: '*', uid: 'e1' }, true],
    [{ kind: 'endpoint', name: 'test-*', owner: 'tenant-8', url_host: '*', uid: 'e1' }, false],
  ])('%j matches an endpoint only when all its keys match: %s', (selector, isMatch) => {
    const endpoint = anEndpoint({ owner_id: 'tenant-7', url: 'https://Hooks.Example.com:8443/in?a=1' })
    expect(matcherOf(selector).matches(project, labels, endpoint)).toBe(isMatch)
  })

  it('treats an attribute that is missing or not a text as empty', () => {
    for (const attributes of [{}, { owner_id: null, url: null }, { owner_id: 7, url: 7 }]) {
      expect(matcherOf({ owner: '?*' }).matches(project, labels, anEndpoint(attributes))).toBe(false)
      expect(matcherOf({ owner: '*' }).matches(project, labels, anEndpoint(attributes))).toBe(true)
      expect(matcherOf({ url_host: 'a*' }).matches(project, labels, anEndpoint(attributes))).toBe(false)
    }
  })

  it.each<[Selector, string]>([
    [{ project: 'acme/*', name: 'test-*' }, 'project acme/*, name test-*'],
    [{ uid: ['e1', 'e2'] }, 'uid e1 or e2'],
    [{ uid: ['e1', 'e2', 'e3'] }, 'uid e1, e2 or 1 more'],
    [{ uid: ['e1', 'e2', 'e3', 'e4'] }, 'uid e1, e2 or 2 more'],
    [{ uid: ['e1'] }, 'uid e1'],
    [{ labels: { env: ['prod', 'test'] }, kind: 'endpoint' }, 'kind endpoint, label env prod or test'],
    [{ labels: { env: 'prod', team: 'crm' } }, 'label env prod, label team crm'],
    // The history keeps the words.
    [{ name: 'https://bot:not-a-real-key@a.example' }, 'name https://sealed:masked@a.example'],
  ])('%j is described as "%s"', (selector, text) => {
    expect(describeSelector(selector)).toBe(text)
  })

  it.each<[string, unknown]>([
    ['is empty', {}],
    ['names no label', { labels: {} }],
    ['holds an unknown key', { nane: 'x' }],
    ['names no value', { uid: [] }],
    ['holds an empty text', { name: '' }],
    ['holds an empty uid', { uid: '' }],
    ['holds an empty service', { service: '' }],
    ['holds a regular expression that does not parse', { name: '/(/' }],
    ['holds a regular expression with a back-reference', { name: '/(a)\\1/' }],
    ['holds a text of more than 1,000 characters', { name: 'x'.repeat(1001) }],
    ['names a kind that does not exist', { kind: 'endpoints' }],
  ])('is refused when it %s', (_, selector) => {
    expect(selectorSchema.safeParse(selector).success).toBe(false)
  })

  it('accepts patterns up to 1,000 characters', () => {
    expect(selectorSchema.safeParse({ name: 'x'.repeat(1000), service: 'x'.repeat(1000) }).success).toBe(true)
  })

  it('describes a valid pattern when it refuses one, and requires a key', () => {
    const refused = (selector: unknown) =>
      selectorSchema.safeParse(selector).error?.issues.map(({ message }) => message)
    expect(JSON.stringify(selectorSchema.safeParse({ name: '/(/' }).error)).toContain('regular expression (RE2)')
    expect(refused({})).toEqual(['at least one of its keys'])
  })

  it('cannot be compiled with a regular expression that its schema would refuse', () => {
    expect(() => matcherOf({ name: '/(/' })).toThrow()
  })
})
