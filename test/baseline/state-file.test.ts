import { expect, it } from 'vitest'
import { readState, writeState } from '../../src/baseline/state-file.ts'

it('a state file keeps numbers that exceed a double, and reads hand-written ones', () => {
  const attributes = { id: 'number:1234567890123456789', list: ['number:-1e400', 1.5, 'text:number:1e400'] }
  const resource = { kind: 'endpoint', uid: 'EP-1', name: 'a', sealKeyId: '0'.repeat(16), attributes } as const
  const state = { project: { name: 'acme/orders', service: 'acme', uid: 'p1' }, scopes: {}, resources: [resource] }
  const written = writeState(state)
  expect(readState(written, 'a.yaml').resources).toEqual([resource])
  const byHand = written.replace(/['"]?number:(1234567890123456789)['"]?/, '$1')
  expect(byHand).toContain('id: 1234567890123456789')
  expect(readState(byHand, 'a.yaml').resources).toEqual([resource])
})

it.each(['  \n', '\n \t\n', ' ', '\n\n', 'x\n  \n', '\n  x\n'])('a state file keeps the blank lines of %j', (text) => {
  const attributes = { description: text, list: [text, { name: text }] }
  const resource = { kind: 'endpoint', uid: 'EP-1', name: text, sealKeyId: '0'.repeat(16), attributes } as const
  const state = { project: { name: 'acme/orders', service: 'acme', uid: 'p1' }, scopes: {}, resources: [resource] }
  expect(readState(writeState(state), 'a.yaml').resources).toEqual([resource])
})
