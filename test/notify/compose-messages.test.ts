import { describe, expect, it } from 'vitest'
import type { Channel } from '../../src/config/read-configuration.ts'
import { deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { NewMessage } from '../../src/history/outbox.ts'
import { Stop } from '../../src/model/stop.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type Message, readMessage } from '../../src/notify/message.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { at, type FleetFixture, type FleetFixtureOptions, openFleetFixture } from '../audit/fleet-fixture.ts'

const lines: Channel = { name: 'lines', type: 'log' }
const chat: Channel = { name: 'chat', type: 'slack', url: 'https://chat.example.com/x' }

/** A fleet fixture whose runs notify some channels. */
async function openNotified(channels: readonly Channel[] = [lines], options: FleetFixtureOptions = {}) {
  const fixture = await openFleetFixture(options)
  const run = async (turn: Omit<AuditTurn, 'url' | 'compose'> = {}, on = channels) => {
    let written: readonly NewMessage[] | 'later' = []
    const compose = composeRunNotifications(on)
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

const eventLines = ([message]: readonly Message[]) =>
  (message?.events ?? []).map(({ type, rule, listing, severity }) => `${type} ${rule ?? listing} ${severity}`)

function places(fixture: FleetFixture) {
  const { uid: project } = at(fixture.fleet.projects(), 0)
  return fixture.fleet.open(project).endpoints.map(({ uid }) => ({ project, uid }))
}

describe('notifications of a run', () => {
  it('are empty when nothing changed, and mention each change once', async () => {
    await using notified = await openNotified()
    const [first] = places(notified.fixture)
    if (first === undefined) throw new Error('no endpoint')
    expect((await notified.run()).messages).toEqual([])
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    const opened = await notified.run()
    expect(eventLines(opened.messages)).toContain('violation.opened endpoint/inactive high')
    expect((await notified.run()).messages).toEqual([])
    setEndpointStatus(notified.fixture.fleet, first, 'active')
    expect(eventLines((await notified.run()).messages)).toContain('violation.resolved endpoint/inactive high')
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    expect(eventLines((await notified.run()).messages)).toContain('violation.reopened endpoint/inactive high')
  })

  it('contain what the report contains, under ids that name the run and the subject', async () => {
    await using notified = await openNotified()
    await notified.run()
    for (const place of places(notified.fixture).slice(0, 3))
      setEndpointStatus(notified.fixture.fleet, place, 'inactive')
    const { report, messages } = await notified.run()
    const [message] = messages
    expect(message?.events.map(({ fingerprint }) => fingerprint).sort()).toEqual(
      report.violations
        .filter(({ state }) => state === 'opened')
        .map(({ fingerprint }) => fingerprint)
        .sort(),
    )
    expect(message).toMatchObject({
      run: { number: 2 },
      verdict: { exit_code: report.verdict.exit_code, text: report.verdict.text },
      command: 'hookdrift report --run 2',
      more: 0,
      storm: null,
    })
    const ids = [message?.id, ...(message?.events ?? []).map(({ id }) => id)]
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^(msg|evt)_[0-9a-f]{32}$/)
  })

  it('report lost coverage first, and regained coverage later', async () => {
    await using notified = await openNotified()
    await notified.run()
    const [first] = places(notified.fixture)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    notified.fixture.service.failNext({ how: 'bad-json', path: /subscriptions/, times: 10 })
    const [lost] = (await notified.run()).messages
    expect(lost?.events[0]).toMatchObject({ type: 'coverage.lost', listing: 'subscriptions', severity: 'critical' })
    expect((await notified.run()).messages).toEqual([])
    expect(eventLines((await notified.run()).messages)).toContain('coverage.regained subscriptions critical')
  })

  it('report a rule that became unknown, and resolve nothing by it', async () => {
    await using notified = await openNotified()
    const [first] = places(notified.fixture)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    await notified.run()
    notified.fixture.service.failNext({ how: 'bad-json', path: /endpoints/, times: 10 })
    const events = eventLines((await notified.run()).messages)
    expect(events).toContain('rule.unknown endpoint/inactive high')
    expect(events.filter((line) => line.includes('resolved'))).toEqual([])
    expect((await notified.run()).messages).toEqual([])
    expect(eventLines((await notified.run()).messages)).toEqual(['coverage.regained endpoints critical'])
  })

  it('report what a stopped run had read with the next run, and not the stop itself', async () => {
    await using notified = await openNotified()
    await notified.run()
    const [first, second] = places(notified.fixture)
    if (first === undefined || second === undefined) throw new Error('no endpoints')
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    const stop = new AbortController()
    const { requests } = notified.fixture.service
    const from = requests.length
    notified.fixture.service.behaviour.latencyMs = ({ path }: { path: string }) => {
      if (path.includes('/subscriptions') && requests.length > from) stop.abort(new Stop('sigterm', 'SIGTERM'))
      return 0
    }
    const cut = await notified.run({ signal: stop.signal })
    notified.fixture.service.behaviour.latencyMs = 0
    expect(cut.report.coverage.some(({ status }) => status === 'partial')).toBe(true)
    expect(cut.messages).toEqual([])
    setEndpointStatus(notified.fixture.fleet, second, 'inactive')
    const events = eventLines((await notified.run()).messages)
    expect(events.filter((line) => line === 'violation.opened endpoint/inactive high')).toHaveLength(2)
    expect(events.filter((line) => line.startsWith('coverage'))).toEqual([])
  })

  it('of a storm are one digest: the worst events, counts, and the command that lists all', async () => {
    await using notified = await openNotified([lines, chat], { fleet: { endpointsPerProject: 120 } })
    for (const place of places(notified.fixture).slice(0, 100))
      setEndpointStatus(notified.fixture.fleet, place, 'inactive')
    const first = await notified.run()
    expect(first.messages).toHaveLength(2)
    for (const message of first.messages) {
      expect(message).toMatchObject({ storm: 'first_run', command: 'hookdrift report --run 1' })
      expect(message.events).toHaveLength(10)
      expect(message.more).toBe((message.counts['violation.opened'] ?? 0) - 10)
      expect(message.rules).toContainEqual({ rule: 'endpoint/inactive', severity: 'high', events: 100 })
    }
    for (const place of places(notified.fixture).slice(0, 60))
      setEndpointStatus(notified.fixture.fleet, place, 'active')
    expect((await notified.run()).messages.map(({ storm }) => storm)).toEqual(['mass', 'mass'])
    const lenient = policyOf('extends: []\nrules: { endpoint/secret-missing: {} }\n')
    // What the policy no longer asks for is one event.
    for (const { storm, events } of (await notified.run({ policy: lenient })).messages) {
      expect([storm, events.filter(({ type }) => type === 'violation.closed')]).toMatchObject([
        null,
        [{ resolution: 'policy', project: null, text: expect.stringContaining('no longer asked for by the policy') }],
      ])
    }
    expect((await notified.run()).messages.map(({ storm }) => storm)).toEqual(['policy_changed', 'policy_changed'])
  })

  it('contain as many events as the channel takes, and a count of the others', async () => {
    await using notified = await openNotified([lines, chat])
    await notified.run()
    for (const place of places(notified.fixture).slice(0, 30))
      setEndpointStatus(notified.fixture.fleet, place, 'inactive')
    const { messages } = await notified.run()
    const counts = messages.map(({ events, more, storm }) => [events.length, events.length + more, storm])
    const [[all] = [0]] = counts
    expect(counts).toEqual([
      [all, all, null],
      [20, all, null],
    ])
    expect(all).toBeGreaterThan(20)
  })

  it('are chosen by project, severity and label; lost coverage passes every severity', async () => {
    const fleet = { projects: 2 }
    await using notified = await openNotified([], { fleet, harness: { labels: { env: 'prod' } } })
    const names = notified.fixture.fleet.projects().map(({ name }) => `acme/${name}`)
    const [one = '', other = ''] = names
    const on: Channel[] = [
      { ...lines, name: 'one', projects: [one] },
      { ...lines, name: 'other', projects: [other] },
      { ...lines, name: 'critical', min_severity: 'critical' },
      { ...lines, name: 'prod', labels: { env: 'prod' } },
      { ...lines, name: 'dev', labels: { env: 'dev' } },
    ]
    await notified.run()
    const [first] = places(notified.fixture)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(notified.fixture.fleet, first, 'inactive')
    const titles = (messages: readonly Message[]) =>
      messages.map(({ events }) => [...new Set(events.map(({ project }) => project))])
    expect(titles((await notified.run({}, on)).messages)).toEqual([[one], [one]])
    notified.fixture.service.failNext({ how: 'bad-json', path: new RegExp(`${first.project}/subscriptions`), times: 9 })
    expect((await notified.run({}, on)).messages).toHaveLength(3)
  })

  it('for a directory exist for each run, with events or without', async () => {
    const files: Channel = { name: 'files', type: 'directory', path: '/x', formats: ['json'], keep: 3 }
    await using notified = await openNotified([files, { ...files, name: 'severe', min_severity: 'high' }])
    expect((await notified.run()).messages).toHaveLength(1)
    const [first] = places(notified.fixture)
    if (first === undefined) throw new Error('no endpoint')
    deleteEndpoint(notified.fixture.fleet, first)
    expect((await notified.run()).messages.length).toBeGreaterThan(0)
  })
})
