import { describe, expect, it } from 'vitest'
import type { TicketChannel } from '../../src/config/notify-schema.ts'
import { sendToGitHub } from '../../src/notify/channels/github.ts'
import { sendToJira } from '../../src/notify/channels/jira.ts'
import { testMessage } from '../../src/notify/compose-messages.ts'
import type { Event, Message, SendMessage } from '../../src/notify/message.ts'
import type { TicketDependencies, TicketMemory } from '../../src/notify/send-tickets.ts'
import { actsInGitHub, actsInJira } from './acting-tickets.ts'
import { aMessage, anEvent, anExplainedEvent, hostile } from './samples.ts'
import { openGitHub, openJira } from './simulated-tracker.ts'
import { openReceiver } from './webhook-receiver.ts'

const token = 'not-a-real-token'
const start = Date.parse('2026-11-21T03:00:00.000Z')

/** What a history remembers. */
class Memory implements TicketMemory {
  readonly rows = new Map<string, { reference: string | null; changedAt: string }>()
  async find(key: string) {
    return this.rows.get(key)
  }
  async lastChange() {
    return [...this.rows.values()]
      .filter(({ reference }) => reference !== null)
      .map(({ changedAt }) => changedAt)
      .sort()
      .at(-1)
  }
  async remember(key: string, reference: string | null, changedAt: string) {
    this.rows.set(key, { reference, changedAt })
  }
}

type ByOwner = Pick<Extract<TicketChannel, { type: 'github_issue' }>, 'labels' | 'assignees'>

/** Each tracker, with a channel to it, and a clock. */
const trackers = {
  GitHub: async () => {
    const tracker = await openGitHub(token)
    const channel = { repository: 'acme/payments', token, api_url: tracker.url }
    return { tracker, sender: (own: ByOwner, rest: TicketDependencies) => sendToGitHub({ ...channel, ...own }, rest) }
  },
  'Jira Cloud': async () => openJiraDesk('me@example.com'),
  'Jira Data Center': async () => openJiraDesk(undefined),
} as const

async function openJiraDesk(user: string | undefined) {
  const tracker = await openJira({ token, ...(user === undefined ? {} : { user }) })
  const channel = {
    url: tracker.url,
    project: 'OPS',
    token,
    issue_type: 'Task',
    max_characters: 30_000,
    ...(user === undefined ? {} : { user }),
  }
  const sender = ({ labels, assignees }: ByOwner, rest: TicketDependencies) => {
    const one = Object.entries(Array.isArray(assignees) ? { '*': assignees } : (assignees ?? {})).map(
      ([pattern, [first = '']]) => [pattern, first] as const,
    )
    const assignee = assignees === undefined ? {} : { assignee: Object.fromEntries(one) }
    return sendToJira({ ...channel, ...assignee, ...(labels === undefined ? {} : { labels }) }, rest)
  }
  return { tracker, sender }
}

const openDesk = async (name: keyof typeof trackers, own: ByOwner = {}) =>
  name === 'GitHub' ? deskOf(await trackers.GitHub(), own) : deskOf(await trackers[name](), own)

type Tracker = Pick<Awaited<ReturnType<typeof openGitHub>>, 'tickets' | 'got' | 'faults' | 'asked'> & AsyncDisposable

function deskOf<Simulated extends Tracker>(
  { tracker, sender }: { tracker: Simulated; sender: (own: ByOwner, rest: TicketDependencies) => SendMessage },
  own: ByOwner = {},
) {
  let now = start
  const memory = new Memory()
  const send = (message: Message, remembered: TicketMemory = memory) =>
    sender(own, { env: {}, now: () => now, memory: remembered })(message, AbortSignal.timeout(5_000))
  return {
    tracker,
    tickets: tracker.tickets,
    memory,
    send,
    pass: (ms: number) => {
      now += ms
    },
    /** Each message has to be taken. */
    deliver: async (...messages: readonly Message[]) => {
      for (const message of messages) expect(await send(message)).toEqual({ ok: true })
    },
    shown: () =>
      tracker.tickets.map(({ isClosed, comments, isDeleted }) =>
        isDeleted ? 'deleted' : `${isClosed ? 'closed' : 'open'}, ${comments.length} comments`,
      ),
    [Symbol.asyncDispose]: () => tracker[Symbol.asyncDispose](),
  }
}

