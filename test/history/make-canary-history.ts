import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { canaries, canary, policyYaml, projectUid, startCanaryService } from './canary-service.ts'

// Makes test/fixtures/histories/canaries-NNNN.db.gz and canaries-NNNN.json with the code of a checkout that kept in clear
// what is sealed now: `node test/history/make-canary-history.ts CHECKOUT`.

const [, , checkout = '.'] = process.argv
const of = async (path: string) => import(pathToFileURL(resolve(checkout, path)).href)
const { openAuditHarness, policyOf } = await of('test/audit/audit-harness.ts')
const { openSqliteHistory } = await of('src/history/sqlite/sqlite-history.ts')
const { tellChannels } = await of('src/notify/compose-messages.ts')

await using service = await startCanaryService()
const harness = openAuditHarness({
  projects: { payments: projectUid },
  key: 'CO.notarealkeymask1.not-a-real-secret-part-of-a-key',
})
const tell = tellChannels([
  { name: 'hook', type: 'webhook' },
  { name: 'chat', type: 'slack' },
])
const audit = () => harness.audit({ url: service.url, policy: policyOf(policyYaml()), tell })
const ref = { name: 'acme/payments', service: 'acme', uid: projectUid }
const time = () => new Date(harness.clock.now()).toISOString()

await audit()

// What was approved: a state from a file, then that of a run.
let history = openSqliteHistory(harness.file, harness.owner)
const view = { listing: 'endpoints', filter: null }
const resources = [
  {
    kind: 'endpoint',
    uid: 'EP-IMPORTED',
    name: 'EP-IMPORTED',
    attributes: { description: `API key (old): ${canary('imported description')}` },
    sealKeyId: 'another key',
  },
]
const scopes = { endpoint: view, subscription: { ...view, listing: 'subscriptions' } }
const by = { by: 'alice', at: time() }
await history.approve([
  { project: ref, scopes, note: `key ghp_${canary('imported note')}`, ...by, state: { resources } },
])
await history.approve([{ project: ref, scopes, note: `key ghp_${canary('approval note')}`, ...by, state: { run: 1 } }])
await history.close()

// Drift in what holds the secrets, and violations that quote them.
service.show({ step: 2 })
await audit()
service.show({ isOut: true })
await audit()
service.show({ step: 3 })
await audit()

history = openSqliteHistory(harness.file, harness.owner)
const [waiting] = await history.undelivered()
await history.failed(waiting.id, { at: time(), error: `answered ghp_${canary('delivery error')}`, nextTryAt: time() })

// And a killed run, which no later run has closed yet.
harness.advance(3_600_000)
const digests = { policyDigest: 'policy', configurationDigest: 'configuration', sealKeyId: 'key' }
const draft = await history.begin({ startedAt: time(), failOn: 'medium', toolVersion: '0.0.0', ...digests })
const body = JSON.stringify({ description: `API key (left): ${canary('killed draft')}` })
const version = { kind: 'endpoint', uid: 'EP-LEFT', name: 'left', digest: hash('sha256', body), body, facts: '' }
await draft.stage(ref, { seen: [], versions: [{ ...version, normaliser: 3, replaces: undefined }] })
await history.close()

const db = new Database(harness.file)
const name = `canaries-${String(db.pragma('user_version', { simple: true })).padStart(4, '0')}`
const bytes = () => readFileSync(harness.file)
db.pragma('wal_checkpoint(TRUNCATE)')
db.pragma('journal_mode = DELETE')
db.close()
const fixtures = join(import.meta.dirname, '../fixtures/histories')
const all = Object.entries(canaries())
const [kept, sealed] = [true, false].map((isKept) => all.filter(([, value]) => bytes().includes(value) === isKept))
writeFileSync(join(fixtures, `${name}.db.gz`), gzipSync(bytes(), { level: 9 }))
writeFileSync(join(fixtures, `${name}.json`), `${JSON.stringify(Object.fromEntries(kept ?? []), null, 2)}\n`)
process.stdout.write(
  `${kept?.length} canaries in clear; sealed already: ${sealed?.map(([place]) => place).join(', ')}\n`,
)
try {
  harness[Symbol.dispose]()
} catch (error) {
  process.stdout.write(`${error}\n`)
}
