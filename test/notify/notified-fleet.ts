import type { Channel } from '../../src/config/configuration.ts'
import { changeEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { NewMessage } from '../../src/history/outbox.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type Links, noLinks } from '../../src/notify/links.ts'
import { readMessage } from '../../src/notify/message.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { at, type FleetFixtureOptions, openFleetFixture } from '../audit/fleet-fixture.ts'

/** So that an edit of a status opens one violation and no others. */
export const onlyInactive = policyOf('extends: []\nrules: { endpoint/inactive: {} }\n')

export const lines = { name: 'lines', type: 'log' } as const satisfies Channel
export const chat: Channel = { name: 'chat', type: 'slack', url: 'https://chat.example.com/x', max_characters: 40_000 }

/** A fleet fixture whose runs notify some channels. */
export async function openNotified(channels: readonly Channel[] = [lines], options: FleetFixtureOptions = {}) {
  const fixture = await openFleetFixture(options)
  const run = async (turn: Omit<AuditTurn, 'url' | 'compose'> = {}, on = channels, links: Links = noLinks) => {
    let written: readonly NewMessage[] | 'later' = []
    const compose = composeRunNotifications(on, links)
    const composeAndKeep: ComposeNotifications = (record, before) => {
      written = compose?.(record, before) ?? []
      return written
    }
    const report = await fixture.audit({ ...turn, compose: composeAndKeep })
    const all = Array.isArray(written) ? written : []
    return { report, messages: all.map(({ body }) => readMessage(body)) }
  }
  const { uid: project } = at(fixture.fleet.projects(), 0)
  const places = fixture.fleet.open(project).endpoints.map(({ uid }) => ({ project, uid }))
  return {
    fixture,
    run,
    /** What a run sends. */
    messages: async (...turn: Parameters<typeof run>) => (await run(...turn)).messages,
    /** Breaks the next answers of the service off: those with such a path. */
    breakOff: (path: RegExp, times = 10) => fixture.service.failNext({ how: 'bad-json', path, times }),
    /** Changes one of them. */
    edit: (index: number, change: Partial<EndpointRow>) =>
      changeEndpoint(fixture.fleet, at(places, index), (row) => ({ ...row, ...change })),
    /** An endpoint of the first project, as its fleet began. */
    place: (index: number) => at(places, index),
    /** Sets the status of some of them. */
    turn(from: number, to: number, status: 'active' | 'inactive' | 'paused') {
      for (const place of places.slice(from, to)) setEndpointStatus(fixture.fleet, place, status)
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}
