import { describe, expect, it } from 'vitest'
import type { Channel } from '../../src/config/read-configuration.ts'
import { deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { NewMessage } from '../../src/history/outbox.ts'
import { Stop } from '../../src/model/stop.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type Message, readMessage } from '../../src/notify/message.ts'
import { at, openSite, type Site, type SiteOptions } from '../audit/a-site.ts'
import { policyOf, type Turn } from '../audit/stand.ts'

const lines: Channel = { name: 'lines', type: 'log' }
const chat: Channel = { name: 'chat', type: 'slack', url: 'https://chat.example.com/x' }

/** A site whose runs are told of on some channels. */
async function openTold(channels: readonly Channel[] = [lines], options: SiteOptions = {}) {
  const site = await openSite(options)
  const run = async (turn: Omit<Turn, 'url' | 'tell'> = {}, on = channels) => {
    let written: readonly NewMessage[] | 'later' = []
    const compose = composeRunNotifications(on)
    const tell: ComposeNotifications = (record, before) => {
      written = compose?.(record, before) ?? []
      return written
    }
    const report = await site.audit({ ...turn, tell })
    const all: readonly NewMessage[] = Array.isArray(written) ? written : []
    return { report, messages: all.map(({ body }) => readMessage(body)) }
  }
  return { site, run, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

const eventLines = ([message]: readonly Message[]) =>
  (message?.events ?? []).map(({ type, rule, listing, severity }) => `${type} ${rule ?? listing} ${severity}`)

function places(site: Site) {
  const { uid: project } = at(site.fleet.projects(), 0)
  return site.fleet.open(project).endpoints.map(({ uid }) => ({ project, uid }))
}

describe('people', () => {
  it('are told nothing where nothing changed, and of each change once', async () => {
    await using told = await openTold()
    const [first] = places(told.site)
    if (first === undefined) throw new Error('no endpoint')
    expect((await told.run()).messages).toEqual([])
    setEndpointStatus(told.site.fleet, first, 'inactive')
    const opened = await told.run()
    expect(eventLines(opened.messages)).toContain('violation.opened endpoint/inactive high')
    expect((await told.run()).messages).toEqual([])
    setEndpointStatus(told.site.fleet, first, 'active')
    expect(eventLines((await told.run()).messages)).toContain('violation.resolved endpoint/inactive high')
    setEndpointStatus(told.site.fleet, first, 'inactive')
    expect(eventLines((await told.run()).messages)).toContain('violation.reopened endpoint/inactive high')
  })

  it('are told what the report says, under ids that say the run and the thing', async () => {
    await using told = await openTold()
    await told.run()
    for (const place of places(told.site).slice(0, 3)) setEndpointStatus(told.site.fleet, place, 'inactive')
    const { report, messages } = await told.run()
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

  it('are told when something cannot be seen, first of all, and when it can again', async () => {
    await using told = await openTold()
    await told.run()
    const [first] = places(told.site)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(told.site.fleet, first, 'inactive')
    told.site.service.failNext({ how: 'bad-json', path: /subscriptions/, times: 10 })
    const [lost] = (await told.run()).messages
    expect(lost?.events[0]).toMatchObject({ type: 'coverage.lost', listing: 'subscriptions', severity: 'critical' })
    expect((await told.run()).messages).toEqual([])
    expect(eventLines((await told.run()).messages)).toContain('coverage.regained subscriptions critical')
  })

  it('are told of a rule that became unknown, and that nothing is resolved by it', async () => {
    await using told = await openTold()
    const [first] = places(told.site)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(told.site.fleet, first, 'inactive')
    await told.run()
    told.site.service.failNext({ how: 'bad-json', path: /endpoints/, times: 10 })
    const events = eventLines((await told.run()).messages)
    expect(events).toContain('rule.unknown endpoint/inactive high')
    expect(events.filter((line) => line.includes('resolved'))).toEqual([])
    expect((await told.run()).messages).toEqual([])
    expect(eventLines((await told.run()).messages)).toEqual(['coverage.regained endpoints critical'])
  })

  it('are told with the next run of what a run saw that a signal cut short, and not that it was cut short', async () => {
    await using told = await openTold()
    await told.run()
    const [first, second] = places(told.site)
    if (first === undefined || second === undefined) throw new Error('no endpoints')
    setEndpointStatus(told.site.fleet, first, 'inactive')
    const stop = new AbortController()
    const { requests } = told.site.service
    const from = requests.length
    told.site.service.behaviour.latencyMs = ({ path }: { path: string }) => {
      if (path.includes('/subscriptions') && requests.length > from) stop.abort(new Stop('signal', 'SIGTERM'))
      return 0
    }
    const cut = await told.run({ signal: stop.signal })
    told.site.service.behaviour.latencyMs = 0
    expect(cut.report.coverage.some(({ status }) => status === 'partial')).toBe(true)
    expect(cut.messages).toEqual([])
    setEndpointStatus(told.site.fleet, second, 'inactive')
    const events = eventLines((await told.run()).messages)
    expect(events.filter((line) => line === 'violation.opened endpoint/inactive high')).toHaveLength(2)
    expect(events.filter((line) => line.startsWith('coverage'))).toEqual([])
  })

  it('get one digest of a storm: the worst of it, how much there is of what, and the command that shows all', async () => {
    await using told = await openTold([lines, chat], { fleet: { endpointsPerProject: 120 } })
    for (const place of places(told.site).slice(0, 100)) setEndpointStatus(told.site.fleet, place, 'inactive')
    const first = await told.run()
    expect(first.messages).toHaveLength(2)
    for (const message of first.messages) {
      expect(message).toMatchObject({ storm: 'first_run', command: 'hookdrift report --run 1' })
      expect(message.events).toHaveLength(10)
      expect(message.more).toBe((message.counts['violation.opened'] ?? 0) - 10)
      expect(message.rules).toContainEqual({ rule: 'endpoint/inactive', severity: 'high', events: 100 })
    }
    for (const place of places(told.site).slice(0, 60)) setEndpointStatus(told.site.fleet, place, 'active')
    expect((await told.run()).messages.map(({ storm }) => storm)).toEqual(['mass', 'mass'])
    const lenient = policyOf('extends: []\nrules: { endpoint/secret-missing: {} }\n')
    expect((await told.run({ policy: lenient })).messages.map(({ storm }) => storm)).toEqual([
      'policy_changed',
      'policy_changed',
    ])
  })

  it('get as many events as their channel is good for, the others as a number', async () => {
    await using told = await openTold([lines, chat])
    await told.run()
    for (const place of places(told.site).slice(0, 30)) setEndpointStatus(told.site.fleet, place, 'inactive')
    const { messages } = await told.run()
    const counts = messages.map(({ events, more, storm }) => [events.length, events.length + more, storm])
    const [[all] = [0]] = counts
    expect(counts).toEqual([
      [all, all, null],
      [20, all, null],
    ])
    expect(all).toBeGreaterThan(20)
  })

  it('choose by project, severity and label; what could not be seen passes every severity', async () => {
    const fleet = { projects: 2 }
    await using told = await openTold([], { fleet, stand: { labels: { env: 'prod' } } })
    const names = told.site.fleet.projects().map(({ name }) => `acme/${name}`)
    const [one = '', other = ''] = names
    const on: Channel[] = [
      { ...lines, name: 'one', projects: [one] },
      { ...lines, name: 'other', projects: [other] },
      { ...lines, name: 'critical', min_severity: 'critical' },
      { ...lines, name: 'prod', labels: { env: 'prod' } },
      { ...lines, name: 'dev', labels: { env: 'dev' } },
    ]
    await told.run()
    const [first] = places(told.site)
    if (first === undefined) throw new Error('no endpoint')
    setEndpointStatus(told.site.fleet, first, 'inactive')
    const titles = (messages: readonly Message[]) =>
      messages.map(({ events }) => [...new Set(events.map(({ project }) => project))])
    expect(titles((await told.run({}, on)).messages)).toEqual([[one], [one]])
    told.site.service.failNext({ how: 'bad-json', path: new RegExp(`${first.project}/subscriptions`), times: 9 })
    expect((await told.run({}, on)).messages).toHaveLength(3)
  })

  it('with a directory get each run, with something to tell or not', async () => {
    const files: Channel = { name: 'files', type: 'directory', path: '/x', formats: ['json'], keep: 3 }
    await using told = await openTold([files, { ...files, name: 'severe', min_severity: 'high' }])
    expect((await told.run()).messages).toHaveLength(1)
    const [first] = places(told.site)
    if (first === undefined) throw new Error('no endpoint')
    deleteEndpoint(told.site.fleet, first)
    expect((await told.run()).messages.length).toBeGreaterThan(0)
  })
})
