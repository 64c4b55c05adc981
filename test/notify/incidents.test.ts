import { describe, expect, it } from 'vitest'
import type { Channel } from '../../src/config/configuration.ts'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { Message } from '../../src/notify/message.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { everything, listRules } from '../audit/discovery-fixture.ts'
import { lines, onlyInactive, openNotified } from './notified-fleet.ts'

const duty: Channel = {
  name: 'duty',
  type: 'pagerduty',
  url: 'https://events.pagerduty.com',
  routing_key: 'notarealkey'.padEnd(32, '0'),
}

const issues: Channel = {
  name: 'issues',
  type: 'github_issue',
  repository: 'acme/payments',
  token: 'not-a-real-token',
  api_url: 'https://api.github.com',
}

/** What PagerDuty has open after some messages. */
class Desk {
  readonly open = new Map<string, Message>()
  take(messages: readonly Message[]): string[] {
    return messages.flatMap((message) => {
      const { incident, counts } = message
      if (incident === undefined) return []
      if (incident.action === 'trigger') this.open.set(incident.key, message)
      if (incident.action === 'resolve') this.open.delete(incident.key)
      return [`${incident.action} ${Object.values(counts).reduce((sum, number) => sum + number, 0)}`]
    })
  }
}

async function openDesk(channel: Channel = duty, endpointsPerProject = 40) {
  const notified = await openNotified([channel], { fleet: { endpointsPerProject } })
  const desk = new Desk()
  const { place, turn } = notified
  const { fleet, service } = notified.fixture
  return {
    desk,
    notified,
    service,
    fleet,
    place,
    turn,
    run: async (turn: Parameters<typeof notified.run>[0] = {}, on?: readonly Channel[]) =>
      desk.take((await notified.run({ policy: onlyInactive, ...turn }, on)).messages),
    [Symbol.asyncDispose]: () => notified[Symbol.asyncDispose](),
  }
}

