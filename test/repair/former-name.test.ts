import { expect, it } from 'vitest'
import { updateProject } from '../../src/demo/edits.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { sendTo } from './send-rows.ts'

const policy = policyOf('extends: []\nrules: { project/dynamic-urls-unmatched: {} }\n')

/** The settings of a project in v26.7.0: one under its former name, and none that came after it. */
function asInThatRelease(text: string): string {
  return text
    .replace('"verify_dynamic_events"', '"sync_dynamic_event_ack"')
    .replace(/,?"allow_unmatched_dynamic_urls":(true|false)/, '')
}

it('a setting is written by the name that the last answer had for it, before and after an upgrade', async () => {
  const fleet = { projects: 1, endpointsPerProject: 1 }
  await using history = await openHistoryFixture({ fleet, service: { release: 'later' } })
  const { fixture } = history
  const { uid } = at(fixture.fleet.projects(), 0)
  const set = (isOn: boolean) => updateProject(fixture.fleet, uid, { verify_dynamic_events: isOn })
  const audit = () => fixture.audit({ policy })
  const path = new RegExp(`projects/${uid}$`)
  fixture.service.failNext({ path, how: 'rewrite', times: 2, body: asInThatRelease })

  set(true)
  const first = (await audit()).run.number
  set(false)
  const { drift } = await audit()
  expect(drift.flatMap(({ fields }) => fields.map((field) => field.path))).toEqual(['/config/verify_dynamic_events'])
  const old = await history.rows(`restore ${uid}`)
  expect(at(old.rows as { body: { config: object } }[], 0).body.config).toMatchObject({ sync_dynamic_event_ack: true })
  expect(JSON.stringify(old.rows)).not.toMatch(/verify_dynamic_events":|allow_unmatched/)
  expect(old.left_to_you).toEqual([])

  // The upgrade makes no drift, and the service refuses the same request now.
  const upgraded = await audit()
  expect([upgraded.drift, upgraded.violations]).toEqual([[], []])
  expect(await sendTo(fixture, old.rows)).toEqual([400])
  const { rows, left_to_you } = await history.rows(`restore ${uid} --run ${first}`)
  expect(JSON.stringify(rows)).not.toContain('sync_dynamic_event_ack')
  expect(left_to_you).toEqual([])
  expect(await sendTo(fixture, rows)).toEqual([202])
  expect(fixture.fleet.project(uid)?.config.verify_dynamic_events).toBe(true)
})
