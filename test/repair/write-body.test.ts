import { describe, expect, it } from 'vitest'
import { maskedSeal } from '../../src/model/resource.ts'
import { composeRepair } from '../../src/repair/compose-repair.ts'
import { createPlaceholders, reference } from '../../src/repair/placeholders.ts'
import type { RepairCase } from '../../src/repair/repair.ts'
import { requestFields } from '../../src/repair/request-fields.ts'
import { writeBody } from '../../src/repair/write-body.ts'

const sealOf = (digit: string) => `sealed:${digit.repeat(32)}`

function repairOf(job: Partial<RepairCase> & Pick<RepairCase, 'target' | 'changed'>) {
  return composeRepair({
    ...{ kind: 'endpoint', projectUid: 'P1', uid: 'E1', now: { name: 'a', url: 'https://a.example' } },
    ...{ gone: [], reserved: [], ...job },
  })
}

describe('a body', () => {
  const { subscription, source, project, endpoint } = requestFields

  it('has durations, lists and nested names as the request takes them', () => {
    const retries = { retry_config: { type: 'linear', duration: 1.5, retry_count: 3 } }
    expect(writeBody(subscription, { target: retries, now: undefined }).body).toEqual({
      retry_config: { type: 'linear', duration: '1.5s', retry_count: 3 },
    })
    const versions = {
      '#0': { hash: 'MD5', encoding: 'hex' },
      V1: { hash: 'SHA256', encoding: 'hex', created_at: null },
    }
    expect(writeBody(project, { target: { config: { signature: { versions } } }, now: {} }).body).toEqual({
      config: {
        signature: {
          versions: [
            { hash: 'MD5', encoding: 'hex' },
            { uid: 'V1', hash: 'SHA256', encoding: 'hex', created_at: '' },
          ],
        },
      },
    })
    const amqp = { host: 'mq.example', bindedExchange: 'hooks', routingKey: 'orders' }
    expect(writeBody(source, { target: { pub_sub: { type: 'amqp', amqp } }, now: {} }).body).toEqual({
      pub_sub: {
        type: 'amqp',
        amqp: { host: 'mq.example', bindExchange: { exchange: 'hooks', routingKey: 'orders' } },
      },
    })
  })

  it('sends a field that was not shown then as it is now, except a member of an object whose absence means empty', () => {
    const now = { name: 'b', content_type: 'application/json', authentication: { type: 'api_key', api_key: {} } }
    const target = { name: 'a', authentication: { type: 'basic_auth', basic_auth: { username: 'u' } } }
    expect(writeBody(endpoint, { target, now }).body).toEqual({ ...target, content_type: 'application/json' })
  })

  it('gives members that hookdrift does not know back to an object that is replaced', () => {
    const target = { config: { request_id_header: 'x-id' }, colour: 'red' }
    expect(writeBody(project, { target, now: {} })).toMatchObject({
      body: { config: { request_id_header: 'x-id' } },
      left: [{ path: '/colour' }],
    })
  })
})

describe('what is left to a person', () => {
  it('is a field that the service never showed', () => {
    const { left, requests } = repairOf({ target: { name: 'b', url: 'https://a.example' }, changed: ['/name'] })
    expect(requests[0]?.restores).toEqual(['/name'])
    expect(left.map(({ path }) => path)).toContain('/description')
    expect(left.every(({ reason }) => reason.includes('never showed'))).toBe(true)
  })

  it('is what only the request of the creation sets; then nothing is sent for it alone', () => {
    const job = {
      kind: 'source',
      target: { name: 's', provider: 'github' },
      now: { name: 's', provider: null },
    } as const
    const { left, requests } = repairOf({ ...job, changed: ['/provider'] })
    expect(requests).toEqual([])
    expect(left).toEqual([{ path: '/provider', reason: expect.stringContaining('creates') }])
  })
})

describe('the status of an endpoint', () => {
  it.each([
    ['active', 'paused', ['POST activate']],
    ['active', 'inactive', ['POST activate']],
    ['paused', 'active', ['PUT pause']],
    ['paused', 'inactive', ['POST activate', 'PUT pause']],
    ['inactive', 'active', []],
  ])('was %s and is %s', (then, now, expected) => {
    const { requests, left } = repairOf({ target: { status: then }, now: { status: now }, changed: ['/status'] })
    expect(requests.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual(expected)
    expect(left.map(({ path }) => path)).toEqual(expected.length === 0 ? ['/status'] : [])
  })
})

describe('placeholders', () => {
  it('share a name where the secret is the same, and never that of a text in the body', () => {
    const taken = reference('ENDPOINT_URL_SECRET')
    const placeholders = createPlaceholders('endpoint', `a name with ${taken}`)
    const body = {
      url: `https://a.example/?a=${sealOf('1')}&b=${sealOf('2')}`,
      description: `${sealOf('1')} again`,
      masked: [maskedSeal, maskedSeal],
      [`tokens ${sealOf('3')}`]: true,
    }
    expect(placeholders.fill(body, '')).toEqual({
      url: `https://a.example/?a=${reference('ENDPOINT_URL_SECRET_2')}&b=${reference('ENDPOINT_URL_SECRET_3')}`,
      description: `${reference('ENDPOINT_URL_SECRET_2')} again`,
      masked: [reference('ENDPOINT_MASKED_0'), reference('ENDPOINT_MASKED_1')],
      [`tokens ${reference('ENDPOINT_TOKENS_SECRET')}`]: true,
    })
    expect(placeholders.list().map(({ path }) => path)).toEqual(['/url', '/url', '/masked/0', '/masked/1', '/tokens …'])
  })

  it('say which secret is meant, and which one the service keeps if it is dropped', () => {
    const certificate = { client_cert: 'PEM', client_key: maskedSeal }
    const authentication = { type: 'basic_auth', basic_auth: { username: 'u', password: maskedSeal } }
    const target = { name: 'a', authentication, mtls_client_cert: certificate }
    const now = { name: 'b', authentication, mtls_client_cert: certificate }
    const [request] = repairOf({ target, now, changed: ['/name'] }).requests
    expect(request?.placeholders.map(({ path, hint }) => [path, hint])).toEqual([
      ['/authentication/basic_auth/password', 'the present secret'],
      [
        '/mtls_client_cert/client_key',
        'the present secret; Convoy keeps /mtls_client_cert if you drop it from the body',
      ],
    ])
  })
})
