import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import ts from 'typescript'
import { conclude } from './conclude.ts'
import { type Canary, createCanaries, seeded } from './secrets/canaries.ts'
import { openDriver } from './secrets/drive.ts'
import { ordinaryTexts } from './secrets/ordinary.ts'
import { plantForms } from './secrets/plant-forms.ts'
import { nothing, plantItems } from './secrets/plant-items.ts'
import { plantPrograms } from './secrets/plant-programs.ts'
import { findLeaks, indexCanaries, type Leak } from './secrets/search.ts'
import { type Served, serve } from './secrets/serve.ts'

/**
 * Plants more than 11,000 made-up secrets wherever a service, a person or a configuration may put one, audits them with
 * every report and notification, rotates them, audits again, and searches all that was written for them, in several encodings. Then
 * counts how many of 5,000 ordinary texts stay readable. `node prove/secrets.ts [seed]`. Exit 1 for a secret
 * that was found and that the documentation does not name, or for less than 99 % readable.
 */
const projectCount = 2
const wanted = 11_000
const ordinaryCount = 5000
const mostPages = 300
/** What tools of an assistant are asked about. */
const subjectsAt = (url: string): Readonly<Record<string, object>> => ({
  timeline: { uid: 'en-1', project: ['acme/p0'] },
  restore: { uid: 'en-1', project: ['acme/p0'] },
  diff: { from: 'latest~1' },
  compare: { a: 'acme/p0', b: 'acme/p1' },
  impact: { target: 'en-1', project: ['acme/p0'] },
  preview: { request: `DELETE ${url}/api/v1/projects/p0/endpoints/en-1` },
})
const seed = Number(process.argv[2] ?? 1)
const policy = `extends: [all]
probes:
  - { name: every, match: { kind: source }, function: body, payload: ./payload.json, type: body }
`
const random = seeded(seed)
const canaries = createCanaries(random)
/** Secrets of people and channels: with a generator of their own, they change none of the service's. */
const more = createCanaries(seeded(seed + 1000))
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-prove-'))
const served = await serve()
try {
  const leaks = await proveNothingLeaks(served)
  const planted = [...canaries.all, ...more.all]
  const broken = brokenPromises(planted, leaks)
  const share = await proveReadable(served)
  process.stdout.write(
    `${planted.length} secrets planted (seed ${seed}), ${leaks.length} found. ` +
      `${ordinaryCount} ordinary texts, ${(share * 100).toFixed(1)} % readable.\n`,
  )
  conclude({ cases: planted.length, violations: { secrets: broken, other: share < 0.99 ? 1 : 0 } })
} finally {
  await served.close()
  rmSync(directory, { recursive: true, force: true })
}

/** How many more secrets were found than the documentation says: of most forms, none may be. */
function brokenPromises(planted: readonly Canary[], leaks: readonly Leak[]): number {
  const found = new Set(leaks.map(({ canary }) => canary.text))
  let broken = 0
  for (const [promised, some] of Map.groupBy(planted, (canary) => canary.promised)) {
    const lost = some.filter(({ text }) => found.has(text)).length
    const most = promised === 1 ? 0 : Math.ceil((1 - promised) * some.length)
    process.stdout.write(`Of ${some.length} secrets, ${lost} found; the documentation allows ${most}.\n`)
    broken += Math.max(0, lost - most)
  }
  return broken
}

async function proveNothingLeaks({ url, projects, received }: Served): Promise<readonly Leak[]> {
  const routingKey = createHash('md5').update(`routing ${seed}`).digest('hex')
  more.all.push({ text: routingKey, place: 'a routing key', promised: 1 })
  const env = {
    KEY: canaries.known("the service's key"),
    HOOK: canaries.known('the path of a chat channel'),
    TEAM: more.known('the path of a Teams channel'),
    TRACKER: more.known('the token of a tracker'),
    ROUTING: routingKey,
  }
  const secret = `whsec_${Buffer.from(canaries.random('the secret of a channel')).toString('base64')}`
  const driver = openDriver(directory, { ...env, HOOK_SECRET: secret })
  const plant = () => {
    for (let at = 0; projects.size < projectCount; at++) projects.set(`p${at}`, projectOf(`p${at}`))
    for (const uid of projects.keys()) projects.set(uid, projectOf(uid))
  }
  writeFileSync(join(directory, 'hookdrift.yaml'), configuration(url))
  writeFileSync(join(directory, 'policy.yaml'), policy)
  writeFileSync(join(directory, 'payload.json'), JSON.stringify({ api_key: canaries.any('the payload of a probe') }))
  served.result = {
    payload: {
      event_type: 'x',
      data: { token: canaries.any('the result of a function'), note: canaries.random('a note in a result') },
    },
    log: [`key ${canaries.random('the log of a function')}`],
  }
  served.refusal = `cannot read Authorization: Bearer ${env.KEY}, nor ${canaries.random("a service's error message")}`
  plant()
  await driver.audit('first')
  await driver.run('baseline', 'approve', '--by', 'alice', '--project', 'acme/p0')
  plant()
  await driver.audit('second')
  await ask(driver.run)
  await askAsAssistant(driver.ask, subjectsAt(url))
  await driver.readPages(mostPages)
  const index = indexCanaries([...canaries.all, ...more.all])
  const given = ['hookdrift.yaml', 'policy.yaml', 'payload.json']
  const written = [
    ...driver.files(given).map(({ name, bytes }) => ({ where: name, bytes })),
    ...driver.said.map(({ command, text }) => ({ where: `what \`${command}\` says`, bytes: text })),
    // Its receiver asks for the routing key, and nothing else may have it.
    ...received.map((body) => ({
      where: 'a notification',
      bytes: Buffer.from(body.replace(`"routing_key":"${routingKey}"`, '')),
    })),
  ]
  const leaks = written.flatMap(({ where, bytes }) => findLeaks(where, bytes, index))
  for (const [place, found] of Map.groupBy(leaks, ({ canary }) => canary.place)) {
    const where = [...new Set(found.map((leak) => `${leak.where} (${leak.form})`))]
    process.stdout.write(`FOUND  ${place}: ${found[0]?.canary.text} in ${where.slice(0, 3).join(', ')}\n`)
  }
  const bytes = written.reduce((sum, { bytes }) => sum + bytes.length, 0)
  process.stdout.write(`${written.length} files, answers and messages, ${(bytes / 1e6).toFixed(0)} MB searched.\n`)
  if (canaries.all.length < wanted) throw new Error(`only ${canaries.all.length} secrets were planted`)
  // One secret may be found in many files.
  return [...new Map(leaks.map((leak) => [leak.canary.text, leak])).values()]
}

