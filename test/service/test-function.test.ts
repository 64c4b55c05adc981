import { describe, expect, it } from 'vitest'
import { type Answer, aClient, anAccess, answer, aService, faultIn, said } from './fake-service.ts'

const trial = { function: 'function transform(p) { return p }', payload: { a: 1 }, type: 'body' }
const reset: Answer = (request) => request.socket.resetAndDestroy()
const ran = (data: unknown) => answer(200, { status: true, message: 'Transformer function run successfully', data })

async function outcomeOf(...answers: Answer[]) {
  const service = await aService(...answers)
  return aClient(service.url).testFunction(trial, anAccess())
}

describe('a test of a function', () => {
  it('is a POST of the function, the payload and the type', async () => {
    let sent = ''
    const service = await aService((request, response) => {
      request.on('data', (chunk) => (sent += chunk))
      request.on('end', () => ran({ payload: { b: 2 }, log: ['seen 1', 7] })(request, response))
    })
    expect(await aClient(service.url).testFunction(trial, anAccess())).toEqual({
      outcome: 'ok',
      payload: { b: 2 },
      log: ['seen 1'],
    })
    expect(service.requests[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(service.requests[0]?.url.pathname).toBe('/api/v1/projects/project-1/sources/test_function')
    expect(JSON.parse(sent)).toEqual(trial)
  })

  it.each([
    ['a result of undefined', ran({ payload: null, log: [] }), { outcome: 'ok', payload: null, log: [] }],
    ['a result of false', ran({ payload: false, log: null }), { outcome: 'ok', payload: false, log: [] }],
    ['no data', ran(undefined), { outcome: 'failed', message: 'the result could not be serialised' }],
    ['data null', ran(null), { outcome: 'failed', message: 'the result could not be serialised' }],
    [
      'an error',
      said(400, 'Error: boom: 1 at transform'),
      { outcome: 'failed', message: 'Error: boom: 1 at transform' },
    ],
  ])('is an outcome of the function: %s', async (_title, given, outcome) => {
    expect(await outcomeOf(given)).toEqual(outcome)
  })

  it('may be answered with 201, like other POSTs, and with no other success', async () => {
    const body = { status: true, message: 'ok', data: { payload: { b: 2 }, log: [] } }
    expect(await outcomeOf(answer(201, body))).toMatchObject({ outcome: 'ok' })
    for (const status of [202, 203, 206])
      expect(await outcomeOf(answer(status, body))).toEqual({
        outcome: 'unknown',
        message: expect.stringMatching(new RegExp(`^${status} .* instead of 200 ok or 201 created`)),
        requestId: 'req-7',
      })
  })

  it.each([
    ['no licence', said(400, 'your instance does not have access to transformations, upgrade')],
    ['no such project', said(400, 'project not found')],
    ['a project that the service does not find', said(400, 'failed to retrieve project')],
    [
      'a project without a subscription',
      said(400, 'this project has been disabled for write operations until you re-subscribe your convoy instance'),
    ],
    ['a request that is not understood', said(400, 'body contains incorrect JSON type for field "payload"')],
    ['a listing that fails', said(400, 'Failed to load endpoints')],
    ['a 400 of something else', answer(400, '<h1>bad request', { 'content-type': 'text/html' })],
    ['a refused key', said(401, 'authorization failed')],
    ['a forbidden key', said(403, 'no')],
    ['no such operation', answer(404, '404 page not found\n', { 'content-type': 'text/plain' })],
    ['a payload too large', said(413, 'too large')],
    ['a rate limit', said(429, 'exceeded rate limit')],
    ['a panic', answer(500, '')],
    ['the dashboard', answer(200, '<!DOCTYPE html>', { 'content-type': 'text/html' })],
    ['a redirect', answer(302, '', { location: 'http://elsewhere.example/' })],
    ['a status that is not true', answer(200, { status: false, data: { payload: 1, log: [] } })],
    ['data that is a text', ran('x')],
    ['a reset', reset],
  ] as [string, Answer][])('could not run: %s', async (_title, given) => {
    expect(await outcomeOf(given)).toEqual({
      outcome: 'unknown',
      message: expect.not.stringContaining('req-7'),
      requestId: given === reset ? null : 'req-7',
    })
  })

  it.each([
    ['a panic', answer(500, ''), 1],
    ['a reset', (request) => request.socket.resetAndDestroy(), 1],
    ['a transient 400', said(400, 'Failed to load endpoints'), 1],
    ['a rate limit', said(429, 'exceeded rate limit'), 2],
    ['a refused key', said(401, 'authorization failed'), 2],
  ] as [string, Answer, number][])(
    'is repeated only when it surely did not run: %s',
    async (_title, given, requests) => {
      const service = await aService(given, ran({ payload: 1, log: [] }))
      const { outcome } = await aClient(service.url).testFunction(trial, anAccess())
      expect(service.requests.length).toBe(requests)
      expect(outcome).toBe(requests === 2 ? 'ok' : 'unknown')
    },
  )

  it('breaks off when stopped', async () => {
    const service = await aService(ran({}))
    const testing = aClient(service.url).testFunction(trial, anAccess({ signal: AbortSignal.abort() }))
    expect(await faultIn(testing)).toMatch(/^stopped: test of a function: /)
  })
})