describe('incidents', () => {
  it.each([duty, issues])(
    'of $type are of a violation alone, and end when it is fixed or its resource is gone',
    async (on) => {
      await using fixture = await openDesk(on)
      await fixture.run()
      for (const at of [0, 1, 2]) {
        fixture.turn(at, at + 1, 'inactive')
        expect(await fixture.run()).toEqual(['trigger 1'])
      }
      const keys = [...fixture.desk.open].map(([key, { events }]) => [key, `hookdrift-${events[0]?.fingerprint}`])
      for (const [key, expected] of keys) expect(key).toBe(expected)
      expect(await fixture.run()).toEqual([])
      fixture.turn(0, 1, 'active')
      deleteEndpoint(fixture.fleet, fixture.place(1))
      expect(await fixture.run()).toEqual(['resolve 1', 'resolve 1'])
      expect([...fixture.desk.open.values()].map(({ events }) => events[0]?.uid)).toEqual([fixture.place(2).uid])
      fixture.turn(0, 1, 'inactive')
      expect(await fixture.run()).toEqual(['trigger 1'])
      fixture.turn(0, 1, 'active')
      fixture.turn(2, 3, 'active')
      expect(await fixture.run()).toEqual(['resolve 1', 'resolve 1'])
      expect([...fixture.desk.open]).toEqual([])
    },
  )

  it('of a storm are one, which closes when all of it is over', async () => {
    await using fixture = await openDesk()
    const policy = policyOf('extends: []\nrules: { endpoint/url-not-https: {} }\n')
    const run = () => fixture.run({ policy })
    const open = (from: number, to: number, scheme = 'http') => {
      // Each is another change: none has a cause.
      for (let at = from; at < to; at++) fixture.notified.edit(at, { url: `${scheme}://host-${at}.example/in` })
    }
    await run()
    open(0, 2)
    expect(await run()).toEqual(['trigger 1', 'trigger 1'])
    open(2, 32)
    expect(await run()).toEqual(['trigger 30'])
    expect([...fixture.desk.open.values()].map(({ events, storm }) => [events.length, storm])).toEqual([
      [1, null],
      [1, null],
      [30, 'mass'],
    ])
    open(1, 31, 'https')
    expect(await run()).toEqual(['resolve 1'])
    expect(fixture.desk.open.size).toBe(2)
    // What comes back later has an incident of its own, and does not keep the digest open.
    open(5, 6)
    expect(await run()).toEqual(['trigger 1'])
    open(31, 32, 'https')
    expect(await run()).toEqual(['resolve 1'])
    open(0, 32, 'https')
    expect(await run()).toEqual(['resolve 1', 'resolve 1'])
    expect(fixture.desk.open.size).toBe(0)
  })

  it('of a first run are one', async () => {
    await using fixture = await openDesk()
    fixture.turn(0, 20, 'inactive')
    expect(await fixture.run()).toEqual(['trigger 20'])
    expect([...fixture.desk.open.values()].map(({ storm }) => storm)).toEqual(['first_run'])
    fixture.turn(0, 20, 'active')
    expect(await fixture.run()).toEqual(['resolve 20'])
  })

  it('close when the policy no longer asks, and when a waiver accepts', async () => {
    await using fixture = await openDesk()
    await fixture.run()
    fixture.turn(0, 1, 'inactive')
    expect(await fixture.run()).toEqual(['trigger 1'])
    const rules = 'extends: []\nrules: { endpoint/inactive: {} }\n'
    const waived = policyOf(
      `${rules}waivers:\n  - { rule: endpoint/inactive, match: { kind: endpoint }, owner: team, reason: meant, expires: 2027-01-31 }\n`,
    )
    expect(await fixture.run({ policy: waived })).toEqual(['resolve 0'])
    expect(await fixture.run()).toEqual(['trigger 1'])
    expect(await fixture.run({ policy: policyOf('extends: []\nrules: { endpoint/secret-missing: {} }\n') })).toEqual([
      'resolve 1',
    ])
  })

  it('close although the channel would no longer choose the violation', async () => {
    await using fixture = await openDesk({ ...duty, min_severity: 'high', owners: ['tenant-*'] })
    await fixture.run()
    fixture.turn(0, 2, 'inactive')
    expect(await fixture.run()).toEqual(['trigger 2'])
    changeEndpoint(fixture.fleet, fixture.place(0), (row) => ({ ...row, owner_id: 'another' }))
    await fixture.run({ policy: policyOf('extends: []\nrules: { endpoint/inactive: { severity: low } }\n') })
    fixture.turn(0, 2, 'active')
    expect(await fixture.run()).toEqual(['resolve 2'])
  })

  it('close when the channel is back after runs without it', async () => {
    await using fixture = await openDesk()
    await fixture.run()
    fixture.turn(0, 1, 'inactive')
    await fixture.run()
    fixture.turn(0, 1, 'active')
    expect(await fixture.run({}, [lines])).toEqual([])
    expect(await fixture.run()).toEqual(['resolve 0'])
  })

  it('of lost listings are one, which closes when all of them are read again', async () => {
    await using fixture = await openDesk()
    await fixture.run()
    fixture.turn(0, 1, 'inactive')
    fixture.notified.breakOff(/subscriptions|endpoints/, 20)
    expect(await fixture.run()).toEqual(['trigger 2'])
    const [lost] = [...fixture.desk.open.values()]
    expect(lost?.failures?.map(({ listings }) => listings)).toEqual([2])
    const key = lost?.incident?.key ?? ''
    for (let runs = 0; runs < 5 && fixture.desk.open.has(key); runs++) await fixture.run()
    expect([...fixture.desk.open.values()].map(({ events }) => events[0]?.rule)).toEqual(['endpoint/inactive'])
  })

  it('of a listing that is no longer offered stay open until it is read again, or not asked for', async () => {
    await using fixture = await openDesk()
    const { offers } = fixture.service.behaviour
    await fixture.run()
    offers.sources = false
    expect(await fixture.run()).toEqual(['trigger 1'])
    expect(await fixture.run()).toEqual([])
    offers.sources = true
    expect(await fixture.run()).toEqual(['resolve 1'])
    offers.sources = false
    expect(await fixture.run()).toEqual(['trigger 1'])
    // No event says that it was read.
    expect(await fixture.run({ listings: { sources: 'off' } })).toEqual(['resolve 0'])
  })

  it('of the listings of a project close when a person accepted that it is gone, and no run has to scan it', async () => {
    const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0 })
    await using notified = await openNotified([duty], { fleet })
    const desk = new Desk()
    const { fixture } = notified
    const turn = { list: everything(fixture), policy: listRules }
    const run = async (more = {}) => {
      const { report, messages } = await notified.run({ ...turn, ...more })
      return { report, said: desk.take(messages) }
    }
    await run()
    const [uid, before] = [fixture.uidOf('orders'), fixture.fleet.project(fixture.uidOf('orders'))]
    fixture.fleet.remove(uid)
    const gone = await run()
    expect(gone.said).toEqual(['trigger 4', 'trigger 1'])
    await fixture.accept(gone.report, 'project/vanished')
    expect((await run()).said).toEqual(['resolve 1'])
    expect((await run({ only: ['acme/payments'] })).said).toEqual(['resolve 0'])
    expect(desk.open.size).toBe(0)
    if (before !== undefined) fixture.fleet.add(before)
    fixture.service.failNext({ how: 'bad-json', path: /endpoints/, times: Number.POSITIVE_INFINITY })
    expect((await run()).report.notices).toMatchObject([{ code: 'project_found', project: 'acme/orders' }])
    expect([...desk.open.values()].map(({ counts }) => counts)).toContainEqual({ 'coverage.lost': 2 })
    expect((await run()).said).toEqual([])
  })

  it('of the listings of a project that is named stay open, although a person accepted that it is gone', async () => {
    const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0 })
    await using notified = await openNotified([duty], { fleet })
    const { fixture } = notified
    const run = async (more = {}) => notified.run({ policy: listRules, ...more })
    await run()
    fixture.fleet.remove(fixture.uidOf('orders'))
    await fixture.accept((await run()).report, 'project/vanished')
    expect((await run()).messages.map(({ incident }) => incident?.action)).toEqual(['resolve'])
    expect((await run({ only: ['acme/payments'] })).messages).toEqual([])
    expect((await run()).messages).toEqual([])
  })

  it('stay open while a listing cannot be read', async () => {
    await using fixture = await openDesk()
    await fixture.run()
    fixture.turn(0, 1, 'inactive')
    await fixture.run()
    fixture.turn(0, 1, 'active')
    fixture.notified.breakOff(/endpoints/)
    expect((await fixture.run()).filter((line) => line.startsWith('resolve'))).toEqual([])
    for (let runs = 0; runs < 5 && fixture.desk.open.size > 0; runs++) await fixture.run()
    expect(fixture.desk.open.size).toBe(0)
  })
})

