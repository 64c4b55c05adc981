import { expect, it } from 'vitest'
import type { Channel } from '../../src/config/configuration.ts'
import { createRandom } from '../../src/demo/random.ts'
import type { NewMessage } from '../../src/history/outbox.ts'
import type { Report } from '../../src/model/report.ts'
import { isAtLeast, isOpen, severities } from '../../src/model/violation.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { readMessage } from '../../src/notify/message.ts'
import { openAuditHarness } from '../audit/audit-harness.ts'
import { startRandomFleet } from '../oracle/random-fleet.ts'
import { tries } from '../thoroughness.ts'

/** By the key of an incident that is open at a receiver, what it is about. */
type Incidents = Map<string, readonly string[]>

/** Does what the receiver of a channel does with its messages. */
function receive(messages: readonly NewMessage[], incidents: Incidents) {
  for (const { body, incidents: next = [] } of messages) {
    const { incident } = readMessage(body)
    expect(incident).toBeDefined()
    if (incident === undefined) continue
    // Only what is open can be updated or closed.
    if (incident.action !== 'trigger') expect([...incidents.keys()]).toContain(incident.key)
    for (const { key, subjects } of next) {
      if (subjects.length === 0) incidents.delete(key)
      else incidents.set(key, subjects)
    }
    expect(incidents.has(incident.key)).toBe(incident.action !== 'resolve')
    // What is about one thing is one incident.
    const subjects = [...incidents.values()].flat()
    if (messages.at(-1)?.body === body) expect(new Set(subjects).size).toBe(subjects.length)
  }
}

/** What is wrong in a fleet, by the reports of its runs: violations that have not ended, and listings that are lost. */
function startTruth() {
  const violations = new Map<string, Report['violations'][number]>()
  const lost = new Set<string>()
  return {
    violations,
    lost,
    learn(report: Report) {
      for (const violation of report.violations) {
        if (violation.state === 'resolved') violations.delete(violation.fingerprint)
        else violations.set(violation.fingerprint, violation)
      }
      const scanned = new Set(report.coverage.map(({ project }) => project))
      for (const subject of lost) if (scanned.has(subject.slice(0, subject.indexOf(' ')))) lost.delete(subject)
      for (const { project, listing, status } of report.coverage) {
        if (status !== 'complete') lost.add(`${project} ${listing}`)
      }
    },
  }
}

it.each(Array.from({ length: tries(12, { locally: 4 }) }, (_, at) => at + 1))(
  'an incident is open for each violation of fleet %i that is open, and for nothing that is over',
  async (number) => {
    const random = createRandom(`incidents/${number}`)
    await using world = await startRandomFleet(`incidents-${number}`, random, {
      projects: 1 + random.below(3),
      readsRows: true,
    })
    await using harness = openAuditHarness({ ...world, limits: { retries: 0 } })
    const min_severity = random.pick([...severities])
    const channels: readonly Channel[] = [
      { name: 'pager', type: 'pagerduty', url: 'https://events.example.com', routing_key: 'not-a-key', min_severity },
      {
        name: 'tickets',
        type: 'github_issue',
        repository: 'acme/gateway',
        api_url: '',
        token: 'not-a-token',
        min_severity,
      },
    ]
    const compose = composeRunNotifications(channels)
    const incidents = new Map(channels.map(({ name }) => [name, new Map()]))
    const nextTurn = world.begin()
    const truth = startTruth()
    for (let left = 4 + random.below(6); left > 0; left--) {
      const { waitMs, ...turn } = nextTurn()
      harness.advance(waitMs)
      let messages: readonly NewMessage[] = []
      const report = await harness.audit({
        ...turn,
        url: world.service.url,
        compose(record, before) {
          const composed = compose?.(record, before) ?? []
          messages = composed === 'later' ? [] : composed
          return composed
        },
      })
      truth.learn(report)
      for (const [name, open] of incidents) {
        receive(
          messages.filter(({ channel }) => channel === name),
          open,
        )
        const covered = new Set([...open.values()].flat())
        const needed = [...truth.violations.values()].filter(
          (violation) => isOpen(violation) && isAtLeast(violation.severity, min_severity),
        )
        expect(needed.filter(({ fingerprint }) => !covered.has(fingerprint))).toEqual([])
        const isAlive = (subject: string) => {
          const violation = truth.violations.get(subject)
          if (violation === undefined) return truth.lost.has(subject)
          // A waived violation needs no person, and keeps its ticket.
          return violation.state !== 'waived' || name === 'tickets'
        }
        expect([...open].filter(([, subjects]) => !subjects.some(isAlive))).toEqual([])
      }
    }
  },
  60_000,
)