function projectOf(uid: string) {
  const programs = plantPrograms(canaries, 6)
  const meta_event = { is_enabled: true, type: 'http', secret: canaries.any('config.meta_event.secret') }
  const items = plantItems(uid, programs, canaries)
  const forms = uid === 'p0' ? plantForms(uid, canaries) : nothing
  return {
    project: { uid, name: uid, type: 'outgoing', config: { meta_event, signing: canaries.odd('config.signing') } },
    endpoints: [...items.endpoints, ...forms.endpoints],
    sources: [...items.sources, ...forms.sources],
    subscriptions: [...items.subscriptions, ...forms.subscriptions],
    event_types: [...items.event_types, ...forms.event_types],
    filters: { ...items.filters, ...forms.filters },
  }
}

function configuration(url: string): string {
  return `history: ./hookdrift.db
policy: ./policy.yaml
services:
  - name: acme
    url: ${url}
    key: \${KEY}
    listings: { filters: required, event_types: required }
    limits: { retries: 0, retry_budget: 1s }
    projects: [${[...Array(projectCount).keys()]
      .map((at) => `p${at}`)
      .join(', ')
      .replace(/p\d+/g, '{ id: $& }')}, { id: nowhere }]
notify:
  - { name: files, type: directory, path: ./sent, formats: [json, text, html] }
  - { name: log, type: log }
  - { name: hook, type: webhook, url: "${url}/received", secret: "\${HOOK_SECRET}" }
  - { name: chat, type: slack, url: "${url}/received/\${HOOK}" }
  - { name: team, type: teams, url: "${url}/received/\${TEAM}" }
  - { name: pager, type: pagerduty, url: "${url}/received", routing_key: "\${ROUTING}" }
  - { name: issues, type: github_issue, repository: acme/payments, token: "\${TRACKER}", api_url: "${url}/received" }
  - { name: tickets, type: jira, url: "${url}/received", project: OPS, token: "\${TRACKER}" }
`
}

/** Every command that shows what the history holds. */
async function ask(run: Run): Promise<void> {
  await run('backup', 'backup.db')
  await run('baseline', 'export', 'baseline')
  for (const format of ['text', 'json', 'csv']) {
    for (const command of ['status', 'runs', 'violations', 'state']) await run(command, '--format', format)
    await run('diff', 'latest~1', 'latest', '--format', format)
    for (const uid of ['en-1', 'su-rows']) {
      await run('timeline', uid, '--project', 'acme/p0', '--format', format)
    }
    const others = [['trend'], ['violations', '--by-cause'], ['status', '--listings']]
    for (const words of others) await run(...words, '--format', format)
    await run('compare', 'acme/p0', 'acme/p1', '--format', format)
    for (const uid of await resourcesIn(run)) await run('restore', uid, '--project', 'acme/p0', '--format', format)
  }
  await run('waivers', 'draft', '--owner', 'alice', '--expires', inAMonth())
  await acceptOne(run)
  for (const format of ['text', 'json', 'html', 'csv', 'oscal']) {
    await run('report', '--framework', 'soc2', '--format', format)
  }
  for (const format of ['text', 'json']) {
    await run('config', 'show', '--format', format)
    await run('notify', '--pending', '--format', format)
  }
  await run('baseline', 'diff')
  await run('query', 'SELECT body, facts FROM current_resource')
  await run('query', 'SELECT fields FROM drift')
  await run('verify', '--deep')
}