describe('tickets', () => {
  const rules = (severity: string) => `extends: []\nrules: { endpoint/inactive: { severity: ${severity} } }\n`
  const waived = policyOf(
    `${rules('medium')}waivers:\n  - { rule: endpoint/inactive, match: { kind: endpoint }, owner: team, reason: meant, expires: 2027-01-31 }\n`,
  )

  it('open for what becomes as severe as the channel asks, once, and close when it is fixed', async () => {
    const severe: Channel = { ...duty, min_severity: 'high' }
    await using fixture = await openDesk(severe)
    const run = (severity: string) => fixture.run({ policy: policyOf(rules(severity)) })
    await run('medium')
    fixture.turn(0, 1, 'inactive')
    expect(await run('medium')).toEqual([])
    expect(await run('high')).toEqual(['trigger 1'])
    const [{ title, events }] = [...fixture.desk.open.values()] as [Message]
    expect(title).toMatch(
      /^HIGH acme\/\w+: Raised: Endpoint is inactive.*, endpoint "[\w-]+", owner "tenant-\d+" \(run 3\)$/,
    )
    expect(events).toMatchObject([
      {
        type: 'violation.raised',
        severity: 'high',
        text: expect.stringMatching(/ \(severity was medium\)$/),
        command: 'hookdrift rules endpoint/inactive',
      },
    ])
    // It has an incident: another one would call the same person again.
    expect(await run('critical')).toEqual([])
    expect(await run('medium')).toEqual([])
    fixture.turn(0, 1, 'active')
    expect(await run('medium')).toEqual(['resolve 1'])
  })

  it('say what changes: severity, a waiver and its end; and stay open', async () => {
    await using fixture = await openDesk(issues)
    await fixture.run({ policy: policyOf(rules('medium')) })
    fixture.turn(0, 1, 'inactive')
    expect(await fixture.run({ policy: policyOf(rules('medium')) })).toEqual(['trigger 1'])
    const key = [...fixture.desk.open.keys()].join()
    const sent: Message[] = []
    const keep = async (policy: ReturnType<typeof policyOf>) => {
      const { messages } = await fixture.notified.run({ policy })
      sent.push(...messages)
      return messages.map(({ incident }) => [incident?.action, incident?.key])
    }
    expect(await keep(policyOf(rules('high')))).toEqual([['update', key]])
    expect(await keep(policyOf(rules('medium')))).toEqual([['update', key]])
    expect(await keep(waived)).toEqual([['update', key]])
    expect(await keep(waived)).toEqual([])
    expect(await keep(policyOf(rules('medium')))).toEqual([['trigger', key]])
    fixture.turn(0, 1, 'active')
    expect(await keep(policyOf(rules('medium')))).toEqual([['resolve', key]])
    expect(sent.map(({ events }) => events.map(({ type, text }) => `${type}: ${text}`).join())).toEqual([
      'violation.changed: severity high (was medium)',
      'violation.changed: severity medium (was high)',
      'violation.waived: waived by team until the end of 2027-01-31: meant',
      expect.stringMatching(/^violation.reopened: /),
      expect.stringMatching(/^violation.resolved: /),
    ])
  })

  it.each([duty, issues])(
    'of $type are one for a cause, until all of it is mended; what is alone has its own',
    async (on) => {
      await using fixture = await openDesk(on)
      await fixture.run()
      changeEndpoint(fixture.fleet, fixture.place(3), (row) => ({ ...row, status: 'paused' }))
      await fixture.run()
      fixture.turn(0, 4, 'inactive')
      const { messages } = await fixture.notified.run({ policy: onlyInactive })
      expect(fixture.desk.take(messages).sort()).toEqual(['trigger 1', 'trigger 3'])
      const [ofCause] = messages.flatMap(({ causes = [] }) => causes)
      expect(ofCause).toMatchObject({ text: expect.stringContaining('in 3 endpoints'), resources: 3 })
      expect(ofCause?.named.map(({ name, owner, texts }) => [typeof name, typeof owner, texts])).toEqual(
        Array(3).fill(['string', 'string', ['disabled after failures: its events are discarded, not queued']]),
      )
      fixture.turn(0, 1, 'active')
      // A person is called once; a ticket says how many are left.
      const [mended] = (await fixture.notified.run({ policy: onlyInactive })).messages
      expect(mended?.incident).toEqual(
        on === duty ? undefined : expect.objectContaining({ action: 'update', left: [2, 3] }),
      )
      fixture.turn(1, 3, 'active')
      expect(await fixture.run()).toEqual(['resolve 2'])
      expect(fixture.desk.open.size).toBe(1)
    },
  )

  it('of a storm say once what changes about many, and many waivers that end open no other', async () => {
    await using fixture = await openDesk(issues)
    await fixture.run({ policy: policyOf(rules('medium')) })
    fixture.turn(0, 30, 'inactive')
    expect(await fixture.run({ policy: policyOf(rules('medium')) })).toEqual(['trigger 30'])
    expect(await fixture.run({ policy: waived })).toEqual(['update 30'])
    expect(await fixture.run({ policy: policyOf(rules('medium')) })).toEqual(['trigger 30'])
    expect(fixture.desk.open.size).toBe(1)
    fixture.turn(0, 30, 'active')
    expect(await fixture.run({ policy: policyOf(rules('medium')) })).toEqual(['resolve 30'])
  })

  it('alone say what changes: of other channels, one without incidents hears of a higher severity', async () => {
    await using fixture = await openDesk(duty)
    const run = async (severity: string) => {
      const { messages } = await fixture.notified.run({ policy: policyOf(rules(severity)) }, [duty, lines])
      return messages.map(({ counts }) => counts)
    }
    await run('medium')
    fixture.turn(0, 1, 'inactive')
    expect(await run('medium')).toEqual([{ 'violation.opened': 1 }, { 'violation.opened': 1 }])
    expect(await run('high')).toEqual([{ 'violation.raised': 1 }])
    expect(await run('medium')).toEqual([])
  })
})
