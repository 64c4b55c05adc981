import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterAll, describe, expect, it } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { updateEndpoint } from '../../src/demo/edits.ts'
import { readLocation } from '../../src/history/location.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite, type SiteOptions } from '../../src/pages/site.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type CliFixture, openCliFixture } from '../cli/cli-fixture.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSite } from './open-site.ts'

const evil = '<script>&"\' ]]> \u0000\u0001\u001b[31m \u202e \ufffe </entry>'

let cli: CliFixture
let get: (path: string, host?: string, projects?: readonly string[]) => Promise<Response>
const faults: unknown[] = []
cli = await openCliFixture({ endpointsPerProject: 3 }, 'policy: ./policy.yaml\n')
cli.directory.write('policy.yaml', 'extends: [recommended]\nrules: { endpoint/url-not-https: high }\n')
const project = at(cli.fleet.projects(), 0).uid
const { uid } = at(cli.fleet.open(project).endpoints, 0)
await cli.audit('--quiet')
updateEndpoint(cli.fleet, { project, uid }, { name: evil, url: 'http://a.example' })
await cli.audit('--quiet')
updateEndpoint(cli.fleet, { project, uid }, { name: evil, url: 'https://a.example' })
await cli.audit('--quiet')
cli.service.failNext({ how: 'bad-json', path: /subscriptions/, page: 1, times: 9 })
await cli.audit('--quiet')
const history = await openExistingHistory(readLocation(cli.directory.file('hookdrift.db'), cli.directory.path), {})
const close = () => history.close()
const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => cli.directory.path }
const options: SiteOptions = {
  history: async () => history,
  now: () => Date.now(),
  version: '1.2.3',
  isHostOfPort: () => true,
  api: createApi({ config: cli.directory.file('hookdrift.yaml') }, terminal, '1.2.3'),
  onFault: (error) => faults.push(error),
}
get = async (path, host = 'localhost', projects = undefined) => {
  const site = createSite(projects === undefined ? options : scopeSite(options, projects))
  return site.request(`http://${host}${path}`, { headers: { host } })
}
afterAll(async () => {
  await close()
  await cli[Symbol.asyncDispose]()
})

interface Entry {
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly summary: string
  readonly category: readonly { readonly '@_term': string }[]
  readonly link: readonly Readonly<Record<string, string>>[]
}

const lists = ['entry', 'link', 'category', 'author']
const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => lists.includes(name) })
async function readFeed(path = '/feed.atom', ...as: [host?: string, projects?: readonly string[]]) {
  const text = await (await get(path, ...as)).text()
  const { feed } = parser.parse(text)
  return { text, feed, entries: (feed.entry ?? []) as readonly Entry[] }
}

const iri = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

