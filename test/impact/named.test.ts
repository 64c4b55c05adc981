import { afterAll, expect, it } from 'vitest'
import { deleteSubscription, setEndpointStatus, updateEndpoint } from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

const channel = 'notify: [{ name: files, type: log }]\n'
const cli = await openCliFixture({ endpointsPerProject: 6 }, channel)
afterAll(() => cli[Symbol.asyncDispose]())
const { fleet } = cli
const wiped = [0, 1, 2].map((index) => cli.endpoint(index))
const paused = cli.endpoint(3)
const { subscriptions } = fleet.open(paused.project)
await cli.audit('--quiet')
for (const place of wiped) {
  const row = at(
    fleet.open(place.project).endpoints.filter(({ uid }) => uid === place.uid),
    0,
  )
  updateEndpoint(fleet, place, { name: row.name, url: row.url })
}
setEndpointStatus(fleet, paused, 'paused')
const { uid: subscription } = at(
  subscriptions.filter(({ endpoint_id }) => endpoint_id === cli.endpoint(4).uid),
  0,
)
deleteSubscription(fleet, { project: paused.project, uid: subscription })
await cli.audit('--quiet')

it('the timeline names the command under a change that may have stopped deliveries', async () => {
  for (const [uid, said] of [
    [at(wiped, 0).uid, /What it cost: `hookdrift impact \S+ \S+ [0-9a-f]{8}`/],
    [paused.uid, new RegExp(`hookdrift impact \\S+ \\S+\\s+${paused.uid} --from 1`)],
    [subscription, /What it cost: `hookdrift impact/],
  ] as const) {
    const { stdout } = await cli.run(['timeline', uid])
    expect(stdout).toMatch(said)
  }
  expect((await cli.run(['timeline', cli.endpoint(5).uid])).stdout).not.toContain('impact')
})

it('restore and impact name each other', async () => {
  const { stdout } = await cli.run(['restore', at(wiped, 0).uid])
  expect(stdout).toMatch(/counts what\s+was not delivered meanwhile/)
  const { rows } = await cli.json('causes')
  const whole = await cli.run(`restore --cause ${at<{ id: string }>(rows, 0).id}`)
  expect(whole.stdout).toMatch(/counts what\s+was not delivered meanwhile/)
})

it('a cause concerns each endpoint that changed with it', async () => {
  const { rows } = await cli.json('causes')
  const cause = at(
    rows.filter(({ resources }: { readonly resources: number }) => resources === wiped.length),
    0,
  )
  const { stdout } = await cli.run(['impact', cause.id, '--format', 'json'])
  const answer = JSON.parse(stdout)
  expect(answer.target).toEqual({ type: 'cause', id: cause.id })
  expect(answer.rows.map(({ uid }: { readonly uid: string }) => uid).sort()).toEqual(wiped.map(({ uid }) => uid).sort())
})

it('a violation concerns the endpoint that it is about', async () => {
  const { rows } = await cli.json('violations --open')
  const lost = rows.filter(({ rule, uid }) => rule === 'drift/authentication-lost' && uid === at(wiped, 0).uid)
  const { fingerprint } = at<{ fingerprint: string }>(lost, 0)
  const { stdout } = await cli.run(['impact', fingerprint.slice(0, 8), '--format', 'json'])
  const answer = JSON.parse(stdout)
  expect(answer.target).toEqual({ type: 'violation', id: fingerprint })
  expect(answer.rows).toMatchObject([{ uid: at(wiped, 0).uid }])
})

it('a project concerns all its endpoints', async () => {
  const { stdout } = await cli.run(['impact', paused.project, '--from', '1', '--format', 'json'])
  expect(JSON.parse(stdout).rows).toHaveLength(6)
})

it.each([
  ['what delivers nothing', ['ledger.created'], 'no delivery depends on event_type '],
  ['what did not change, without a window', [cli.endpoint(5).uid], 'the history knows no change of the endpoint'],
  ['a window that ends first', [paused.uid, '--from', 'latest', '--to', '1'], 'the window begins at'],
])('refuses %s', async (_, words, said) => {
  const { code, stderr } = await cli.run(['impact', ...words])
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
})
