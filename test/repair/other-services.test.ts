import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { anEndpoint, openLiteral } from '../audit/literal-service.ts'
import { command } from '../cli/run-in-process.ts'
import { project } from '../service/fake-service.ts'

const aSubscription = (more: JsonObject): JsonObject => ({
  uid: 'S1',
  project_id: project,
  name: 's',
  type: 'cli',
  function: null,
  endpoint_metadata: null,
  source_metadata: null,
  filter_config: { event_types: ['*'], filter: { body: {}, headers: {} } },
  ...more,
})

describe('restore, for a service that shows more or less than the usual one', () => {
  it('has no request for a device, and says so', async () => {
    const device = (status: string) => ({ device_metadata: { uid: 'D1', project_id: project, host_name: 'h', status } })
    await using service = await openLiteral({ subscriptions: [aSubscription(device('online'))] })
    await service.audit()
    service.show({ subscriptions: [aSubscription(device('disabled'))] })
    await service.audit()
    const { directory: cwd, file } = service.harness
    const { code, stdout } = await command(['restore', 'D1', '--history', file], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('There is no request to print.')
    expect(stdout).toContain('Left to you: the service has no request that updates a device.')
  })

  it('says which fields it does not know, and which the service never showed', async () => {
    const { description: _, ...undescribed } = anEndpoint('E1', { colour: 'red' })
    await using service = await openLiteral({ endpoints: [undescribed] })
    await service.audit()
    service.show({ endpoints: [{ ...undescribed, colour: 'blue', rate_limit: 0 }] })
    await service.audit()
    const { directory: cwd, file } = service.harness
    const { stdout } = await command(['restore', 'E1', '--history', file, '--format', 'json'], { cwd })
    const { rows, left_to_you } = JSON.parse(stdout)
    expect(rows[0].restores).toEqual(['/rate_limit'])
    expect(rows[0].body).not.toHaveProperty('colour')
    const reasons = left_to_you.map(({ path, reason }: Record<string, string>) => `${path}: ${reason}`)
    expect(reasons).toContainEqual(expect.stringMatching(/^\/colour: hookdrift does not know/))
    expect(reasons).toContainEqual(expect.stringMatching(/^\/description: The service never showed it/))
  })

  it('quotes a uid in the commands that it advises', async () => {
    await using service = await openLiteral({ endpoints: [anEndpoint('E1'), anEndpoint("a'$(id)")] })
    await service.audit()
    service.show({ endpoints: [anEndpoint('E1')] })
    await service.audit()
    const { directory: cwd, file } = service.harness
    for (const option of [
      ['--run', 'latest'],
      ['--rule', 'endpoint/inactive'],
    ]) {
      const { code, stderr } = await command(['restore', "a'$(id)", ...option, '--history', file], { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain(`\`hookdrift timeline --history ${file} 'a'\\''$(id)'\``)
    }
  })
})
