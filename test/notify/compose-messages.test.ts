import { assert, describe, expect, it } from 'vitest'
import type { Channel } from '../../src/config/configuration.ts'
import { deleteEndpoint } from '../../src/demo/edits.ts'
import { findFirstWaiting } from '../../src/history/sql/outbox.ts'
import { Stop } from '../../src/model/stop.ts'
import { openLinks } from '../../src/notify/links.ts'
import type { Message } from '../../src/notify/message.ts'
import { plainLine, showMessage } from '../../src/notify/show-message.ts'
import { policyOf, testPolicy } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { configure, withService } from '../config/config-fixture.ts'
import { chat, lines, onlyInactive, openNotified } from './notified-fleet.ts'
import { aMessage } from './samples.ts'

const eventLines = ([message]: readonly Message[]) =>
  (message?.events ?? []).map(({ type, rule, listing, severity }) => `${type} ${rule ?? listing} ${severity}`)

describe('notifications of a run', () => {
  it('are empty when nothing changed, and mention each change once', async () => {
    await using notified = await openNotified()
    expect(await notified.messages()).toEqual([])
    notified.turn(0, 1, 'inactive')
    const opened = await notified.run()
    expect(eventLines(opened.messages)).toContain('violation.opened endpoint/inactive high')
    expect(await notified.messages()).toEqual([])
    notified.turn(0, 1, 'active')
    expect(eventLines(await notified.messages())).toContain('violation.resolved endpoint/inactive high')
    notified.turn(0, 1, 'inactive')
    expect(eventLines(await notified.messages())).toContain('violation.reopened endpoint/inactive high')
  })

  it('name the command that counts what was not delivered, until it is over, and only for what may stop deliveries', async () => {
    await using notified = await openNotified()
    notified.turn(0, 1, 'inactive')
    const [first] = await notified.messages()
    expect(first?.impact).toBeUndefined()
    notified.turn(0, 1, 'active')
    const [over] = await notified.messages()
    notified.turn(0, 1, 'inactive')
    const [again] = await notified.messages()
    for (const message of [over, again]) {
      expect(message?.impact).toMatch(/^hookdrift impact [0-9a-f]{8}$/)
      const said = showMessage(message ?? never()).map(plainLine)
      expect(said).toContain(`What it cost in deliveries: ${message?.impact}`)
    }
  })

  it('contain what the report contains, under ids that name the run and the subject', async () => {
    await using notified = await openNotified()
    await notified.run()
    notified.turn(0, 3, 'inactive')
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
    notified.turn(0, 1, 'inactive')
    notified.breakOff(/subscriptions/)
    const [lost] = await notified.messages()
    expect(lost?.events[0]).toMatchObject({ type: 'coverage.lost', listing: 'subscriptions', severity: 'critical' })
    expect(await notified.messages()).toEqual([])
    expect(eventLines(await notified.messages())).toContain('coverage.regained subscriptions critical')
  })

  it('say the cause of an outage once to people, and each listing to programs', async () => {
    const mail: Channel = {
      name: 'mail',
      type: 'slack',
      url: 'https://chat.example.com/y',
      max_characters: 40_000,
      min_severity: 'high',
    }
    await using notified = await openNotified([lines, chat, mail])
    notified.turn(0, 3, 'inactive')
    await notified.run({ policy: onlyInactive })
    notified.breakOff(/./, 1000)
    const [toProgram, ...toPeople] = await notified.messages({ policy: onlyInactive })
    const lost = toProgram?.counts['coverage.lost'] ?? 0
    expect(lost).toBeGreaterThan(2)
    expect(toProgram?.events.filter(({ type }) => type === 'coverage.lost')).toHaveLength(lost)
    expect(toPeople).toHaveLength(2)
    for (const { title, events, more, failures = [], counts, storm } of toPeople) {
      expect(title).toMatch(/^CRITICAL acme\/payments: \d listings incomplete, 1 rule unknown \(run 2\)$/)
      expect([more, storm, counts['coverage.lost']]).toEqual([0, null, lost])
      expect(failures.reduce((sum, { listings }) => sum + listings, 0)).toBe(lost)
      expect(failures[0]?.facts.map(({ label }) => label)).toEqual(['asked', 'cost', 'next'])
      expect(events.map(({ text }) => text)).toEqual(['what 1 rule found there (1 high), until the next complete scan'])
    }
    notified.fixture.service.faults.splice(0)
    const [, again] = await notified.messages({ policy: onlyInactive })
    expect(again?.events.map(({ type, project }) => [type, project])).toEqual([['coverage.regained', null]])
    expect(again?.events[0]?.text).toMatch(/^\d+ listings: acme\//)
  })

  it('report a rule that became unknown, and resolve nothing by it', async () => {
    await using notified = await openNotified()
    notified.turn(0, 1, 'inactive')
    await notified.run()
    notified.breakOff(/endpoints/)
    const events = eventLines(await notified.messages())
    expect(events).toContain('rule.unknown endpoint/inactive high')
    expect(events.filter((line) => line.includes('resolved'))).toEqual([])
    expect(await notified.messages()).toEqual([])
    expect(eventLines(await notified.messages())).toEqual(['coverage.regained endpoints critical'])
  })

  it('report what a stopped run had read with the next run, and not the stop itself', async () => {
    await using notified = await openNotified()
    await notified.run()
    notified.turn(0, 1, 'inactive')
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
    notified.turn(1, 2, 'inactive')
    const events = eventLines(await notified.messages())
    expect(events.filter((line) => line === 'violation.opened endpoint/inactive high')).toHaveLength(2)
    expect(events.filter((line) => line.startsWith('coverage'))).toEqual([])
  })

  it('of a storm are one digest: the worst events, counts, and the command that lists all', async () => {
    await using notified = await openNotified([lines, chat], { fleet: { endpointsPerProject: 120 } })
    notified.turn(0, 100, 'inactive')
    const first = await notified.run()
    expect(first.messages).toHaveLength(2)
    for (const message of first.messages) {
      expect(message).toMatchObject({ storm: 'first_run', command: 'hookdrift report --run 1' })
      expect(message.events).toHaveLength(10)
      expect(message.more).toBe((message.counts['violation.opened'] ?? 0) - 10)
      expect(message.rules).toContainEqual({ rule: 'endpoint/inactive', severity: 'high', events: 100 })
    }
    notified.turn(0, 60, 'active')
    expect((await notified.messages()).map(({ storm }) => storm)).toEqual(['mass', 'mass'])
    const lenient = policyOf('extends: []\nrules: { endpoint/secret-missing: {} }\n')
    // What the policy no longer asks for is one event.
    const { report, messages } = await notified.run({ policy: lenient })
    const ended = report.violations.filter(({ resolution }) => resolution === 'policy').length
    for (const { title, storm, events } of messages) {
      expect(title).toMatch(
        new RegExp(`^acme/payments: No longer required: ${ended} violations: endpoint/inactive .* \\(run 3\\)$`),
      )
      expect([storm, events.filter(({ type }) => type === 'violation.closed')]).toMatchObject([
        null,
        [{ resolution: 'policy', project: null, text: expect.stringContaining('switched off by policy.yaml:1') }],
      ])
    }
    const stricter = await notified.messages({ policy: testPolicy })
    expect(stricter.map(({ storm }) => storm)).toEqual(['policy_changed', 'policy_changed'])
  })

  it.each([
    ['high', 23, 0],
    ['medium', 20, 3],
  ] as const)(
    'name each new violation that is grave, of others as many as a person reads: of 23 of severity %s, %i and %i more',
    async (severity, named, more) => {
      await using notified = await openNotified([lines, chat], { fleet: { endpointsPerProject: 46 } })
      const rules = `{ endpoint/inactive: {}, subscription/target-not-active: { severity: ${severity} } }`
      const policy = policyOf(`extends: []\nrules: ${rules}\n`)
      await notified.run({ policy })
      notified.turn(0, 23, 'inactive')
      // No violation of these endpoints follows, but one of each subscription.
      notified.turn(23, 46, 'paused')
      const [ofProgram, ofPeople] = await notified.messages({ policy })
      const all = ofProgram?.events.length ?? 0
      expect([ofProgram?.more, ofProgram?.storm]).toEqual([0, null])
      // People read one cause in place of the violations that follow from it.
      expect(ofPeople?.causes).toMatchObject([
        { severity: 'high', text: expect.stringContaining('/status changed from') },
      ])
      const following = ofPeople?.causes?.[0]?.rules.reduce((sum, rule) => sum + rule.violations, 0) ?? 0
      expect([all - following, ofPeople?.events.length, ofPeople?.more]).toEqual([23, named, more])
      expect(ofPeople?.counts).toEqual(ofProgram?.counts)
    },
  )

  it('name causes first, and of those only what the reader of a channel is sent', async () => {
    await using notified = await openNotified()
    await notified.run()
    // The version of an endpoint begins with run 1; the window of its change with the run that saw it last.
    await notified.run()
    const edited = [0, 1, 2].map(notified.place)
    notified.turn(0, 3, 'inactive')
    const { uid } = notified.place(0)
    const { endpoints } = notified.fixture.dataOf('payments')
    const owners = [endpoints.find((row) => row.uid === uid)?.owner_id ?? '']
    const messages = await notified.messages({ policy: onlyInactive }, [chat, { ...chat, name: 'owned', owners }])
    const [whole, owned] = messages
    expect(whole?.causes).toMatchObject([
      { resources: 3, command: expect.stringMatching(/^hookdrift restore --cause 3-/) },
    ])
    expect(whole?.impact).toMatch(/^hookdrift impact 3-[0-9a-f]{8}$/)
    expect(whole?.events).toEqual([])
    const hit = endpoints.filter(
      (row) => edited.some((place) => place.uid === row.uid) && owners.includes(row.owner_id),
    )
    expect(owned?.causes).toMatchObject([{ id: whole?.causes?.[0]?.id, resources: hit.length }])
    const cause = /\/status changed from "active" to "inactive" in 3 endpoints of acme.payments, [^,]*/.source
    expect(whole?.title).toMatch(
      new RegExp(`^HIGH acme/payments: ${cause}, changed \\d\\d:\\d\\d–\\d\\d:\\d\\d UTC \\(run 3\\)$`),
    )
    expect(
      showMessage(whole ?? never())
        .map(plainLine)
        .slice(1, 7),
    ).toEqual([
      expect.stringMatching(/^Changed between run 2, 2026-11-21 \d\d:\d\d UTC, and run 3, \d\d:\d\d UTC\.$/),
      expect.stringMatching(new RegExp(`^Cause, high: ${cause}$`)),
      expect.stringContaining('3 × endpoint/inactive (high)'),
      ...[0, 1, 2].map(() => expect.stringMatching(/^"[\w-]+", owner "tenant-\d+": disabled after failures/)),
    ])
  })

  it('count failures and causes that they do not show', () => {
    const failure = { text: 'connection refused', listings: 1, facts: [] }
    const rest = { resources: 2, named: [], owners: [], rules: [], command: 'x' }
    const cause = { id: '1', severity: 'high', text: 'changed', ...rest } as const
    const many = (number: number) =>
      aMessage('msg_1', { failures: Array(3 + number).fill(failure), causes: Array(10 + number).fill(cause) })
    const shown = (number: number) => showMessage(many(number)).map(plainLine)
    expect(shown(1)).toEqual(expect.arrayContaining(['and 1 more failure', 'and 1 more cause']))
    expect(shown(2)).toEqual(expect.arrayContaining(['and 2 more failures', 'and 2 more causes']))
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
    const first = notified.place(0)
    notified.turn(0, 1, 'inactive')
    const titles = (messages: readonly Message[]) =>
      messages.map(({ events }) => [...new Set(events.map(({ project }) => project))])
    expect(titles(await notified.messages({}, on))).toEqual([[one], [one]])
    notified.breakOff(new RegExp(`${first.project}/subscriptions`), 9)
    expect(await notified.messages({}, on)).toHaveLength(3)
  })

  it('about the list of a service reach each channel that may be meant for a project of it', async () => {
    await using notified = await openNotified([])
    const { fleet, service } = notified.fixture
    const list = { organisation: fleet.organisationId, matches: [{ pattern: '*' }], named: [] }
    const on: Channel[] = [
      { ...lines, name: 'pay', projects: ['acme/pay*'] },
      { ...lines, name: 'prod', labels: { env: 'prod' } },
      { ...lines, name: 'elsewhere', projects: ['other/*'] },
    ]
    await notified.run({ list }, on)
    service.behaviour.offers.projects = false
    const { report, messages } = await notified.run({ list }, on)
    expect(report.verdict.exit_code).toBe(3)
    expect(messages.map((message) => [message.title, ...eventLines([message])])).toEqual(
      Array.from({ length: 2 }, () => [
        'CRITICAL acme/*: 1 listing incomplete (run 2)',
        'coverage.lost projects critical',
      ]),
    )
  })

  it('are chosen by the owner of the resource, by names and patterns', async () => {
    await using notified = await openNotified([])
    const [one, two, three] = [notified.place(0), notified.place(1), notified.place(2)]
    const owners = ['tenant-01', 'tenant-02', 'team-b', '']
    for (const [index, owner_id] of owners.entries()) {
      notified.edit(index, { owner_id })
    }
    const on: Channel[] = [
      { ...lines, name: 'tenants', owners: ['tenant-0*'] },
      { ...lines, name: 'second', owners: ['tenant-02', 'team-c'] },
      { ...lines, name: 'any', owners: ['*'] },
      { ...lines, name: 'none', owners: ['tenant-99'] },
      { ...lines, name: 'low', owners: ['tenant-0*'], min_severity: 'critical' },
    ]
    const uidsOf = (messages: readonly Message[]) =>
      Object.fromEntries(messages.map(({ id, events }) => [id, events.map(({ uid = '' }) => uid).sort()]))
    await notified.run({ policy: onlyInactive }, on)
    notified.turn(0, 4, 'inactive')
    const opened = await notified.run({ policy: onlyInactive }, on)
    expect(Object.values(uidsOf(opened.messages))).toEqual([
      [one.uid, two.uid].sort(),
      [two.uid],
      [one.uid, two.uid, three.uid].sort(),
    ])
    expect(opened.messages[1]?.events).toMatchObject([{ owner: 'tenant-02', type: 'violation.opened' }])
    // What ended goes to those who heard of it, even if the resource is gone.
    deleteEndpoint(notified.fixture.fleet, two)
    const ended = await notified.run({ policy: onlyInactive }, on)
    expect(Object.values(uidsOf(ended.messages))).toEqual([[two.uid], [two.uid], [two.uid]])
    expect(ended.messages[0]?.events).toMatchObject([{ owner: 'tenant-02', resolution: 'removed' }])
    // A listing that cannot be read is about every owner.
    notified.breakOff(/subscriptions/)
    expect(await notified.messages({ policy: onlyInactive }, on)).toHaveLength(5)
  })

  it('of a storm stay one digest for a channel of owners', async () => {
    await using notified = await openNotified([{ ...chat, owners: ['tenant-*'] }], {
      fleet: { endpointsPerProject: 120 },
    })
    notified.turn(0, 100, 'inactive')
    const messages = await notified.messages({ policy: onlyInactive })
    expect(messages).toMatchObject([{ storm: 'first_run', more: 90, counts: { 'violation.opened': 100 } }])
  })

  it('say what the rule finds, its first step, a command and links', async () => {
    const configuration = configure(
      withService(
        { projects: [{ id: '01P', name: 'payments' }], ui_url: 'https://c.example/{project_id}/{listing}/{uid}' },
        { report_url: 'https://r.example/{run}.html#v-{fingerprint}' },
      ),
    )
    const [service] = configuration.services
    assert(service, 'no service')
    await using notified = await openNotified([chat])
    const { name } = at(notified.fixture.fleet.projects(), 0)
    const [project] = service.projects
    assert(project, 'no project')
    const ref = { ...project.ref, name: `acme/${name}` }
    const links = openLinks({ ...configuration, services: [{ ...service, projects: [{ ...project, ref }] }] })
    await notified.run({}, [chat], links)
    const first = notified.place(0)
    notified.turn(0, 1, 'inactive')
    const [opened] = await notified.messages({ policy: onlyInactive }, [chat], links)
    const [event] = opened?.events ?? []
    expect(opened?.report_url).toBe('https://r.example/2.html')
    expect(event).toMatchObject({
      title: 'Endpoint is inactive: its events are discarded',
      command: 'hookdrift rules endpoint/inactive',
      ui_url: `https://c.example/01P/endpoints/${first.uid}`,
      report_url: `https://r.example/2.html#v-${event?.fingerprint}`,
    })
    expect(event?.remediation?.length).toBeGreaterThan(10)
    deleteEndpoint(notified.fixture.fleet, first)
    const [gone] = await notified.messages({ policy: onlyInactive }, [chat], links)
    expect(gone?.events[0]).not.toHaveProperty('ui_url')
    expect(gone?.events[0]).not.toHaveProperty('remediation')
  })

  it('have the command that puts a resource back, with its uid', async () => {
    await using notified = await openNotified([chat])
    const policy = policyOf('extends: []\nrules: { drift/url-host-changed: {}, drift/rate-limit-lost: {} }\n')
    await notified.run({ policy })
    const [first, second] = [notified.place(0), notified.place(1)]
    notified.edit(0, { url: 'https://elsewhere.example/in' })
    const [moved] = await notified.messages({ policy })
    expect(moved?.events).toMatchObject([
      {
        remediation: 'Pause the endpoint: send `PUT …/endpoints/{id}/pause` once, because it is a switch.',
        command: `hookdrift restore ${first.uid}`,
      },
    ])
    notified.edit(1, { rate_limit: 9, rate_limit_duration: 60 })
    await notified.run({ policy })
    notified.edit(1, { rate_limit: 0 })
    const [lost] = await notified.messages({ policy })
    expect(lost?.events[0]?.remediation).toContain(`Run \`hookdrift restore ${second.uid}\` and send`)
  })

  it('count what is of severity info for people, where anything worse happened, and list it for programs', async () => {
    await using notified = await openNotified([lines, chat])
    const policy = policyOf('extends: []\nrules: { endpoint/inactive: {}, endpoint/url-odd-port: {} }\n')
    await notified.run({ policy })
    const listenAt = (index: number, host: string) => notified.edit(index, { url: `https://${host}.example:9000/in` })
    notified.turn(0, 1, 'inactive')
    listenAt(1, 'two')
    listenAt(2, 'three')
    const both = await notified.messages({ policy })
    expect(both.map(({ events, more }) => [events.length, more])).toEqual([
      [3, 0],
      [1, 2],
    ])
    listenAt(3, 'four')
    const alone = await notified.messages({ policy })
    expect(alone.map(({ events, more }) => [events.length, more])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  it('count in the first message of a new channel what was open before', async () => {
    await using notified = await openNotified([lines])
    notified.turn(0, 1, 'inactive')
    const [first] = await notified.messages({ policy: onlyInactive })
    expect(first).not.toHaveProperty('already_open')
    notified.turn(1, 2, 'inactive')
    const on: Channel[] = [lines, chat, { ...chat, name: 'critical', min_severity: 'critical' }]
    const added = await notified.messages({ policy: onlyInactive }, on)
    expect(added.map(({ events, already_open }) => [events.length, already_open])).toEqual([
      [1, undefined],
      [1, { high: 1 }],
    ])
    notified.turn(0, 1, 'active')
    for (const later of await notified.messages({ policy: onlyInactive }, on)) {
      expect(later).not.toHaveProperty('already_open')
    }
  })

  it('count what was open before when messages were given up, until one arrives', async () => {
    await using notified = await openNotified([lines])
    const { fixture } = notified
    const open = async (index: number) => {
      notified.turn(index, index + 1, 'inactive')
      const messages = await notified.messages({ policy: onlyInactive })
      return messages.map(({ already_open }) => already_open)
    }
    const end = (state: string) =>
      fixture.harness.withHistory(async (history) => {
        for (let next = await findFirstWaiting(history, 'lines'); next !== undefined; ) {
          if (state === 'delivered') await history.delivered(next.id, '2026-11-22T00:00:00.000Z')
          else await history.failed(next.id, { at: '2026-11-22T00:00:00.000Z', error: '503', nextTryAt: undefined })
          next = await findFirstWaiting(history, 'lines')
        }
      })
    await notified.run({ policy: onlyInactive })
    expect(await open(0)).toEqual([undefined])
    await end('dead')
    expect(await open(1)).toEqual([{ high: 1 }])
    await end('delivered')
    expect(await open(2)).toEqual([undefined])
  })

  it('count in it what was open before and could not be checked', async () => {
    await using notified = await openNotified([lines])
    const one = notified.place(0)
    notified.turn(0, 1, 'inactive')
    await notified.run({ policy: onlyInactive })
    notified.breakOff(new RegExp(`${one.project}/endpoints`), 9)
    const [, added] = await notified.messages({ policy: onlyInactive }, [lines, chat])
    expect(added).toMatchObject({ already_open: { high: 1 } })
  })

  it('for a directory exist for each run, with events or without', async () => {
    const files: Channel = { name: 'files', type: 'directory', path: '/x', formats: ['json'], keep: 3 }
    await using notified = await openNotified([files, { ...files, name: 'severe', min_severity: 'high' }])
    expect(await notified.messages()).toHaveLength(1)
    const first = notified.place(0)
    deleteEndpoint(notified.fixture.fleet, first)
    expect((await notified.messages()).length).toBeGreaterThan(0)
  })
})

function never(): never {
  throw new Error('there is no message')
}
