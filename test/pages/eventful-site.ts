import { approvalsOf } from '../../src/audit/approve-run.ts'
import { changeEndpoint, createEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import type { History } from '../../src/history/history.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { dayMs } from '../../src/model/time.ts'
import { readAcceptable } from '../../src/questions/acceptances.ts'
import { composeAcceptances } from '../../src/questions/choose-acceptable.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { aStart } from '../history/samples.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSiteOver } from './story-site.ts'

const policyFor = (waived: string, custom = '') =>
  policyOf(`
extends: []
rules: { endpoint/url-not-https: high, endpoint/inactive: {}, drift/url-host-changed: {}, waiver/expired: {}, waiver/expiring: {} }
due: { high: 2d }
waivers:
  - { rule: endpoint/url-not-https, match: { uid: ${waived} }, owner: payments, reason: moves, expires: 2026-11-26 }
  - { rule: endpoint/inactive, match: { uid: ${waived} }, owner: payments, reason: gone, expires: 2026-11-22 }
${custom}`)

interface EventfulOptions {
  /** What the service names endpoints, in the place of uids of its own. */
  readonly uids?: readonly string[]
  /** Who owns endpoints. */
  readonly owner?: string
}

/**
 * A site of four runs, of which the third was interrupted: resources came and went, a person accepted a violation, revoked
 * that and approved a state between the runs, a rule left the policy, and at last a project could not be scanned.
 */
export async function openEventfulSite({ uids = [], owner = 'team' }: EventfulOptions = {}) {
  const fixtureOfHistory = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 4, subscriptionsPerProject: 4 },
  })
  const { fixture } = fixtureOfHistory
  const { fleet, service, harness } = fixture
  const [first = '', second = ''] = fleet.projects().map((project) => project.uid)
  const place = (index: number) => ({ project: first, uid: at(fleet.open(first).endpoints, index).uid })
  const [insecure, waived, removed] = [place(0), place(1), place(2)]
  for (const uid of uids) {
    createEndpoint(fleet, first, { uid, name: `of ${uid}`, url: 'http://b.example/hook', owner_id: owner })
  }
  const custom = 'custom: [{ id: acme/named, kind: endpoint, assert: "false", severity: low, message: m }]'
  const audit = (policy = policyFor(waived.uid, custom)) => fixture.audit({ policy, failOn: 'medium' })
  /** As a person would between runs. */
  const write = (work: (history: History, at: string) => Promise<unknown>) => {
    harness.advance(60_000)
    return harness.withHistory((history) => work(history, new Date(harness.clock.now()).toISOString()))
  }
  const becomesInsecure = (which: typeof insecure, host: string) =>
    changeEndpoint(fleet, which, (row) => ({ ...row, url: `http://${host}.example/hook`, owner_id: owner }))

  becomesInsecure(insecure, 'a')
  await audit()
  harness.advance(dayMs)
  await write(async (history, now) => {
    const run = await findLastRun(history)
    if (run === undefined) throw new Error('one run, please')
    await history.approve(await approvalsOf(history, run, () => true, { by: 'kim', at: now, note: 'agreed' }))
  })
  becomesInsecure(waived, 'c')
  deleteEndpoint(fleet, removed)
  createEndpoint(fleet, second, { uid: 'added', name: 'added', url: 'http://d.example/hook', owner_id: owner })
  await audit()
  await write(async (history, now) => {
    const violation = at(
      (await readAcceptable(history)).filter((one) => one.uid === insecure.uid),
      0,
    )
    const run = (await findLastRun(history))?.number ?? 0
    const signed = { reason: 'known', by: 'kim', at: now }
    const accepted = await composeAcceptances(history, run, [violation], signed)
    // As it is, so that another value leaves it to be revoked.
    await history.accept(accepted.map((one) => ({ ...one, valueDigest: null })))
  })
  // Its process ends without a word.
  await write(async (history, now) => {
    await history.begin(aStart(now))
  })
  becomesInsecure(place(0), 'e')
  service.failNext({ how: 'bad-json', path: new RegExp(second), page: 1, times: 99 })
  await audit(policyFor(waived.uid))
  await write(async (history, now) => {
    const ids = (await listAcceptances(history)).map(({ id }) => id)
    await history.revokeAcceptances(ids, { by: 'lee', at: now })
  })
  return { ...(await openSiteOver(fixtureOfHistory)), directory: harness.directory, file: harness.file }
}
