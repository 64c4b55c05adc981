import { expect, it } from 'vitest'
import { answerHealth } from '../../src/app/serving/answer-in-thread.ts'

it('says that the process lives, and leaves the rest to the pages, however long they take', async () => {
  const answer = answerHealth(
    (host) => host === 'localhost',
    async (request, peer) => (request.url.endsWith('/busy') ? new Promise(() => {}) : new Response(`for ${peer}`)),
  )
  const ask = async (path: string, init: RequestInit = {}) =>
    answer(new Request(`http://localhost${path}`, { headers: { host: 'localhost' }, ...init }), '127.0.0.1')
  const busy = ask('/busy')
  const alive = await ask('/healthz?x=1')
  expect([alive.status, await alive.text()]).toEqual([200, 'alive\n'])
  expect([alive.headers.get('cache-control'), alive.headers.get('x-content-type-options')]).toEqual([
    'no-store',
    'nosniff',
  ])
  expect(await (await ask('/healthz/')).text()).toBe('for 127.0.0.1')
  expect((await ask('/healthz', { headers: { host: 'evil.example' } })).status).toBe(421)
  expect((await ask('/healthz', { method: 'DELETE' })).status).toBe(405)
  expect(await Promise.race([busy, 'nothing yet'])).toBe('nothing yet')
})
