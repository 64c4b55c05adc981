import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import ts from 'typescript'
import { createCanaries, seeded } from './secrets/canaries.ts'
import { openDriver } from './secrets/drive.ts'
import { ordinaryTexts } from './secrets/ordinary.ts'
import { plantItems } from './secrets/plant-items.ts'
import { plantPrograms } from './secrets/plant-programs.ts'
import { findLeaks, indexCanaries, type Leak } from './secrets/search.ts'
import { type Served, serve } from './secrets/serve.ts'

/**
 * Plants 2,000 made-up secrets wherever a service, a person or a configuration may put one, audits them with every report
 * and notification, rotates them, audits again, and searches all that was written for them, in several encodings. Then
 * counts how many of 3,000 ordinary texts stay readable. `SEED` (default: 1). Exit 1 for a secret that was found, or
 * for less than 99 % readable.
 */
const wanted = 2000
const projectCount = 3
const seed = Number(process.env.SEED ?? 1)
const policy = `extends: [all]
probes:
  - { name: every, match: { kind: source }, function: body, payload: ./payload.json, type: body }
`
const random = seeded(seed)
const canaries = createCanaries(random)
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-prove-'))
const served = await serve()
try {
  const leaks = await proveNothingLeaks(served)
  const share = await proveReadable(served)
  process.stdout.write(
    `${canaries.all.length} secrets planted (seed ${seed}), ${leaks.length} found. ` +
      `3000 ordinary texts, ${(share * 100).toFixed(1)} % readable.\n`,
  )
  if (leaks.length > 0 || share < 0.99) process.exitCode = 1
} finally {
  await served.close()
  rmSync(directory, { recursive: true, force: true })
}

async function proveNothingLeaks({ url, projects, received }: Served): Promise<readonly Leak[]> {
  const env = { KEY: canaries.known("the service's key"), HOOK: canaries.known('the path of a chat channel') }
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
  const index = indexCanaries(canaries.all)
  const given = ['hookdrift.yaml', 'policy.yaml', 'payload.json']
  const written = [
    ...driver.files(given).map(({ name, bytes }) => ({ where: name, bytes })),
    ...driver.said.map(({ command, text }) => ({ where: `what \`${command}\` says`, bytes: text })),
    ...received.map((body) => ({ where: 'a notification', bytes: Buffer.from(body) })),
  ]
  const leaks = written.flatMap(({ where, bytes }) => findLeaks(where, bytes, index))
  for (const [place, found] of Map.groupBy(leaks, ({ canary }) => canary.place)) {
    const where = [...new Set(found.map((leak) => `${leak.where} (${leak.form})`))]
    process.stdout.write(`FOUND  ${place}: ${found[0]?.canary.text} in ${where.slice(0, 3).join(', ')}\n`)
  }
  const bytes = written.reduce((sum, { bytes }) => sum + bytes.length, 0)
  process.stdout.write(`${written.length} files, answers and messages, ${(bytes / 1e6).toFixed(0)} MB searched.\n`)
  if (canaries.all.length < wanted) throw new Error(`only ${canaries.all.length} secrets were planted`)
  return leaks
}

function projectOf(uid: string) {
  const programs = plantPrograms(canaries, 6)
  const meta_event = { is_enabled: true, type: 'http', secret: canaries.any('config.meta_event.secret') }
  return {
    project: { uid, name: uid, type: 'outgoing', config: { meta_event, signing: canaries.odd('config.signing') } },
    ...plantItems(uid, programs, canaries),
  }
}

function configuration(url: string): string {
  return `history: ./hookdrift.db
policy: ./policy.yaml
services:
  - name: acme
    url: ${url}
    key: \${KEY}
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
`
}

/** Every command that shows what the history holds. */
async function ask(run: (...args: string[]) => Promise<string>): Promise<void> {
  await run('backup', 'backup.db')
  await run('baseline', 'export', 'baseline')
  for (const format of ['text', 'json', 'csv']) {
    for (const command of ['status', 'runs', 'violations', 'state']) await run(command, '--format', format)
    await run('diff', 'latest~1', 'latest', '--format', format)
    await run('timeline', 'en-1', '--format', format)
  }
  await run('baseline', 'diff')
  await run('query', 'SELECT body, facts FROM current_resource')
  await run('query', 'SELECT fields FROM drift')
  await run('verify', '--deep')
}

/** The share of ordinary texts that one more audit shows as they are. */
async function proveReadable({ projects }: Served): Promise<number> {
  const words = Object.keys(ts).filter((word) => /^[A-Za-z_$][\w$]*$/.test(word))
  const { names, addresses, identifiers } = ordinaryTexts(random, words)
  const endpoints = names.map((name, at) => ({
    ...{ uid: `name-${at}`, project_id: 'p0', name, description: name, url: addresses[at] ?? '', secrets: [] },
  }))
  const subscriptions = identifiers.map((name, at) => ({
    ...{ uid: `code-${at}`, project_id: 'p0', name: `s${at}`, type: 'api', filter_config: null },
    function: `function transform(payload) { return payload.${name} }`,
  }))
  projects.clear()
  projects.set('p0', { project: { uid: 'p0', name: 'p0' }, endpoints, sources: [], subscriptions })
  const driver = openDriver(directory, { KEY: 'not-a-real-key', HOOK: 'x', HOOK_SECRET: `whsec_${'A'.repeat(32)}` })
  await driver.run('audit', '--quiet', '--project', 'acme/p0', '--accept-removals')
  const kept = bodiesOf(join(directory, 'hookdrift.db'))
  const lost = [
    ...names.filter((name, at) => kept.get(`name-${at}`)?.name !== name),
    ...addresses.filter((address, at) => kept.get(`name-${at}`)?.url !== address),
    ...identifiers.filter((name, at) => !kept.get(`code-${at}`)?.function?.includes(`payload.${name} `)),
  ]
  for (const text of lost.slice(0, 20)) process.stdout.write(`SEALED ${text}\n`)
  return 1 - lost.length / (names.length + addresses.length + identifiers.length)
}

function bodiesOf(history: string): ReadonlyMap<string, { name?: string; url?: string; function?: string }> {
  const db = new Database(history, { readonly: true })
  try {
    const rows = db.prepare<[], { uid: string; body: string }>('SELECT uid, body FROM current_resource').all()
    return new Map(rows.map(({ uid, body }) => [uid, JSON.parse(body)]))
  } finally {
    db.close()
  }
}
