import { Script } from 'node:vm'
import type Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { assetText } from '../../src/model/package-files.ts'
import { showMarkdown } from '../../src/pages/markdown.ts'
import { noPlan, type SitePlan } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { rules } from '../../src/rules/rules.ts'
import { changeDocuments, openChanged } from '../history/changed-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { openDemoSite } from './demo-site.ts'

const attack = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>`
const noon = Date.parse('2026-11-20T12:00:00Z')

const newFile = temporaryDatabasePaths()

describe('the pages of rules, exceptions and the worker', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  const text = async (path: string) => (await site.get(path)).text()

  /** The site over the same history, in which some rows are others. */
  async function show(path: string, change: (db: Database.Database) => void, plan?: SitePlan, now = Date.now()) {
    const changed = openChanged(site.file, newFile(), change)
    const other = createSite({
      api: site.api,
      history: async () => changed,
      now: () => now,
      version: '1.2.3',
      isHostOfPort: () => true,
      onFault: (error) => {
        throw error
      },
      ...(plan && { plan }),
    })
    const answer = await other.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
    expect(answer.status).toBe(200)
    return answer.text()
  }

  it('counts per rule what the command counts', async () => {
    const { rows } = await site.json('violations --open')
    const page = await text('/rules')
    for (const [rule, found] of Map.groupBy(rows, (row) => row.rule)) {
      const [row] = new RegExp(`>${rule}</a>[^\\n]{0,2000}`).exec(page) ?? []
      expect(row).toContain(`<td data-label="Open" class="n">${found.length}</td>`)
    }
  })

  it('says what the run did not evaluate, and filters', async () => {
    let pages = ''
    for (let next: string | undefined = '/rules'; next !== undefined; ) {
      const page: string = await text(next)
      pages += page
      next = /href="(\/rules\?after=\d{1,4})"/.exec(page)?.[1]
    }
    const opened = [...pages.matchAll(/data-label="Open" class="n(?: faint)?">([^<]*)</g)].map(([, n]) => n)
    expect(opened).toHaveLength(rules.length)
    const ranks = opened.map((open = '') => (open === 'not evaluated' ? 2 : open === '·' ? 1 : 0))
    expect(ranks).toEqual(ranks.toSorted())
    expect(new Set(ranks).size).toBe(3)
    const filtered = await text('/rules?severity=critical&kind=source&text=unver')
    expect(filtered).toContain('role="status">1 row.')
    expect((await site.get('/rules?severity=awful')).status).toBe(400)
  })

  it('shows ? for a rule whose resources were not all scanned', async () => {
    const failAll = (db: Database.Database) => {
      db.prepare("UPDATE walk SET status = 'failed', reason = ?").run(attack)
    }
    const page = await show('/rules', failAll)
    expect(page).toMatch(/>endpoint\/mtls-broken<\/a>[^\n]*<td data-label="Open" class="n unseen">\?<\/td>/)
    expect(page).toMatch(/>endpoint\/url-not-https<\/a>[^\n]*<td data-label="Open" class="n">3\+<\/td>/)
    const one = await show('/rules/endpoint/mtls-broken', failAll)
    expect(one).toContain('could not be evaluated everywhere in 3 projects')
    expect(one).toContain('Nothing was found where it could be evaluated.')
    expect(one).not.toContain('<img')
  })

  it('explains a rule, with what violates it, its options and its controls', async () => {
    const page = await text('/rules/endpoint/secret-weak')
    expect(page).toContain('<h2>How to fix</h2>')
    expect(page).toContain('<td>min_characters</td>')
    expect(page).toMatch(/href="\/violations\/[0-9a-f]{32}"/)
    expect(page).toContain('href="/violations?rule=endpoint%2Fsecret-weak&amp;state=active"')
    expect(page).toContain('href="/compliance/soc2#control-CC6.1"')
    expect((await site.get('/rules/endpoint/unheard-of')).status).toBe(404)
    expect((await site.get('/rules/..%2F..%2Fhow-to/install')).status).toBe(404)
  })

  it('shows of a rule of the policy what the run recorded', async () => {
    const own = { id: 'acme/odd', kind: 'endpoint', severity: 'high', controls: ['own:1'], needs: [] } as const
    const page = await show('/rules/acme/odd', (db) =>
      changeDocuments(db, 2, { rules: () => [{ ...own, title: attack, remediation: attack }] }),
    )
    expect(page).toContain('How to fix')
    expect(page).toContain('own:1')
    expect(page).not.toContain('<img')
  })

  it.each(builtInFrameworkIds)('reports by control, %s, with links to violations and rules', async (id) => {
    expect(await text('/compliance')).toContain(`href="/compliance/${id}"`)
    const page = await text(`/compliance/${id}?from=7d`)
    expect(page).toMatch(/href="\/violations\/[0-9a-f]{32}"/)
    expect(page).toContain('href="/rules/endpoint/')
    // Some frameworks list only what rules give evidence for.
    const hasGaps = builtInFramework(id).controls.some(({ evidence }) => evidence.length === 0)
    const left = hasGaps ? ['id="not_covered"'] : []
    expect(page.includes('id="not_covered"')).toBe(hasGaps)
    const order = ['id="controls"', 'id="period"', 'id="evidence"', ...left, 'id="origin"']
    expect(order.map((mark) => page.indexOf(mark))).toEqual(
      order.map((mark) => page.indexOf(mark)).sort((a, b) => a - b),
    )
    expect(page).toContain('Reviewed by, signature')
  })

  it('reads no framework from a path, and refuses a period without a start', async () => {
    for (const name of ['..%2F..%2Fetc%2Fpasswd', 'own.yaml', '%2Fetc%2Fpasswd', 'SOC2']) {
      expect((await site.get(`/compliance/${name}`)).status).toBe(404)
    }
    expect((await site.get('/compliance/soc2?to=2026-11-01')).status).toBe(400)
    expect((await site.get('/compliance/soc2?from=never')).status).toBe(400)
  })

  it('shows waivers by their end, and acceptances with who, why and when', async () => {
    const page = await show(
      '/waivers',
      (db) => {
        const ids = db.prepare<[], number>('SELECT id FROM violation WHERE to_run IS NULL ORDER BY id').pluck().all()
        for (const [at, day] of ['2027-03-01', '2026-11-25', '2026-11-19'].entries()) {
          const expires = `${day}T00:00:00.000Z`
          const waiver = JSON.stringify({ owner: 'payments', reason: attack, expires, ticket: 'OPS-7' })
          db.prepare("UPDATE violation SET state = 'waived', waiver = ? WHERE id = ?").run(waiver, ids[at])
        }
        db.prepare(
          `INSERT INTO acceptance (project_id, project, fingerprint, rule, kind, uid, path, reason, accepted_at, accepted_by)
           SELECT id, 'demo/payments', 'e', 'endpoint/orphan', 'endpoint', ?, '', 'known and small',
             '2026-11-01T10:00:00Z', 'kim' FROM project ORDER BY id LIMIT 1`,
        ).run(attack)
      },
      undefined,
      noon,
    )
    const marks = ['>ended<', '>ends soon<', '>in force<', 'known and small'].map((mark) => page.indexOf(mark))
    expect(marks).toEqual(marks.toSorted((a, b) => a - b))
    expect(marks).not.toContain(-1)
    expect(page).toMatch(/data-label="By"><div>payments<.*<time datetime="2026-11-25T00:00:00.000Z">/)
    expect(page).toMatch(
      /data-label="By"><div>kim<.*<time datetime="2026-11-01T10:00:00Z">2026-11-01 10:00 UTC<\/time>/,
    )
    expect(page).not.toContain('<img')
  })

  it('shows channels that lost messages before those that wait', async () => {
    const page = await show('/notifications', (db) => {
      const channel = db.prepare('INSERT INTO channel (name, written, gone_at, gone_target) VALUES (?, 2, ?, ?)')
      channel.run('chat', null, null)
      channel.run(attack, '2026-11-20T11:00:00Z', 'x')
      const message = db.prepare(`INSERT INTO notification (id, channel, number, run, created_at, body, state, attempts,
        next_try_at, error) VALUES (?, 'chat', ?, 2, '2026-11-20T11:00:00Z', '{}', ?, 3, '2026-11-20T12:05:00Z', ?)`)
      message.run('a', 1, 'pending', attack)
      message.run('b', 2, 'dead', attack)
    })
    expect(page).toContain('2 channels fail to deliver')
    expect(page.indexOf('1 undeliverable message')).toBeLessThan(page.indexOf('>pending<'))
    expect(page).not.toContain('<img')
    expect(await text('/notifications')).toContain('No message is pending.')
  })

  it('shows the type of each channel, what became of its last message, and channels that had none', async () => {
    const fill = (db: Database.Database) => {
      const channel = db.prepare('INSERT INTO channel (name, written) VALUES (?, 2)')
      for (const name of ['chat', 'mail', 'old', 'silent']) channel.run(name)
      const message = db.prepare(`INSERT INTO notification (id, channel, number, run, created_at, body, state, attempts,
        next_try_at, ended_at) VALUES (?, ?, ?, 2, ?, '{}', ?, 1, '2026-11-20T11:05:00Z', ?)`)
      message.run('a', 'chat', 1, '2026-11-20T11:00:00Z', 'dead', '2026-11-20T11:30:00Z')
      message.run('b', 'chat', 2, '2026-11-20T12:00:00Z', 'delivered', '2026-11-20T12:01:00Z')
      message.run('c', 'mail', 1, '2026-11-20T13:00:00Z', 'pending', null)
      message.run('d', 'old', 1, '2026-11-20T14:00:00Z', 'dead', '2026-11-20T14:30:00Z')
    }
    const channels = [
      { name: 'chat', type: 'slack' },
      { name: 'mail', type: 'email' },
      { name: 'silent', type: 'webhook' },
      { name: 'new', type: 'jira' },
    ] as const
    const configured = async () => ({ expected: { named: [], isDiscovered: () => false }, schedules: [], channels })
    const cellsOf = (page: string, name: string) =>
      ['Type', 'Last message'].map((label) =>
        new RegExp(`<th scope="row">${name}<[^\\n]*?<td data-label="${label}">(.*?)</td>`)
          .exec(page)?.[1]
          ?.replace(/<[^>]*>/g, ''),
      )
    const page = await show('/notifications', fill, { ...noPlan, configured })
    expect(page).toContain('Channels <span class="count">5</span>')
    expect(cellsOf(page, 'chat')).toEqual(['slack', expect.stringMatching(/^2026-11-20 12:00 UTC.*: delivered$/)])
    expect(cellsOf(page, 'mail')).toEqual(['email', expect.stringMatching(/^2026-11-20 13:00 UTC.*: waits$/)])
    expect(cellsOf(page, 'old')).toEqual([
      'no longer configured',
      expect.stringMatching(/^2026-11-20 14:00 UTC.*: undeliverable$/),
    ])
    expect(cellsOf(page, 'silent')).toEqual(['webhook', 'none is kept'])
    expect(cellsOf(page, 'new')).toEqual(['jira', 'none yet'])
    expect(cellsOf(await show('/notifications', fill), 'chat')[0]).toBe('unknown: no configuration is read')
  })

  it('refuses baselines of a project that no run scanned, and names one that has none', async () => {
    const refused = await site.get('/baselines?project=payment')
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('matches none of demo/orders'),
    ])
    expect(await text('/baselines?project=demo/payments')).toContain('No baseline of demo/payments is approved: ')
    expect(await text('/baselines?project=demo/payments&run=1')).toContain(
      'No baseline of demo/payments was approved by',
    )
  })

  it('says once what projects are compared with that were approved together', async () => {
    await site.command('baseline approve --run 1 --note agreed --by kim')
    await site.command('baseline approve --run 2 --project demo/payments --yes --note agreed --by kim')
    const remarks = [...(await text('/baselines')).matchAll(/<p class="soft">([^<]*: compared with [^<]*)<\/p>/g)]
    expect(remarks.map(([, remark]) => remark)).toEqual([
      expect.stringMatching(/^demo\/orders, demo\/partner-intake: compared with run 1, approved \S+ \S+ UTC by kim\.$/),
      expect.stringMatching(/^demo\/payments: compared with run 2, approved \S+ \S+ UTC by kim\.$/),
    ])
    await site.command('baseline revoke --by kim')
  })

  it('shows stale scans first, the next times of schedules, and no name of a project that it does not show', async () => {
    const plan: SitePlan = {
      ...noPlan,
      configured: async () => ({
        channels: [],
        expected: { named: ['demo/orders', 'demo/payments', 'demo/never'], isDiscovered: () => false },
        schedules: [
          {
            name: 'nightly',
            cron: '0 3 * * *',
            timezone: 'UTC',
            projects: ['demo/orders'],
            jitterMs: 0,
            runTimeoutMs: 0,
          },
        ],
      }),
      pool: async () => ({
        tasks: [],
        oldestWaitS: null,
        run: undefined,
        workers: [{ id: '1', host: 'a', pid: 7, slots: 2, run: null, walks: ['demo/orders', 'demo/payments'] }],
      }),
    }
    const page = await show('/worker', () => {}, plan)
    expect(page).toContain('The scan of 1 project is stale')
    const scans = [...page.matchAll(/<th scope="row">(?:<a[^>]*>)?(demo[^<]*)/g)].map(([, project]) => project)
    expect(scans).toEqual(['demo/never', 'demo/orders', 'demo/payments'])
    expect(page).toMatch(/data-schedule="nightly".*<time datetime="20\d\d-\d\d-\d\dT03:00:00Z">/)
    expect(page).toContain('reads demo/orders, demo/payments')
    expect(await text('/worker')).toContain('schedules are unknown')
    const orders = await show('/projects/demo/orders', () => {}, plan)
    expect(orders).toMatch(/Schedule nightly<\/dt><dd><code>0 3 \* \* \*<\/code> UTC, next <time datetime="20/)
    expect(await show('/projects/demo/payments', () => {}, plan)).toContain('<dt>Schedules</dt><dd>none</dd>')
    expect(await show('/projects/demo/orders?run=1', () => {}, plan)).not.toContain('Schedule nightly')
    expect(await text('/projects/demo/orders')).not.toContain('<dt>Schedules</dt>')
  })

  it('renders Markdown without HTML, images and links that run or lead to plain addresses', () => {
    const shown = String(
      showMarkdown('<b>x</b> ![i](https://e.example/i.png) [a](javascript:1) [b](//e.example) [c](/rules)'),
    )
    expect(shown).not.toMatch(/<b>|<img|href="(?!\/rules|https:)/)
    expect(shown).toContain('<a href="/rules" rel="noreferrer">c</a>')
  })

  it.each(['script.js', 'copy.js'])(
    'serves %s, below 4 kB, that parses and makes no markup from text',
    async (file) => {
      const browserScript = assetText(`pages/${file}`)
      expect(() => new Script(browserScript)).not.toThrow()
      expect(Buffer.byteLength(browserScript)).toBeLessThan(4000)
      expect(browserScript).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|fetch|XMLHttp|Storage|cookie/,
      )
      expect(await text(`/${file}`)).toBe(browserScript)
    },
  )
})
