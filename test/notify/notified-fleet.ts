import type { Channel } from '../../src/config/configuration.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { NewMessage } from '../../src/history/outbox.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type Links, noLinks } from '../../src/notify/links.ts'
import { readMessage } from '../../src/notify/message.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { at, type FleetFixture, type FleetFixtureOptions, openFleetFixture } from '../audit/fleet-fixture.ts'

/** So that an edit of a status opens one violation and no others. */
export const onlyInactive = policyOf('extends: []\nrules: { endpoint/inactive: {} }\n')

export const lines = { name: 'lines', type: 'log' } as const satisfies Channel
export const chat: Channel = { name: 'chat', type: 'slack', url: 'https://chat.example.com/x' }

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
    const all: readonly NewMessage[] = Array.isArray(written) ? written : []
    return { report, messages: all.map(({ body }) => readMessage(body)) }
  }
  return { fixture, run, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() }
}

/** The endpoints of the first project. */
export function places(fixture: FleetFixture) {
  const { uid: project } = at(fixture.fleet.projects(), 0)
  return fixture.fleet.open(project).endpoints.map(({ uid }) => ({ project, uid }))
}
