import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'

// Makes test/fixtures/histories/NNNN.db.gz and NNNN.reports.json.gz with the code of a checkout, which may be older than
// this one: `node test/history/make-golden-history.ts CHECKOUT`. test/fixtures/histories/README.md says how it is used.

const [, , checkout = '.'] = process.argv
const of = async (path: string) => import(pathToFileURL(resolve(checkout, path)).href)
const { openFleetFixture, at } = await of('test/audit/fleet-fixture.ts')
const { policyOf } = await of('test/audit/audit-harness.ts')
const { openSqliteHistory } = await of('src/history/sqlite/sqlite-history.ts')
const edits = await of('src/demo/edits.ts')

const fixture = await openFleetFixture({
  fleet: { clean: false, projects: 2, incomingEvery: 2, endpointsPerProject: 5, sourcesPerProject: 3 },
})
const { fleet, service, harness } = fixture
const [outgoing, incoming] = fleet.projects().map(({ uid }: { uid: string }) => uid)
const endpoint = (index: number) => ({ project: outgoing, uid: at(fleet.open(outgoing).endpoints, index).uid })
const policyYaml = `
extends: [recommended]
waivers:
  - rule: endpoint/url-not-https
    match: { project: acme/payments }
    owner: payments
    reason: it is moved next quarter
    expires: 2027-03-31
`
const reports: unknown[] = []
const audit = async (turn = {}) => reports.push(await fixture.audit(turn))

await audit()
await audit()

// Drift of each type, violations that open, are reworded and are resolved.
edits.setEndpointStatus(fleet, endpoint(0), 'inactive')
edits.changeEndpoint(fleet, endpoint(1), (row: object) => ({
  ...row,
  http_timeout: 61,
  url: 'http://moved.example/in',
}))
edits.createEndpoint(fleet, outgoing, { name: 'new', url: 'http://new.example/in' })
edits.deleteSource(fleet, { project: incoming, uid: at(fleet.open(incoming).sources, 0).uid })
await audit()
edits.setEndpointStatus(fleet, endpoint(0), 'active')
edits.deleteEndpoint(fleet, endpoint(2))
edits.rotateSecret(fleet, endpoint(1))
await audit()

// Violations of a project that cannot be scanned: unknown.
service.failNext({ path: new RegExp(incoming), how: 'status', status: 500, times: Number.POSITIVE_INFINITY })
await audit()
service.faults.length = 0

// A run that is killed once it has drafted, found and closed as interrupted by the next.
await drafted()
await audit()
edits.changeEndpoint(fleet, endpoint(3), (row: object) => ({ ...row, description: 'changed at last' }))
// A waiver, so that the policy is scanned too, and another key, so that there is a notice.
await audit({ policy: policyOf(policyYaml), installationKey: 2 })
// And one that no later run has closed yet.
await drafted()

const db = new Database(harness.file)
const name = String(db.pragma('user_version', { simple: true })).padStart(4, '0')
db.pragma('wal_checkpoint(TRUNCATE)')
db.pragma('journal_mode = DELETE')
db.close()
const fixtures = join(import.meta.dirname, '../fixtures/histories')
writeFileSync(join(fixtures, `${name}.db.gz`), gzipSync(readFileSync(harness.file), { level: 9 }))
writeFileSync(
  join(fixtures, `${name}.reports.json.gz`),
  gzipSync(`${JSON.stringify(reports, null, 1)}\n`, { level: 9 }),
)
await fixture[Symbol.asyncDispose]()

async function drafted(): Promise<void> {
  harness.advance(3_600_000)
  const history = openSqliteHistory(harness.file, harness.owner)
  const time = new Date(harness.clock.now()).toISOString()
  const digests = { policyDigest: 'policy', configurationDigest: 'configuration', sealKeyId: 'key' }
  const draft = await history.begin({ startedAt: time, failOn: 'medium', toolVersion: '0.0.0', ...digests })
  const project = { name: 'acme/left', service: 'acme', uid: 'left' }
  const version = {
    kind: 'endpoint',
    uid: 'left',
    name: 'left',
    digest: hash('sha256', '{}'),
    body: '{}',
    facts: '',
    normaliser: 1,
  }
  await draft.stage(project, { seen: [], versions: [{ ...version, replaces: undefined }] })
  // Rows wait for others: asking what the run itself staged has them written.
  await draft.versionsAt?.(project, [{ kind: 'endpoint', uid: 'left', run: draft.run }])
  await history.close()
  harness.advance(3_600_000)
}
