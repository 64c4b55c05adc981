import { describe, expect, it } from 'vitest'
import { changeData } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { openAuditHarness } from './audit-harness.ts'

describe('a list of sources that the service offers at times', () => {
  it('shows sources that were added meanwhile once, and reports none as new at its first walk', async () => {
    const fleet = generateFleet({ projects: 1, incomingEvery: 1, endpointsPerProject: 6, sourcesPerProject: 4 })
    const [project] = fleet.projects()
    if (project === undefined) throw new Error('the fleet is empty')
    await using service = await startSimulatedService(fleet)
    await using harness = openAuditHarness({ projects: { intake: project.uid }, key: fleet.personalKey })
    const audit = async (isOffered: boolean) => {
      service.behaviour.offers.sources = isOffered
      const { drift } = await harness.audit({ url: service.url })
      return drift.map(({ kind, uid, change }) => `${change} ${kind} ${uid}`)
    }
    const addSource = (uid: string) =>
      changeData(fleet, project.uid, (data) => {
        const [source] = data.sources
        if (source === undefined) throw new Error('no source')
        return { ...data, sources: [{ ...source, uid, name: uid }, ...data.sources] }
      })

    expect(await audit(false)).toEqual([])
    expect(await audit(true)).toEqual([])
    expect(await audit(false)).toEqual([])
    addSource('01ZZZZZZZZZZZZZZZZZZZZZZZ1')
    expect(await audit(true)).toEqual(['added source 01ZZZZZZZZZZZZZZZZZZZZZZZ1'])
    expect(await audit(true)).toEqual([])
  })
})