/** Calls each tool. */
async function askAsAssistant(
  ask: (requests: readonly object[]) => Promise<readonly string[]>,
  subjects: Readonly<Record<string, object>>,
): Promise<void> {
  const request = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params })
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'prove', version: '1' } }
  const greeting = request(0, 'initialize', client)
  const [, list = ''] = await ask([greeting, request(1, 'tools/list', {})])
  const { tools }: { tools: readonly Tool[] } = JSON.parse(list).result
  // A whole report of so many violations is more than an assistant is given.
  const asked = tools.filter(({ name }) => name !== 'report')
  const calls = asked.map(({ name }, at) => request(at + 1, 'tools/call', { name, arguments: subjects[name] ?? {} }))
  const [, ...answers] = await ask([greeting, ...calls])
  const refused = answers.find((answer) => isRefusal(JSON.parse(answer)))
  if (refused !== undefined || answers.length < asked.length)
    throw new Error(`a tool refused: ${refused?.slice(0, 500)}`)
}

function isRefusal({ result }: { readonly result?: { readonly isError?: boolean } }): boolean {
  return result === undefined || result.isError === true
}

interface Tool {
  readonly name: string
}

type Run = (...args: string[]) => Promise<string>

/** uids of resources that `restore` knows: some of each kind, and the subscriptions with many filter rows. */
async function resourcesIn(run: Run): Promise<readonly string[]> {
  const { rows } = JSON.parse(await run('state', '--project', 'acme/p0', '--format', 'json', '--limit', 'all'))
  const restorable = (rows as { kind: string; uid: string }[]).filter(
    ({ kind }) => kind !== 'probe' && kind !== 'event_type',
  )
  const byKind = Map.groupBy(restorable, ({ kind }) => kind)
  const some = [...byKind.values()].flatMap((ofKind) => ofKind.slice(0, 6).map(({ uid }) => uid))
  return [...some, ...restorable.map(({ uid }) => uid).filter((uid) => uid.startsWith('su-rows'))]
}

/** Accepts a violation for a reason that quotes a secret. */
async function acceptOne(run: Run): Promise<void> {
  const { rows } = JSON.parse(await run('violations', '--open', '--format', 'json'))
  const reason = `its key is ${more.known('the reason of an acceptance')}`
  await run('accept', rows[0].fingerprint, '--reason', reason, '--by', 'alice')
  await run('accept', '--list', '--format', 'json')
}

function inAMonth(): string {
  return new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
}

/** The share of ordinary texts that one more audit shows as they are. */
async function proveReadable({ projects }: Served): Promise<number> {
  const words = Object.keys(ts).filter((word) => /^[A-Za-z_$][\w$]*$/.test(word))
  const { names, descriptions, addresses, identifiers, literals } = ordinaryTexts(random, words)
  const endpoints = names.map((name, at) => ({
    uid: `name-${at}`,
    project_id: 'p0',
    name,
    description: descriptions[at] ?? '',
    url: addresses[at] ?? '',
    secrets: [],
  }))
  const subscriptions = identifiers.map((name, at) => ({
    uid: `code-${at}`,
    project_id: 'p0',
    name: `s${at}`,
    type: 'api',
    filter_config: null,
    function: `function transform(payload) { return payload.${name} === ${JSON.stringify(literals[at])} }`,
  }))
  projects.clear()
  projects.set('p0', { ...nothing, project: { uid: 'p0', name: 'p0' }, endpoints, subscriptions })
  const driver = openDriver(directory, {
    KEY: 'not-a-real-key',
    HOOK: 'x',
    TEAM: 'x',
    TRACKER: 'x',
    ROUTING: 'x'.repeat(32),
    HOOK_SECRET: `whsec_${'A'.repeat(32)}`,
  })
  await driver.run('audit', '--quiet', '--project', 'acme/p0', '--accept-removals')
  const kept = bodiesOf(join(directory, 'hookdrift.db'))
  const ofNames = (text: string, at: number, member: 'name' | 'description' | 'url') => {
    return kept.get(`name-${at}`)?.[member] === text
  }
  const ofCode = (text: string, at: number) => kept.get(`code-${at}`)?.function?.includes(text) === true
  const lost = [
    ...names.filter((name, at) => !ofNames(name, at, 'name')),
    ...descriptions.filter((text, at) => !ofNames(text, at, 'description')),
    ...addresses.filter((address, at) => !ofNames(address, at, 'url')),
    ...identifiers.filter((name, at) => !ofCode(`payload.${name} `, at)),
    ...literals.filter((text, at) => !ofCode(JSON.stringify(text), at)),
  ]
  for (const text of lost.slice(0, 40)) process.stdout.write(`SEALED ${text}\n`)
  return 1 - lost.length / ordinaryCount
}

function bodiesOf(history: string): ReadonlyMap<string, KeptBody> {
  const db = new Database(history, { readonly: true })
  try {
    const rows = db.prepare<[], { uid: string; body: string }>('SELECT uid, body FROM current_resource').all()
    return new Map(rows.map(({ uid, body }) => [uid, JSON.parse(body)]))
  } finally {
    db.close()
  }
}

interface KeptBody {
  readonly name?: string
  readonly description?: string
  readonly url?: string
  readonly function?: string
}