let number = 0

/** A message about violation 1, with an id of its own. */
function about(action: 'trigger' | 'update' | 'resolve', other: Partial<Event> = {}, key = 'hookdrift-1') {
  number += 1
  const { type = 'violation.opened' } = other
  const events = [anExplainedEvent(1, other)]
  return aMessage(`msg_${number}`, { counts: { [type]: 1 }, events, incident: { action, key } })
}

const opened = (other: Partial<Event> = {}, key?: string) => about('trigger', other, key)
const changed = () => about('update', { type: 'violation.changed', text: 'severity critical (was high)' })
const waived = () => about('update', { type: 'violation.waived', text: 'accepted by team until 2027-01-01: moves' })
const reopened = () => about('trigger', { type: 'violation.reopened' })
const resolved = (other: Partial<Event> = {}) =>
  about('resolve', { type: 'violation.resolved', resolution: 'fixed', ...other })

describe.each(Object.keys(trackers) as (keyof typeof trackers)[])('tickets of %s', (name) => {
  it('are opened, commented, closed and opened again: one for a key', async () => {
    await using desk = await openDesk(name)
    await desk.deliver(opened())
    expect(desk.shown()).toEqual(['open, 0 comments'])
    expect(desk.tickets[0]?.title).toBe('HIGH acme/payments: 1 high opened (run 7)')
    for (const text of [
      'delivers over plain http',
      'https address.',
      'https://convoy.example/projects/01P',
      'Full report',
    ]) {
      expect(desk.tickets[0]?.text).toContain(text)
    }
    await desk.deliver(changed(), waived())
    expect(desk.shown()).toEqual(['open, 2 comments'])
    expect(desk.tickets[0]?.comments[0]).toMatch(/Changed.*severity critical/s)
    await desk.deliver(resolved())
    expect(desk.shown()).toEqual(['closed, 3 comments'])
    await desk.deliver(reopened())
    expect(desk.shown()).toEqual(['open, 4 comments'])
    await desk.deliver(opened({}, 'hookdrift-2'))
    expect(desk.shown()).toEqual(['open, 4 comments', 'open, 0 comments'])
  })

  it('say who ended a violation that is not mended', async () => {
    await using desk = await openDesk(name)
    const ended_by = {
      kind: 'acceptance',
      by: 'eve',
      reason: 'meant so',
      at: '2026-11-24T15:13:00.000Z',
      configured_at: null,
      run: null,
    } as const
    await desk.deliver(opened(), resolved({ type: 'violation.closed', resolution: 'accepted', ended_by }))
    expect(desk.shown()).toEqual(['closed, 1 comments'])
    const said = (desk.tickets[0]?.comments[0] ?? '').replace(/[`\\\u2060]/g, '')
    expect(said).toContain('Accepted by eve on 2026-11-24 15:13 UTC: meant so')
    if (name === 'GitHub') expect(desk.tickets[0]?.reason).toBe('not_planned')
  })

  it('are not completed where nothing says that it is mended, and say which listing was read again', async () => {
    await using desk = await openDesk(name)
    const title = 'acme/payments: no longer open (run 8)'
    await desk.deliver(opened(), { ...resolved(), title, events: [], counts: {} })
    expect(desk.tickets[0]?.comments[0]).toContain('no longer open')
    if (name === 'GitHub') expect(desk.tickets[0]?.reason).toBe('not_planned')
    const { rule: _, ...regained } = anEvent(1, { type: 'coverage.regained', text: 'the endpoints can be read' })
    await desk.deliver(opened(), { ...resolved(), events: [regained], counts: { 'coverage.regained': 1 } })
    expect(desk.tickets[0]?.comments[2]).toMatch(/Complete again in .*the endpoints can be read/)
    if (name === 'GitHub') expect(desk.tickets[0]?.reason).toBe('completed')
  })

  it('have the labels and assignees of all, and of the owner', async () => {
    const own = {
      labels: { '*': ['webhooks'], 'tenant-0*': ['tenants'] },
      assignees: { '*': ['ops'], 'tenant-0*': ['alice'] },
    }
    await using desk = await openDesk(name, own)
    await desk.deliver(opened(), opened({ owner: 'another' }, 'hookdrift-2'))
    const mine = ({ labels, assignees }: { labels: string[]; assignees: string[] }) => [
      labels.filter((label) => !label.startsWith('hookdrift')),
      assignees.at(-1),
    ]
    expect(desk.tickets.map(mine)).toEqual([
      [['webhooks', 'tenants'], 'alice'],
      [['webhooks'], 'ops'],
    ])
  })

  it('are opened although an assignee is unknown, and say so', async () => {
    await using desk = await openDesk(name, { assignees: ['no-such-user'] })
    const message = opened()
    await desk.deliver(message, message)
    expect(desk.shown()).toEqual(['open, 0 comments'])
    expect(desk.tickets[0]?.text).toMatch(/refused to assign it to [^\w]{0,2}no/)
  })

  it.each(['lost before', 'lost after'] as const)(
    'are not doubled and not lost when a creation is %s',
    async (fault) => {
      await using desk = await openDesk(name)
      desk.tracker.faults(({ method }) => (method === 'POST' ? fault : undefined))
      const message = opened()
      expect(await desk.send(message)).toMatchObject({ ok: false })
      desk.tracker.faults(() => undefined)
      // It may still be on its way: the tracker is not asked for another.
      const asked = desk.tracker.got.length
      expect(await desk.send(message)).toMatchObject({ ok: false, waitMs: 120_000 })
      expect(desk.tracker.asked(asked)).toEqual([])
      desk.pass(120_000)
      await desk.deliver(message, changed(), resolved())
      expect(desk.shown()).toEqual(['closed, 2 comments'])
    },
  )

  it('are opened at the next attempt after a refusal, without waiting', async () => {
    await using desk = await openDesk(name)
    desk.tracker.faults(({ method }) => (method === 'POST' ? { status: 403, body: {} } : undefined))
    const message = opened()
    expect(await desk.send(message)).toMatchObject({ ok: false })
    desk.tracker.faults(() => undefined)
    await desk.deliver(message)
    expect(desk.shown()).toEqual(['open, 0 comments'])
  })

  it.each(['lost before', 'lost after'] as const)('get each comment once when one is %s', async (fault) => {
    await using desk = await openDesk(name)
    await desk.deliver(opened())
    desk.tracker.faults(({ method }) => (method === 'POST' ? fault : undefined))
    const message = resolved()
    expect(await desk.send(message)).toMatchObject({ ok: false })
    desk.tracker.faults(() => undefined)
    await desk.deliver(message, message)
    expect(desk.shown()).toEqual(['closed, 1 comments'])
  })

  it('that a person closed stay closed until the violation opens again', async () => {
    await using desk = await openDesk(name)
    const message = opened()
    await desk.deliver(message)
    for (const ticket of desk.tickets) ticket.isClosed = true
    await desk.deliver(message, changed())
    expect(desk.shown()).toEqual(['closed, 1 comments'])
    await desk.deliver(resolved())
    expect(desk.shown()).toEqual(['closed, 2 comments'])
    await desk.deliver(reopened())
    expect(desk.shown()).toEqual(['open, 3 comments'])
  })

  it('that are deleted are opened anew once, and not to be closed or for a waiver', async () => {
    await using desk = await openDesk(name)
    await desk.deliver(opened())
    for (const ticket of desk.tickets) ticket.isDeleted = true
    await desk.deliver(waived(), resolved())
    expect(desk.shown()).toEqual(['deleted'])
    await desk.deliver(reopened(), changed())
    expect(desk.shown()).toEqual(['deleted', 'open, 1 comments'])
  })

  it('are found by another history', async () => {
    await using desk = await openDesk(name)
    await desk.deliver(opened(), opened({}, 'hookdrift-2'))
    expect(await desk.send(reopened(), new Memory())).toEqual({ ok: true })
    expect(desk.shown()).toEqual(['open, 1 comments', 'open, 0 comments'])
  })

  it.each<[Record<string, string>, number, number]>([
    [{ 'retry-after': '30' }, 429, 30_000],
    [{ 'retry-after': '90' }, 403, 90_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${start / 1000 + 600}` }, 403, 600_000],
    [{}, 429, 60_000],
    [{ 'retry-after': '999999' }, 429, 7_200_000],
  ])('wait as %j with %i says', async (headers, status, waitMs) => {
    await using desk = await openDesk(name)
    desk.tracker.faults(() => ({ status, headers }))
    const seconds = waitMs / 1000
    const error = `answered ${status}: it takes no more requests for ${seconds} s`
    expect(await desk.send(opened())).toEqual({ ok: false, error, waitMs })
  })

  it.each([401, 403, 404, 500])('say what to do about %i, and never quote the answer', async (status) => {
    await using desk = await openDesk(name)
    desk.tracker.faults(() => ({ status, body: { message: token } }))
    const outcome = await desk.send(opened())
    expect(outcome).toMatchObject({
      ok: false,
      error: expect.stringMatching(status === 500 ? /^answered 500$/ : /^answered \d+: .{20}/),
    })
    expect(JSON.stringify(outcome)).not.toContain(token)
  })

  it('say that something else answered, such as a login page', async () => {
    await using desk = await openDesk(name)
    desk.tracker.faults(() => ({ status: 200, body: 'Log in' }))
    const error = 'answered 200, and not in the form of its API: check its address, and what is in front of it'
    expect(await desk.send(opened())).toEqual({ ok: false, error })
  })

  it('carry the token to no other address', async () => {
    await using desk = await openDesk(name)
    await using other = await openReceiver()
    desk.tracker.faults(() => ({ status: 302, headers: { location: `${other.url}/x` } }))
    expect(await desk.send(opened())).toMatchObject({ ok: false, error: 'answered 302: redirects are not followed' })
    expect(other.got).toEqual([])
  })

  it('of a test are closed, and the same each time', async () => {
    await using desk = await openDesk(name)
    await desk.deliver(testMessage('desk', '2026-11-21T03:00:00.000Z'))
    expect(desk.shown()).toEqual(['closed, 0 comments'])
    await desk.deliver(testMessage('desk', '2026-11-21T04:00:00.000Z'))
    expect(desk.shown()).toEqual(['closed, 1 comments'])
    expect([...desk.memory.rows]).toEqual([])
  })

  it('are as long as the tracker takes them, with any texts', async () => {
    await using desk = await openDesk(name)
    const text = '`@everyone` \u202e'.repeat(500)
    const events = Array.from({ length: 60 }, (_, at) =>
      anExplainedEvent(at, { text, name: text, title: text, owner: text, remediation: text, rule: `a/r${at}` }),
    )
    await desk.deliver(aMessage('msg_long', { events, incident: { action: 'trigger', key: 'hookdrift_1' } }))
    expect(desk.tickets[0]?.text.length).toBeLessThan(32_000)
    expect(desk.tickets[0]?.text).toMatch(/and \d+ more/)
  })

  it('of a storm are one, which names the worst', async () => {
    await using desk = await openDesk(name)
    const rules = [{ rule: 'endpoint/url-not-https', severity: 'high', events: 60 }] as const
    const events = Array.from({ length: 10 }, (_, at) => anEvent(at))
    await desk.deliver(
      aMessage('msg_storm', {
        events,
        more: 50,
        storm: 'mass',
        rules,
        incident: { action: 'trigger', key: 'hookdrift_1' },
      }),
    )
    expect(desk.tickets.map(({ title }) => title)).toEqual(['HIGH acme/payments: 1 high opened (run 7)'])
    expect(desk.tickets[0]?.text.replace(/[`\\\u2060]/g, '')).toMatch(
      /60 × endpoint\/url-not-https \(high\).*and 50 more/s,
    )
  })
})

/** What acts in GitHub or in Jira. */
const acting = [
  ...hostile,
  '@everyone @octocat fixes #1, closes acme/payments#2 GH-3 deadbeefdeadbeef',
  '1. a list',
  ' 1. ',
  '<img src=x onerror=alert(1)> <!-- hookdrift:hookdrift-9 msg_9 --> -->',
  '[~admin] [x|https://evil.example] {code}x{code} !https://evil.example/x.png! {{x}} h1. \\\\ \\*x\\* |a|b|',
  '{noformat}{color:red}x{color} bq. OPS-1 :) (y) ---- www.evil.example mailto:a@evil.example &#42;',
]

it.each(acting)('a name in GitHub %j stays a name', async (name) => {
  await using desk = deskOf(await trackers.GitHub())
  await desk.deliver(opened({ name, text: name, uid: name, owner: name, title: name, remediation: name, path: name }))
  expect(desk.tickets[0]?.text).toMatch(/^<!-- hookdrift:hookdrift-1 msg_\d+ -->\n/)
  expect(desk.tickets.flatMap(actsInGitHub)).toEqual([])
})

it.each(acting)('a name in Jira %j stays a name', async (name) => {
  await using desk = deskOf(await trackers['Jira Data Center']())
  await desk.deliver(opened({ name, text: name, uid: name, owner: name, title: name, remediation: name, path: name }))
  expect(desk.tickets).toHaveLength(1)
  expect(desk.tickets.flatMap(actsInJira)).toEqual([])
})

describe('issues of GitHub', () => {
  it('are found among hundreds, and later only among those that changed', async () => {
    await using desk = deskOf(await trackers.GitHub())
    const add = (at: number) =>
      desk.tracker.addTicket({ labels: ['hookdrift'], text: `<!-- hookdrift:hookdrift-x${at} msg_x${at} -->\n` })
    for (let at = 0; at < 250; at++) add(at)
    await desk.deliver(about('trigger', {}, 'hookdrift-x7'))
    expect(desk.tickets).toHaveLength(250)
    expect(desk.tickets[7]?.comments).toHaveLength(1)
    desk.tracker.got.splice(0)
    await desk.deliver(about('trigger', {}, 'hookdrift-new'))
    expect(desk.tickets).toHaveLength(251)
    expect(
      desk.tracker.got.filter(({ path, method }) => method === 'GET' && path.endsWith('/issues')).length,
    ).toBeLessThan(12)
  })

  it('are found although all changed in the same second', async () => {
    await using desk = deskOf(await trackers.GitHub())
    for (let at = 0; at < 150; at++) {
      desk.tracker.addTicket({
        labels: ['hookdrift'],
        text: `<!-- hookdrift:hookdrift-x${at} msg_x${at} -->\n`,
      }).updatedAt = start
    }
    await desk.deliver(about('trigger', {}, 'hookdrift-x149'))
    expect(desk.tickets).toHaveLength(150)
  })

  it('of a stranger are not taken for one: they lack the label', async () => {
    await using desk = deskOf(await trackers.GitHub())
    desk.tracker.addTicket({ text: '<!-- hookdrift:hookdrift-1 msg_0 -->\n' })
    await desk.deliver(opened())
    expect(desk.tickets).toHaveLength(2)
  })

  it('of an account that may set no label are not doubled', async () => {
    await using desk = deskOf(await trackers.GitHub())
    desk.tracker.settings.mayLabel = false
    const message = opened()
    expect(await desk.send(message)).toMatchObject({
      ok: false,
      error: expect.stringContaining('and set labels'),
    })
    await desk.deliver(message)
    expect(desk.tickets).toHaveLength(1)
  })

  it('that say no time of their change are a refusal, and nothing of them is remembered', async () => {
    await using desk = deskOf(await trackers.GitHub())
    const body = '<!-- hookdrift:hookdrift-1 msg_0 -->\n'
    const issue = { number: 1, state: 'open', body, updated_at: 'soon', labels: ['hookdrift'] }
    desk.tracker.faults(({ method }) => (method === 'GET' ? { status: 200, body: [issue] } : undefined))
    expect(await desk.send(opened())).toMatchObject({
      ok: false,
      error: expect.stringContaining('not in the form of its API'),
    })
    expect(desk.memory.rows).toEqual(new Map())
    desk.tracker.faults(() => undefined)
    await desk.deliver(opened())
    expect(desk.shown()).toEqual(['open, 0 comments'])
  })

  it('switched off are said so, and the channel is gone', async () => {
    await using desk = deskOf(await trackers.GitHub())
    desk.tracker.settings.hasIssues = false
    const error = 'answered 410: issues are switched off in acme/payments'
    expect(await desk.send(opened())).toEqual({ ok: false, error, isGone: true })
  })
})

describe('issues of Jira', () => {
  it.each([
    ['offers no such step', (settings: { offers: string[] }) => (settings.offers = ['In work'])],
    ['asks for a field in it', (settings: { needsField: boolean }) => (settings.needsField = true)],
  ])('stay open when the workflow %s, and say so once', async (_, restrict) => {
    await using desk = deskOf(await trackers['Jira Cloud']())
    await desk.deliver(opened())
    const { settings } = desk.tracker
    restrict(settings)
    const message = resolved()
    await desk.deliver(message, message)
    expect(desk.shown()).toEqual(['open, 2 comments'])
    expect(desk.tickets[0]?.comments[1]).toContain('hookdrift cannot close this ticket')
  })

  it('are not created twice while the search is late', async () => {
    await using desk = deskOf(await trackers['Jira Cloud']())
    const { settings } = desk.tracker
    settings.isIndexed = false
    desk.tracker.faults(({ method }) => (method === 'POST' ? 'lost after' : undefined))
    const message = opened()
    await desk.send(message)
    desk.tracker.faults(() => undefined)
    desk.pass(60_000)
    expect(await desk.send(message)).toMatchObject({ ok: false, waitMs: 60_000 })
    settings.isIndexed = true
    desk.pass(60_000)
    await desk.deliver(message)
    expect(desk.tickets).toHaveLength(1)
  })
})

describe.each(['GitHub', 'Jira Cloud', 'Jira Data Center'] as const)('a ticket in %s, behind a proxy', (name) => {
  it('goes past it where NO_PROXY has the network of the tracker, and nowhere by an entry that is not understood', async () => {
    const { tracker, sender } = await trackers[name]()
    await using _ = tracker
    await using proxy = await openReceiver()
    const send = (NO_PROXY: string) =>
      sender({}, { env: { HTTP_PROXY: proxy.url, NO_PROXY }, now: () => start, memory: new Memory() })(
        opened(),
        AbortSignal.timeout(5_000),
      )
    expect(await send('127.0.0.0/33')).toEqual({
      ok: false,
      error: expect.stringMatching(/^NO_PROXY has an entry that is not understood: "127\.0\.0\.0\/33"/),
    })
    expect([tracker.got, tracker.tickets]).toEqual([[], []])
    expect(await send('10.0.0.0/8,127.0.0.0/8')).toEqual({ ok: true })
    expect([tracker.tickets.length, proxy.got]).toEqual([1, []])
  })
})
