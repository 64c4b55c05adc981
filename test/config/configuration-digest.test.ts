// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { configure, withService } from './config-fixture.ts'

const [firstCa = '', secondCa = ''] = rootCertificates
const ca = '/etc/hookdrift/ca.pem'
const digest = (service: object, top: object = {}, sources: Parameters<typeof configure>[1] = {}) =>
  configure(withService(service, top), { files: { [ca]: firstCa }, ...sources }).digest

describe('the digest of a configuration', () => {
  it('does not depend on keys', () => {
    const env = { ACME_KEY: 'rotated' }
    expect(digest({}, {}, { env })).toBe(digest({}))
    expect(digest({ key: 'not-a-real-key' })).toBe(digest({}))
    const sealed = (key: string) => digest({}, { seal_key: key.repeat(32) })
    expect(sealed('n')).toBe(sealed('o'))
    const header = { dialect: { headers: { 'x-gate': '${GATE}' } } }
    expect(digest(header, {}, { env: { ...env, GATE: 'a' } })).toBe(digest(header, {}, { env: { ...env, GATE: 'b' } }))
  })

  it('does not depend on notation', () => {
    const text = `# a comment\nservices:\n- projects:\n  - { id: p1 }\n  url: https://hooks.example.com/\n  key: \${ACME_KEY}\n  name: acme\n  page_size: 1000\n  limits: { page_timeout: 30000ms }\n`
    expect(configure(text).digest).toBe(digest({}))
  })

  it('does not depend on the history that a run uses', () => {
    const env = { ACME_KEY: 'a', HOOKDRIFT_HISTORY: '/elsewhere' }
    expect(configure(withService({}), { env }, { history: '/x' }).digest).toBe(digest({}))
  })

  it.each<[string, object, object]>([
    ['history', {}, { history: 'x.db' }],
    ['policy', {}, { policy: 'p.yaml' }],
    ['concurrency', {}, { concurrency: 5 }],
    ['name', { name: 'b' }, {}],
    ['url', { url: 'https://b.example' }, {}],
    ['page size', { page_size: 10 }, {}],
    ['listings', { listings: { sources: 'off' } }, {}],
    ['limits', { limits: { retries: 3 } }, {}],
    ['certificates', { ca_file: 'ca.pem' }, {}],
    ['dialect', { dialect: { sort: 'DESC' } }, {}],
    ['headers', { dialect: { headers: { accept: '*/*' } } }, {}],
    ['headers left out', { dialect: { headers: { accept: null } } }, {}],
    ['projects', { projects: [{ id: 'p2' }] }, {}],
    ['project names', { projects: [{ id: 'p1', name: 'n' }] }, {}],
    ['labels', { projects: [{ id: 'p1', labels: { a: 'b' } }] }, {}],
    ['filters', { projects: [{ id: 'p1', filters: { endpoints: { name: 'a' } } }] }, {}],
  ])('depends on the %s', (_, service, top) => {
    expect(digest(service, top)).not.toBe(digest({}))
  })

  it('depends on the content of a certificate file', () => {
    const service = { ca_file: 'ca.pem' }
    expect(digest(service, {}, { files: { [ca]: secondCa } })).not.toBe(digest(service))
  })
})
