import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { walkOf } from './fleet-fixture.ts'
import { anEndpoint, aSubscription, openLiteral } from './literal-service.ts'

let opened: Awaited<ReturnType<typeof openLiteral>> | undefined
afterEach(() => opened?.[Symbol.asyncDispose]())

const policy = policyOf('extends: []\nrules: { project/mass-removal: {}, subscription/event-type-deprecated: {} }')

/** Audits after each step; says what the catalogue's walk proved, and the violations. */
async function open() {
  const service = await openLiteral({
    endpoints: [anEndpoint('e')],
    subscriptions: [aSubscription('s', 'e', { filter_config: { event_types: ['lost'], filter: {} } })],
  })
  opened = service
  return async (eventTypes: readonly (JsonObject | string)[]) => {
    service.show({ eventTypes })
    return said(await service.audit({ policy, listings: { event_types: 'auto' } }))
  }
}

function said(report: Report) {
  const states = report.violations.map(({ rule, state }) => `${state} ${rule.split('/')[1]}`)
  return [walkOf(report, 'event_types')?.status, ...states.sort()]
}

const typesOf = (...names: string[]) =>
  names.map((name) => ({ uid: `type ${name}`, name, deprecated_at: name === 'lost' ? '2026-11-01T00:00:00Z' : null }))
const many = typesOf('*', ...Array.from({ length: 18 }, (_, at) => `a${at}`), 'lost')

describe('a catalogue of event types', () => {
  it('that lost much and cannot be read in the next scan leaves its loss open', async () => {
    const audit = await open()
    expect(await audit(many)).toEqual(['complete', 'opened event-type-deprecated'])
    expect(await audit(many.slice(0, 2))).toEqual(['suspect', 'opened mass-removal', 'unknown event-type-deprecated'])
    expect(await audit(['no JSON'])).toEqual(['failed', 'unknown event-type-deprecated', 'unknown mass-removal'])
    expect(await audit(many.slice(0, 2))).toEqual([
      ...['complete', 'resolved event-type-deprecated', 'resolved mass-removal'],
    ])
  })

  it('that is empty resolves nothing, also when it is believed', async () => {
    const audit = await open()
    expect(await audit(typesOf('*', 'lost'))).toEqual(['complete', 'opened event-type-deprecated'])
    expect((await audit([]))[0]).toBe('suspect')
    expect(await audit([])).toEqual(['complete', 'resolved mass-removal', 'unknown event-type-deprecated'])
    expect(await audit(typesOf('*', 'lost'))).toEqual(['complete', 'continuing event-type-deprecated'])
    expect(await audit(typesOf('*', 'paid'))).toEqual(['complete', 'resolved event-type-deprecated'])
  })
})
