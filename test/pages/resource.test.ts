import { afterAll, describe, expect, it } from 'vitest'
import { at } from '../audit/fleet-fixture.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openDemoSite } from './demo-site.ts'
import { openSite } from './open-site.ts'
import { openSiteOver } from './story-site.ts'

describe('the pages of runs, projects and resources', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  const textOf = async (path: string) => {
    const answer = await site.get(path)
    expect([path, answer.status]).toEqual([path, 200])
    return answer.text()
  }

  it('show what happened to a resource, and the request that puts it back', async () => {
    const page = await textOf('/resources/billing-011-v')
    expect(page).toContain('<h1>Endpoint billing-011-v2</h1>')
    expect(page).toContain('drift/authentication-lost')
    expect(page).toMatch(/<th scope="row"><code>\/authentication<\/code><\/th>/)
    expect(page).toContain('curl --silent --show-error --fail-with-body --request PUT \\\n')
    expect(page).toContain('>billing-to-tenant-16-11</a>')
  })

  it('show two versions side by side, field by field, by their runs', async () => {
    const page = await textOf('/resources/billing-011-v2')
    const [, link = ''] = /<a href="([^"]*#versions)">side by side<\/a>/.exec(page) ?? []
    expect(link).toContain('&amp;from=1&amp;to=2#versions')
    const sides = await textOf(link.replaceAll('&amp;', '&').replace(/#.*/, ''))
    const section = /<h2[^>]*>Two versions side by side.*?<h2/s.exec(sides)?.[0] ?? ''
    expect(section).toMatch(/Before, run 1: as <a href="\/runs\/1">run 1<\/a> found it/)
    expect(section).toMatch(/<code>\/name<\/code><\/th>.*billing-011&quot;<.*billing-011-v2&quot;</)
    expect(section).toContain('<option value="1" selected="">')
    expect(section).toMatch(/\d+ fields alike/)
    expect(await textOf('/resources/billing-011-v2?from=2&to=2')).toContain('Both runs have the same version.')
    expect(await textOf('/resources/billing-011-v2?from=0&to=2')).toContain('Before, run 0: it was not there.')
    for (const query of ['from=3', 'to=x']) {
      expect([query, (await site.get(`/resources/billing-011-v2?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('show a replaced secret by its fingerprints, and no secret', async () => {
    const { rows } = await site.json('diff 1 2')
    const replaced = rows.find(({ fields }) =>
      fields.some(({ path }: { path: string }) => path.startsWith('/secrets/')),
    )
    const page = await textOf(`/resources/${replaced.uid}?from=1&to=2`)
    expect(page).toMatch(/Signing secret replaced: fingerprint [0-9a-f]+ → [0-9a-f]+/)
  })

  it('show the present of a resource first, then an earlier run', async () => {
    const page = await textOf('/resources/billing-011?run=1')
    expect(page).toContain('<h1>Endpoint billing-011-v2</h1>')
    const [present = '', then = ''] = page.split('<section class="then"')
    expect(present).toContain('drift/authentication-lost')
    const [of = ''] = then.split('</section>')
    expect(of).toMatch(/As of run 1, .*<code>billing-011<\/code>/s)
    expect(of).not.toContain('drift/authentication-lost')
    expect(await textOf('/resources/billing-011-v2?run=2')).not.toContain('class="then"')
  })

  it('show a removed resource as removed', async () => {
    expect(await textOf('/resources/billing-006')).toContain('<b>− Removed.</b> Run 2')
  })

  it('answer 404 for what is not there', async () => {
    for (const path of ['/resources/zz', '/projects/demo/zz', '/runs/3', '/runs/x', '/runs/1e0']) {
      expect([path, (await site.get(path)).status]).toEqual([path, 404])
    }
  })

  it('show the numbers of the commands', async () => {
    const { rows } = await site.json('status')
    expect(rows).toHaveLength(3)
    for (const { project, violations } of rows) {
      const page = await textOf(`/projects/${project}`)
      const shown = Object.keys(violations).map((severity) => [
        severity,
        Number(new RegExp(`<b>(\\d{1,9})</b> <span class="label">${severity}`).exec(page)?.[1]),
      ])
      expect(Object.fromEntries(shown)).toEqual(violations)
    }
  })

  it('count the resources of a project, and lead to their list', async () => {
    const state = await site.json('state --project demo/payments')
    const kinds: string[] = state.rows.map(({ kind }) => kind)
    const page = await textOf('/projects/demo/payments')
    for (const kind of new Set(kinds)) {
      const number = kinds.filter((other) => other === kind).length
      const href = `/resources?project=demo%2Fpayments&amp;kind=${kind}`
      expect(page).toContain(`<dt>${kind.replace('_', ' ')}s</dt><dd><a href="${href}">${number}</a></dd>`)
    }
  })

  it('lead from an endpoint to its owner while it is there', async () => {
    const owned =
      /<dt>Owner<\/dt><dd><a href="(\/owners\/[^"]+)">/.exec(await textOf('/resources/billing-011-v2'))?.[1] ?? ''
    expect((await site.get(owned)).status).toBe(200)
    expect(await textOf('/resources/billing-006')).toMatch(/<dt>Owner<\/dt><dd>[^<]+<\/dd>/)
  })

  it('show how a project developed, and what its last runs found changed', async () => {
    const { rows } = await site.json('diff 1 2')
    const own = rows.filter(({ project }) => project === 'demo/payments')
    const page = await textOf('/projects/demo/payments')
    const section = /<h2[^>]*>Last changes.*?(?=<h2)/s.exec(page)?.[0] ?? ''
    expect(section.match(/data-change=/g) ?? []).toHaveLength(Math.min(10, own.length))
    expect(section).toMatch(/<a href="\/runs\/2">Run 2<\/a>/)
    const trend = await site.json('trend --project demo/payments')
    const week = trend.weeks.at(-1)
    expect(page).toMatch(
      new RegExp(
        `opened ${week.opened} \\(<a href="/violations\\?project=demo%2Fpayments&amp;state=open&amp;since=[^"]*">${week.opened} still open</a>\\), fixed ${week.fixed}, removed ${week.removed}, ended otherwise ${week.closed}<`,
      ),
    )
    expect(await textOf('/projects/demo/payments?run=1')).toContain('The last run that scanned it found no change.')
  })

  it('list the runs, and show the report of each', async () => {
    const runs = await textOf('/runs')
    expect(runs).toContain('<a href="/runs/2">2</a>')
    expect(runs).toContain('data-label="Exit code" class="n">1<')
    const run = await textOf('/runs/2')
    expect(run).toContain('<a href="/violations?state=open&amp;run=2">33 open violations as of run 2</a>')
    expect(run).toContain('drift/authentication-lost')
  })

  it('compare two runs as the command does', async () => {
    const { rows } = await site.json('diff 1 2')
    const page = await textOf('/compare?from=1&to=2')
    expect(page).toContain(`role="status">${rows.length} rows.`)
    for (const { uid } of rows) expect(page).toContain(`/resources/${uid}?project=`)
    expect(await textOf('/compare')).toContain('<h1>Run 1 and run 2</h1>')
    const removed = rows.filter(({ kind }) => kind === 'subscription')
    expect(await textOf('/compare?kind=subscription')).toContain(`role="status">${removed.length} row`)
    for (const query of ['from=9', 'to=9', 'kind=x']) {
      expect([query, (await site.get(`/compare?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('list the resources of the command, and find one by name', async () => {
    const { rows } = await site.json('state')
    const page = await textOf('/resources')
    expect(page).toContain(`role="status">${rows.length} resources: `)
    expect([...page.matchAll(/<tr><th scope="row"><a href="\/resources\//g)]).toHaveLength(50)
    const [, next = ''] = /<link rel="next" href="([^"]*)">/.exec(page) ?? []
    const second = await textOf(next.replaceAll('&amp;', '&'))
    expect(second).toContain(`role="status">${rows.length} resources: `)
    expect(second).toContain(`/resources/${rows[50].uid}?`)
    expect(second).not.toContain(`/resources/${rows[49].uid}?`)
    expect(await textOf('/resources?q=BILLING-011-v2')).toContain('role="status">1 row.')
  })

  it('list removed resources where they are asked for, and those that a name finds', async () => {
    expect(await textOf('/resources?project=demo/payments&kind=endpoint')).not.toContain('>billing-006</a>')
    for (const query of ['state=all&kind=endpoint', 'q=billing-006']) {
      expect(await textOf(`/resources?${query}`)).toMatch(
        />billing-006<\/a>.*data-label="Removed in run" class="n"><a href="\/runs\/2">/,
      )
    }
    expect(await textOf('/resources?q=billing-006&state=present')).toContain('No such resource.')
  })

  it('refuse places that are not in a list', async () => {
    for (const query of [
      'after=x',
      'after=x&after-kind=endpoint&after-project=zz',
      'kind=x',
      'state=x',
      'project=zz',
    ]) {
      expect([query, (await site.get(`/resources?${query}`)).status]).toEqual([query, 400])
    }
    for (const query of ['before=x', 'before=-1', 'run=9', 'run=x']) {
      expect([query, (await site.get(`/runs?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('say that no state is approved, then show who approved which, and what differs', async () => {
    expect(await textOf('/baselines')).toContain('No baseline is approved')
    const { code, stderr } = await site.command("baseline approve --run 1 --note 'as <agreed>'")
    expect([code, stderr]).toEqual([0, ''])
    const { rows } = await site.json('baseline diff')
    const page = await textOf('/baselines')
    expect(page).toContain('as &lt;agreed&gt;')
    expect(page).toContain(`What differs from the approved states <span class="count">${rows.length}</span>`)
    expect(rows).not.toEqual([])
    for (const run of ['2', '1']) {
      expect((await site.command(`baseline approve -p demo/payments --run ${run} --note <b>${run} --yes`)).code).toBe(0)
    }
    const states = (await textOf('/baselines')).matchAll(
      /data-label="State"><div>(\w+).*?data-label="Remarks"><div>([^<]*)/g,
    )
    expect([...states].map(([, state, note]) => `${state} ${note}`)).toEqual([
      ...['active as &lt;agreed&gt;', 'active as &lt;agreed&gt;'],
      ...['active &lt;b&gt;1', 'superseded &lt;b&gt;2', 'superseded as &lt;agreed&gt;'],
    ])
  })
})

describe('how to put a resource back', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  const sectionOf = async (name: string) =>
    /<h2 id="repair">.*?<\/section>/s.exec(await (await site.get(`/resources/${name}`)).text())?.[0] ?? ''

  it('names the command that prints the request', async () => {
    const section = await sectionOf('billing-011-v2')
    expect(section).toContain('curl ')
    expect(section).toContain('prints it with your addresses')
  })

  it('does not where there is nothing to put back', async () => {
    const { rows } = await site.json('state --kind endpoint')
    const sections: string[] = await Promise.all(rows.map(({ uid }) => sectionOf(uid)))
    const untouched = sections.filter((section) => section.includes('there is nothing to put back'))
    expect(untouched.length).toBeGreaterThan(0)
    for (const section of untouched) expect(section).not.toContain('prints it')
  })
})

it('counts the subscriptions of an endpoint that it does not list', async () => {
  const made = await openHistoryFixture({
    fleet: { endpointsPerProject: 1, subscriptionsPerProject: 53 },
  })
  await made.fixture.audit()
  const { uid } = made.fixture.endpointAt()
  await using site = await openSite(made)
  const page = await (await site.get(`/resources/${uid}`)).text()
  expect(page).toContain('Used by <span class="count">53</span>')
  expect(page.match(/<p>subscription <a href="[^"]*project=acme%2Fpayments&amp;kind=subscription"/g)).toHaveLength(50)
  expect(page).toContain('<p class="soft">3 more: see the command below.</p>')
})

it('counts and lists the resources of projects that had one name, each once', async () => {
  const projects: Record<string, string> = {}
  const fleet = { clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 30 }
  const made = await openHistoryFixture({ fleet, harness: { projects } })
  for (const { uid } of made.fixture.fleet.projects()) {
    projects.payments = uid
    await made.fixture.audit()
  }
  await using site = await openSiteOver(made)
  const counted = [...(await site.read('/projects/acme/payments')).matchAll(/href="([^"]*kind=endpoint)">(\d+)</g)]
  expect(counted.map(([, , number]) => number)).toEqual(['60'])
  const href = at(counted, 0)[1]?.replaceAll('&amp;', '&')
  const listed: (string | undefined)[] = []
  for (let next = href; next !== undefined && listed.length < 100; ) {
    const page = await site.read(next)
    expect(page).toContain('role="status">60 resources')
    listed.push(...[...page.matchAll(/<code>([0-9A-Z]{26})</g)].map(([, uid]) => uid))
    next = /href="([^"]*)" rel="next">/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  }
  expect([listed.length, new Set(listed).size]).toEqual([60, 60])
})