describe('the feed', () => {
  it('has what Atom demands: RFC 4287, sections 4.1.1 and 4.1.2', async () => {
    const { text, feed, entries } = await readFeed()
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">')).toBe(
      true,
    )
    // What XML 1.0 does not allow anywhere, escaped or not.
    expect(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(text)).toBeNull()
    expect(/&#/.exec(text.replaceAll('&#39;', ''))).toBeNull()
    expect(feed.id).toMatch(iri)
    expect(feed.updated).toMatch(date)
    expect(feed.author).toEqual([{ name: 'hookdrift' }])
    const rels = feed.link.map((link: Record<string, string>) => [link['@_rel'], link['@_href']])
    expect(rels).toEqual([
      ['self', '/feed.atom'],
      ['alternate', '/'],
    ])
    expect(
      Object.keys(feed).every((name) =>
        ['@_xmlns', 'id', 'title', 'updated', 'author', 'link', 'entry'].includes(name),
      ),
    ).toBe(true)
    expect(entries.length).toBeGreaterThan(3)
    for (const entry of entries) {
      expect(Object.keys(entry).sort()).toEqual(['category', 'id', 'link', 'summary', 'title', 'updated'])
      expect(entry.id).toMatch(iri)
      expect(entry.updated).toMatch(date)
      expect(entry.link).toHaveLength(1)
      expect(at(entry.link, 0)).toMatchObject({ '@_rel': 'alternate', '@_href': expect.stringMatching(/^\/[a-z]+\//) })
    }
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
    const times = entries.map(({ updated }) => updated)
    expect(times).toEqual(times.toSorted().reverse())
  })

  it('says what opened, was resolved, drifted, and what could not be scanned', async () => {
    const { entries } = await readFeed()
    const kinds = new Set(entries.flatMap(({ category }) => at(category, 0)['@_term']))
    expect([...kinds].sort()).toEqual(['modified', 'not-scanned', 'opened', 'resolved'])
    const modified = entries.filter(({ category }) => at(category, 0)['@_term'] === 'modified')
    expect(modified.map(({ summary }) => summary)).toEqual([
      'Run 3: /url changed.',
      expect.stringMatching(/^Run 2: .*\/name, .*\/url changed\.$/),
    ])
    expect(at(modified, 0).title).toContain('endpoint <script>&"')
    const unscanned = entries.filter(({ category }) => at(category, 0)['@_term'] === 'not-scanned')
    expect(at(unscanned, 0).title).toMatch(/ was not scanned completely$/)
    const fixed = entries.filter(({ category }) => at(category, 0)['@_term'] === 'resolved')
    expect(fixed.some(({ title }) => title.startsWith('fixed: endpoint/url-not-https'))).toBe(true)
  })

  it('keeps the ids of entries, also as of an earlier run', async () => {
    const [now, again, then] = [await readFeed(), await readFeed(), await readFeed('/feed.atom?run=2')]
    expect(again.text).toBe(now.text)
    const ids = now.entries.map(({ id }) => id)
    expect(then.entries.length).toBeGreaterThan(0)
    expect(then.entries.filter(({ id }) => !ids.includes(id))).toEqual([])
    expect(then.entries.some(({ summary }) => summary.startsWith('Run 3'))).toBe(false)
  })

  it('is the same by every name of the port, and another one for readers of other projects', async () => {
    const idsOf = ({ feed, entries }: Awaited<ReturnType<typeof readFeed>>) => [feed.id, ...entries.map(({ id }) => id)]
    const [here, there] = [await readFeed(), await readFeed('/feed.atom', 'pages.example.com:8443')]
    expect(idsOf(there)).toEqual(idsOf(here))
    const some = await readFeed('/feed.atom', 'localhost', ['acme/*', '*'])
    expect(some.entries).toHaveLength(here.entries.length)
    expect(idsOf(some).filter((id) => idsOf(here).includes(id))).toEqual([])
    expect(idsOf(await readFeed('/feed.atom', 'localhost', ['*', 'acme/*']))).toEqual(idsOf(some))
  })

  it('refuses other parameters, and logs nothing', async () => {
    expect((await get('/feed.atom?x=1')).status).toBe(400)
    expect((await get('/feed.atom')).headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect(faults).toEqual([])
  })
})

it('says of a violation whose first run was pruned that it was, and invents no run', async () => {
  const opened = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
  const { fleet, audit } = opened.fixture
  const project = at(fleet.projects(), 0).uid
  const [fixed = '', kept = ''] = fleet.open(project).endpoints.map(({ uid }) => uid)
  const serve = (uid: string, url: string) => updateEndpoint(fleet, { project, uid }, { name: uid, url })
  serve(kept, 'http://kept.example')
  await audit()
  // What is approved is kept.
  await opened.fixture.approve()
  serve(fixed, 'http://fixed.example')
  await audit()
  serve(fixed, 'https://fixed.example')
  await audit()
  expect((await opened.ask('prune --keep-last 1')).stdout).toContain('1 run pruned')
  await using site = await openSite(opened)
  const summaries = (await (await site.get('/feed.atom')).text()).match(/[^<>]* opened it: /g)
  expect(summaries?.toSorted()).toEqual(['A run that was pruned since opened it: ', 'Run 1 opened it: '])
})
