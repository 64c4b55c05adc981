import { existsSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { faultsOfTeams } from '../notify/published-forms.ts'
import { openGitHub, openJira } from '../notify/simulated-tracker.ts'
import { openReceiver } from '../notify/webhook-receiver.ts'
import { breakOne, openCliFixture } from './cli-fixture.ts'

const secret = `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`
const duty = 'notarealkey'.padEnd(32, '0')
const hook = `notify:
  - { name: hook, type: webhook, url: "\${HOOK_URL}", secret: "\${HOOK_SECRET}", min_severity: high }
`

/** A command-line fixture whose runs notify a receiver. */
async function openNotified(
  notify = hook,
  answer?: Parameters<typeof openReceiver>[0],
  more: Readonly<Record<string, string>> = {},
) {
  const receiver = await openReceiver(answer)
  const cli = await openCliFixture({}, notify)
  const env = { HOOK_URL: `${receiver.url}/not-a-real-key`, HOOK_SECRET: secret, DUTY_KEY: duty, ...more }
  return {
    ...cli,
    receiver,
    audit: () => cli.audit('--quiet', { env }),
    notify: (line = '') => cli.run(`notify ${line}`, { env }),
    doctor: () => cli.run('doctor', { env }),
    start: (line: string) => cli.start(line, { HOOKDRIFT_LOG: '', ...env }),
    /** The next scan of one project breaks off, also when it is retried. */
    loseSubscriptions: () => {
      const { uid } = at(cli.fleet.projects(), 0)
      cli.service.failNext({ how: 'bad-json', path: new RegExp(`${uid}/subscriptions`), times: 2 })
    },
    ids: () => receiver.got.map(({ headers }) => headers['webhook-id']),
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

describe('hookdrift audit with notifications', () => {
  it('delivers changes, signed', async () => {
    await using notified = await openNotified()
    expect((await notified.audit()).code).toBe(0)
    expect(notified.receiver.got).toEqual([])
    breakOne(notified)
    expect((await notified.audit()).code).toBe(1)
    const [got] = notified.receiver.got
    const message = new Webhook(secret).verify(got?.body ?? '', { ...got?.headers } as Record<string, string>)
    expect(message).toMatchObject({ type: 'hookdrift.notification', data: { run: { number: 2 } } })
    expect((await notified.notify('--pending')).stdout).toMatch(
      /^hook: 0 pending, 0 undeliverable, last delivered at 20/,
    )
  })

  it('keeps its exit code and its message when it cannot deliver, and the next run delivers both in order', async () => {
    await using notified = await openNotified(hook, () => ({ status: 500 }))
    await notified.audit()
    breakOne(notified)
    expect((await notified.audit()).code).toBe(1)
    const { rows, channels } = JSON.parse((await notified.notify('--pending --format json')).stdout)
    expect(rows).toMatchObject([{ channel: 'hook', run: 2, state: 'pending', attempts: 1, error: 'answered 500' }])
    expect(channels).toMatchObject([{ name: 'hook', state: 'open', pending: 1, dead: 0 }])
    notified.receiver.answers(() => ({ status: 200 }))
    notified.loseSubscriptions()
    expect((await notified.audit()).code).toBe(3)
    const runs = notified.receiver.got.map(({ body }) => JSON.parse(body).data.run.number)
    expect(runs).toEqual([2, 2, 3])
    expect(notified.ids()[0]).toBe(notified.ids()[1])
    expect((await notified.run('verify')).code).toBe(0)
  })

  it('that is killed between delivery and record delivers again under the same ids', async () => {
    await using notified = await openNotified()
    await notified.audit()
    breakOne(notified)
    let kill = () => {}
    notified.receiver.answers(() => {
      kill()
      return undefined
    })
    const running = notified.start('audit --quiet')
    kill = () => running.child.kill('SIGKILL')
    expect((await running.ended).signal).toBe('SIGKILL')
    expect(notified.ids()).toHaveLength(1)
    notified.receiver.answers(() => ({ status: 200 }))
    expect((await notified.notify()).code).toBe(0)
    expect(notified.ids()).toHaveLength(2)
    expect(new Set(notified.ids()).size).toBe(1)
    expect(notified.receiver.got[0]?.body).toBe(notified.receiver.got[1]?.body)
    expect(notified.query('SELECT state FROM notification')).toEqual([{ state: 'delivered' }])
  })

  it('does not wait longer than its time-out for a receiver that hangs', async () => {
    await using notified = await openNotified(hook, () => undefined)
    await notified.audit()
    breakOne(notified)
    const startedAt = performance.now()
    expect((await notified.audit()).code).toBe(1)
    const ms = performance.now() - startedAt
    expect(ms).toBeGreaterThan(4_900)
    expect(ms).toBeLessThan(20_000)
    const { stdout } = await notified.notify('--pending')
    expect(stdout).toContain('no answer in time')
  })

  it('stops posting to a receiver that answers 410, and shows it', async () => {
    await using notified = await openNotified(hook, () => ({ status: 410 }))
    await notified.audit()
    breakOne(notified)
    await notified.audit()
    notified.loseSubscriptions()
    await notified.audit()
    const delivery = await notified.notify()
    expect(delivery.stderr).not.toContain('will be tried again')
    expect(notified.receiver.got).toHaveLength(1)
    const { stdout, code } = await notified.notify('--pending')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^hook: GONE: its receiver answered 410 at 20.*2 pending/)
    expect(stdout).toMatch(
      /To enable hook again, correct its address, and run\s`hookdrift\snotify\s--config\s\S+\s--test\shook`/,
    )
    expect((await notified.doctor()).stdout).toMatch(
      /^ {2}! channel: hook: disabled, because its receiver answered 410/m,
    )
    notified.receiver.answers(() => ({ status: 204 }))
    expect((await notified.notify('--test hook')).code).toBe(0)
    await notified.notify()
    expect(notified.receiver.got.map(({ body }) => JSON.parse(body).data.run?.number)).toEqual([2, undefined, 2, 3])
  })

  it('writes lines for a log and reports for a directory', async () => {
    await using notified = await openNotified(
      'notify:\n  - { name: lines, type: log, min_severity: high }\n  - { name: files, type: directory, path: out }\n',
    )
    await notified.audit()
    breakOne(notified)
    const { stderr } = await notified.audit()
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ channel: 'lines', type: 'violation.opened', rule: 'endpoint/inactive', run: 2 }),
    )
    for (const run of ['run-000001', 'run-000002', 'latest']) {
      expect(existsSync(notified.directory.file(`out/${run}/report.json`))).toBe(true)
    }
  })

  it('opens and closes incidents, and posts cards with links', async () => {
    const links =
      'ui_url: "https://c.example/{listing}/{uid}"\nreport_url: "https://r.example/{run}.html#v-{fingerprint}"\n'
    const two = `${links}notify:
  - { name: duty, type: pagerduty, routing_key: "\${DUTY_KEY}", url: "\${HOOK_URL}/duty", min_severity: high }
  - { name: team, type: teams, url: "\${HOOK_URL}/team", min_severity: high }
`
    await using notified = await openNotified(two, () => ({ status: 202 }))
    const bodiesTo = (end: string) =>
      notified.receiver.got.flatMap(({ path, body }) => (path.endsWith(end) ? [JSON.parse(body)] : []))
    await notified.audit()
    expect(notified.receiver.got).toEqual([])
    breakOne(notified)
    await notified.audit()
    const triggers = bodiesTo('/duty/v2/enqueue')
    const opened = triggers.find(({ payload }) => payload.class === 'endpoint/inactive')
    expect(opened).toMatchObject({
      routing_key: duty,
      event_action: 'trigger',
      dedup_key: expect.stringMatching(/^hookdrift-[0-9a-f]{32}$/),
      payload: { severity: 'error', class: 'endpoint/inactive' },
      client_url: 'https://r.example/2.html',
    })
    expect(opened.links[0].href).toMatch(/^https:\/\/c\.example\/endpoints\/\w+$/)
    const [card] = bodiesTo('/team')
    expect(faultsOfTeams(JSON.stringify(card))).toEqual([])
    expect(JSON.stringify(card)).toContain(`[Open in the gateway](${opened.links[0].href})`)
    setEndpointStatus(notified.fleet, notified.endpoint(), 'active')
    await notified.audit()
    const resolves = triggers.map(({ dedup_key }) => ({ routing_key: duty, event_action: 'resolve', dedup_key }))
    const sent = bodiesTo('/duty/v2/enqueue').slice(triggers.length)
    expect(sent).toHaveLength(resolves.length)
    expect(sent).toEqual(expect.arrayContaining(resolves))
    expect((await notified.notify('--test')).code).toBe(0)
    const rows = notified.query('SELECT body FROM notification')
    expect(JSON.stringify(rows)).not.toMatch(/notarealkey|127\.0\.0\.1/)
    expect(notified.query('SELECT * FROM incident')).toEqual([])
    expect((await notified.run('verify')).code).toBe(0)
  })

  it.each([
    [
      'issues of GitHub',
      () => openGitHub(),
      `type: github_issue, repository: acme/payments, token: "\${TRACKER_TOKEN}", api_url: "\${TRACKER_URL}"`,
    ],
    [
      'issues of Jira',
      () => openJira({ user: 'me@example.com' }),
      `type: jira, url: "\${TRACKER_URL}", project: OPS, user: me@example.com, token: "\${TRACKER_TOKEN}"`,
    ],
  ])('opens and closes %s, and opens the same again', async (_, open, members) => {
    await using tracker = await open()
    const notify = `notify:\n  - { name: desk, ${members}, min_severity: high }\n`
    await using notified = await openNotified(notify, undefined, {
      TRACKER_URL: tracker.url,
      TRACKER_TOKEN: 'not-a-real-token',
    })
    const shown = () =>
      tracker.tickets.map(({ title, isClosed, comments }) => [title.split(':')[0], isClosed, comments.length])
    await notified.audit()
    breakOne(notified)
    await notified.audit()
    await notified.notify()
    const opened = shown()
    expect(opened).toContainEqual(['HIGH acme/payments', false, 0])
    setEndpointStatus(notified.fleet, notified.endpoint(), 'active')
    await notified.audit()
    await notified.notify()
    expect(shown()).toEqual(opened.map(([title]) => [title, true, 1]))
    breakOne(notified)
    await notified.audit()
    await notified.notify()
    expect(shown()).toEqual(opened.map(([title]) => [title, false, 2]))
    expect((await notified.notify('--test')).code).toBe(0)
    expect(tracker.tickets.at(-1)).toMatchObject({ title: 'hookdrift: test of the channel desk', isClosed: true })
    const dump = JSON.stringify(['notification', 'incident'].map((table) => notified.query(`SELECT * FROM ${table}`)))
    expect(dump).not.toMatch(/not-a-real-token|127\.0\.0\.1/)
    expect((await notified.run('verify')).code).toBe(0)
  })

  it('writes no secret of a channel anywhere', async () => {
    await using notified = await openNotified(hook, () => ({ status: 500, body: 'not-a-real-key' }))
    await notified.audit()
    breakOne(notified)
    const said = [
      await notified.audit(),
      await notified.notify('--test'),
      await notified.notify(),
      await notified.notify('--pending'),
    ]
    for (const { stdout, stderr } of said) expect(stdout + stderr).not.toMatch(/not-a-real-key|whsec_/)
    const dump = JSON.stringify([
      ...notified.query('SELECT * FROM notification'),
      ...notified.query('SELECT * FROM channel'),
    ])
    expect(dump).not.toMatch(/not-a-real-key|whsec_|127\.0\.0\.1/)
  })
})

