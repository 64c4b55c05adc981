import { expect, it } from 'vitest'
import { readState, writeState } from '../../src/config/state-file.ts'

it('a state file keeps numbers that exceed a double, and reads hand-written ones', () => {
  const attributes = { id: 'number:1234567890123456789', list: ['number:-1e400', 1.5, 'text:number:12'] }
  const resource = { kind: 'endpoint', uid: 'EP-1', name: 'a', sealKeyId: '0'.repeat(16), attributes } as const
  const state = { project: { name: 'acme/orders', service: 'acme', uid: 'p1' }, scopes: {}, resources: [resource] }
  const written = writeState(state)
  expect(readState(written, 'a.yaml').resources).toEqual([resource])
  const byHand = written.replace(/['"]?number:(1234567890123456789)['"]?/, '$1')
  expect(byHand).toContain('id: 1234567890123456789')
  expect(readState(byHand, 'a.yaml').resources).toEqual([resource])
})

it('a state file with a secret that is not sealed is refused, and no part of the secret is shown', () => {
  const secret = 'not-a-real-secret-5f0c1d'
  const attributes = {
    authentication: { type: 'api_key', api_key: { header_name: 'X-Key', header_value: secret } },
    secrets: { S1: { value: secret } },
    slack_webhook_url: `sealed:${'0'.repeat(32)}`,
  }
  const resource = { kind: 'endpoint', uid: 'EP-1', name: 'a', sealKeyId: '0'.repeat(16), attributes } as const
  const state = { project: { name: 'acme/orders', service: 'acme', uid: 'p1' }, scopes: {}, resources: [resource] }
  const why = 'a secret is written out: a state has its seal alone, `sealed:…`, as reports and exported states show it'
  expect(() => readState(writeState(state), 'a.yaml')).toThrow(
    expect.objectContaining({ exitCode: 2, message: `a.yaml:18:27: ${why}\na.yaml:21:20: ${why}` }),
  )
})

it.each(['  \n', '\n \t\n', ' ', '\n\n', 'x\n  \n', '\n  x\n'])('a state file keeps the blank lines of %j', (text) => {
  const attributes = { description: text, list: [text, { name: text }] }
  const resource = { kind: 'endpoint', uid: 'EP-1', name: text, sealKeyId: '0'.repeat(16), attributes } as const
  const state = { project: { name: 'acme/orders', service: 'acme', uid: 'p1' }, scopes: {}, resources: [resource] }
  expect(readState(writeState(state), 'a.yaml').resources).toEqual([resource])
})
