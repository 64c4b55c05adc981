import { afterEach, describe, expect, it } from 'vitest'
import { type RecordedExchange, type ReplayServer, startReplay } from '../service/replay-server.ts'
import { recording } from './recordings.ts'

let replay: ReplayServer
afterEach(() => replay.close())

const personal = {
  authorization: 'Bearer <personal-key>',
  accept: 'application/json',
  'x-convoy-version': '2025-11-24',
}
const get = async (path: string, headers: Record<string, string> = personal) => {
  const response = await fetch(`${replay.url}${path}`, { headers })
  return { status: response.status, text: await response.text() }
}

const textOf = (name: string, exchanges: readonly RecordedExchange[]) =>
  exchanges.find((exchange) => exchange.name === name)?.response.body
const payments = '/api/v1/projects/01M7XVZ2T417WGWM74AAK885VQ'

describe('a replay', () => {
  it('answers as recorded, with the parameters in any order', async () => {
    const exchanges = recording('acme-1-before')
    replay = await startReplay(exchanges)
    const second = exchanges[1]
    const [path, query] = second?.request.path.split('?') ?? []
    const { status, text } = await get(`${path}?${query?.split('&').reverse().join('&')}`)
    expect([status, text]).toEqual([200, second?.response.body])
  })

  it('distinguishes keys and content types', async () => {
    const traps = recording('traps')
    replay = await startReplay(traps)
    const answer = await get(`${payments}/endpoints?perPage=2`, {
      ...personal,
      authorization: 'Bearer <project-key:payments>',
    })
    expect(answer.text).toBe(textOf('project key on its own project', traps))
    expect((await get(`${payments}/endpoints`, {})).text).toContain('Authentication required')
    expect((await get(`${payments}/endpoints?perPage=1`, { ...personal, 'content-type': 'text/plain' })).status).toBe(
      415,
    )
  })

  it('gives several answers to one request in their order, then repeats the last', async () => {
    replay = await startReplay(recording('rate-limit'))
    const statuses: number[] = []
    for (let turn = 0; turn < 6; turn++) statuses.push((await get(`${payments}/endpoints?perPage=1`)).status)
    expect(statuses).toEqual([200, 429, 429, 429, 200, 200])
  })

  it('compares the body of a request', async () => {
    const trials = recording('test-function')
    replay = await startReplay(trials)
    const throws = trials.find(({ name }) => name === 'test_function: throws')
    const response = await fetch(`${replay.url}${throws?.request.path}`, {
      method: 'POST',
      headers: { ...personal, 'content-type': 'application/json' },
      body: JSON.stringify(throws?.request.body),
    })
    expect(await response.text()).toBe(throws?.response.body)
  })

  it('names a request that is not in the recording, without the key', async () => {
    replay = await startReplay(recording('rate-limit'))
    expect(await get('/api/v1/nothing')).toEqual({
      status: 404,
      text: 'not in the recording: GET /api/v1/nothing with this key\n',
    })
  })
})