describe('hookdrift notify', () => {
  it('tests channels and says which of them fail', async () => {
    const two = `${hook}  - { name: dead, type: slack, url: "http://127.0.0.1:9/x" }\n`
    await using notified = await openNotified(two)
    const both = await notified.notify('--test')
    expect([both.code, both.stdout]).toEqual([
      4,
      'channel  ok      error\nhook     ok      -\ndead     FAILED  connection refused\n',
    ])
    expect(JSON.parse(notified.receiver.got[0]?.body ?? '')).toMatchObject({ type: 'hookdrift.test' })
    expect((await notified.notify('--test hook')).code).toBe(0)
    const { schema, rows } = JSON.parse((await notified.notify('--test hook --format json')).stdout)
    expect([schema, rows.length, rows[0].ok]).toEqual(['hookdrift.notify-test/2', 1, true])
  })

  it.each<[string, string, string, number, RegExp]>([
    ['a channel that there is not', '--test hok', hook, 2, /there is no channel hok, did you mean hook\?/],
    ['no channel at all', '--test', '', 2, /names no channels under notify/],
    ['two wishes at once', '--test --pending', hook, 2, /not both/],
    ['no history', '--pending', hook, 4, /there is no history at/],
  ])('exits with a message: %s', async (_, line, notify, code, message) => {
    await using notified = await openNotified(notify)
    const said = await notified.notify(line)
    expect([said.code, said.stdout]).toEqual([code, ''])
    expect(said.stderr).toMatch(message)
  })

  it('shows that no message was sent yet', async () => {
    await using notified = await openNotified()
    await notified.audit()
    expect(await notified.notify('--pending')).toMatchObject({
      code: 0,
      stdout: 'No channel has had a message yet.\n\nNo message is pending.\n',
    })
  })
})

describe('hookdrift worker with notifications', () => {
  it('notifies once of a failure and once of the recovery, and shows waiting messages', async () => {
    const often =
      'worker: { listen: 127.0.0.1:0 }\nschedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]\n'
    await using notified = await openNotified(often + hook)
    await notified.audit()
    notified.directory.write('hookdrift.key', 'damaged')
    const worker = notified.start('worker')
    const types = () =>
      notified.receiver.got.flatMap(({ body }) =>
        JSON.parse(body).data.events.map(({ type }: { type: string }) => type),
      )
    await expect.poll(types, { timeout: 15_000 }).toEqual(['worker.failed'])
    notified.directory.write('hookdrift.key', `${'0a'.repeat(32)}\n`)
    await expect.poll(types, { timeout: 15_000 }).toEqual(['worker.failed', 'worker.recovered'])
    worker.child.kill('SIGTERM')
    const { code, stderr } = await worker.ended
    expect(code).toBe(143)
    expect(stderr).not.toMatch(/not-a-real-key|whsec_/)
  }, 40_000)
})
