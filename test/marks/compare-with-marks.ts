import { approvalsOf } from '../../src/audit/approve-run.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { History } from '../../src/history/history.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import type { Report, ReportViolation } from '../../src/model/report.ts'
import { composeAcceptances } from '../../src/queries/compose-acceptances.ts'
import type { Filters } from '../../src/service/settings.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { disturb } from '../oracle/random-faults.ts'
import { randomPolicy, withoutSome } from '../oracle/random-policy.ts'
import { openTwins } from './twin-histories.ts'

/** What a world showed. */
export interface ComparedWorld {
  readonly runs: number
  /** Items that services listed, and versions that marks recognised. */
  readonly items: number
  readonly recognised: number
  /** Where a run with marks differs from the one without; empty when nothing does. */
  readonly differences: readonly string[]
}

type Harness = ReturnType<typeof openTwins>['both'][number]

/**
 * A random fleet, audited several times while it changes and breaks, by two histories: one whose runs recognise what did
 * not change, and one whose runs read everything. Every report and every row must be the same.
 */
export async function compareWithMarks(seed: string): Promise<ComparedWorld> {
  const random = createRandom(`marks/${seed}`)
  const fleet = generateFleet({
    seed,
    projects: 1 + random.below(2),
    incomingEvery: random.pick([1, 2, 2, 3]),
    endpointsPerProject: random.pick([4, 8, 8, 14]),
    ...(random.chance(0.4) && { subscriptionsPerProject: random.pick([4, 20]) }),
    sourcesPerProject: random.pick([1, 3, 5]),
    clean: random.chance(0.5),
  })
  await using service = await startSimulatedService(fleet, {
    release: random.pick(['older', 'seed', 'seed', 'later']),
    now: () => Date.parse('2026-11-21T03:00:00Z'),
  })
  service.behaviour.offers = { ...service.behaviour.offers, sources: random.chance(0.7), project: random.chance(0.75) }
  const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
  const options = { projects, key: fleet.personalKey, limits: { retries: 1 } }
  using twins = openTwins(options)

  let rules = randomPolicy(random)
  let extras = extrasOf(random)
  let filters: Filters = {}
  let pageSize = random.pick([2, 3, 5, 20])
  let labels: Record<string, string> = {}
  let [installationKey, toolVersion, configurationDigest] = [1, '0.0.0', 'configuration']
  let runs = 0
  let items = 0
  let recognised = 0
  for (let left = 4 + random.below(5); left > 0; left--) {
    for (let edits = random.pick([0, 0, 1, 1, 2, 8]); edits > 0; edits--) editAtRandom(fleet, random)
    if (random.chance(0.25)) disturb(service, random)
    else service.faults.length = 0
    if (random.chance(0.06)) rules = random.chance(0.5) ? randomPolicy(random) : withoutSome(rules, random)
    if (random.chance(0.06)) extras = extrasOf(random)
    if (random.chance(0.05))
      filters = random.pick<Filters>([{}, { endpoints: { name: 'e' } }, { subscriptions: { name: 'i' } }])
    if (random.chance(0.08)) pageSize = random.pick([2, 3, 5, 20])
    if (random.chance(0.05)) labels = random.pick<Record<string, string>>([{}, { env: 'prod' }, { env: 'test' }])
    if (random.chance(0.03)) installationKey = random.pick([1, 2])
    if (random.chance(0.03)) toolVersion = random.pick(['0.0.0', '0.0.1'])
    if (random.chance(0.03)) configurationDigest = random.pick(['configuration', 'another'])
    const passes = random.pick([0, 0, 600_000, 5 * hour, 26 * hour, 8 * 24 * hour, -2 * hour])
    twins.advance(passes)
    const names = Object.keys(projects)
    const chosen = random.chance(0.1) ? names.filter(() => random.chance(0.6)) : names
    const turn: AuditTurn = {
      url: service.url,
      policy: policyOf(JSON.stringify({ extends: [], rules, ...extras })),
      only: chosen.map((name) => `acme/${name}`),
      ...{ filters, pageSize, labels, installationKey, toolVersion, configurationDigest },
      acceptsRemovals: random.chance(0.1),
      usesMarks: !random.chance(0.05),
    }
    const faults = service.faults.map((fault) => ({ ...fault }))
    const run = await twins.audit(turn, () => service.faults.splice(0, service.faults.length, ...faults))
    runs++
    recognised += run.recognised
    items += run.report.coverage.reduce((sum, { items: count }) => sum + count, 0)
    if (run.differences.length > 0) return { runs, items, recognised, differences: [`run ${runs}`, ...run.differences] }
    await decideAtRandom(twins.both, run.report, random)
  }
  return { runs, items, recognised, differences: [] }
}

const hour = 3_600_000

/** Waivers, overrides and rules of the file's own: what marks must notice. */
function extrasOf(random: Random) {
  const expires = random.pick(['2026-11-21T04:00:00Z', '2026-11-22', '2026-11-30', '2027-03-31'])
  const waiver = { owner: 'payments', reason: 'moves', expires }
  return {
    ...(random.chance(0.5) && {
      waivers: [
        { ...waiver, rule: random.pick(['endpoint/*', 'endpoint/inactive', 'subscription/*']), match: { name: '*e*' } },
        {
          ...waiver,
          rule: random.pick(['source/*', 'endpoint/secret-shared']),
          match: { service: 'acme' },
          expires: '2026-12-24',
        },
      ],
    }),
    ...(random.chance(0.4) && {
      overrides: [
        { match: { name: random.pick(['*a*', '*o*']) }, rules: { 'endpoint/timeout-low': { severity: 'critical' } } },
        { match: { labels: { env: 'prod' } }, rules: { 'endpoint/url-not-https': 'off', 'endpoint/orphan': 'off' } },
      ],
    }),
    ...(random.chance(0.5) && { custom: [customRule(random)] }),
  }
}

/** A rule of the policy file: about one resource or several, with the time or without. */
function customRule(random: Random): object {
  const custom = { severity: 'medium', message: 'found' }
  const days = random.pick([10, 20, 30, 45, 60, 90])
  return random.pick<object>([
    { ...custom, id: 'acme/young', kind: 'endpoint', assert: `age(resource.created_at) < days(${days})` },
    { ...custom, id: 'acme/young-source', kind: 'source', assert: `age(resource.created_at) < days(${days})` },
    { ...custom, id: 'acme/target', kind: 'subscription', assert: "endpoint.status == 'active'" },
    { ...custom, id: 'acme/young-target', kind: 'subscription', assert: `age(endpoint.created_at) < days(${days})` },
    { ...custom, id: 'acme/used', kind: 'endpoint', assert: 'subscriptions > 1' },
    { ...custom, id: 'acme/failing', kind: 'subscription', assert: 'endpoint.failure_rate < 20.0' },
  ])
}

/** Between two runs, people decide: alike in both histories. */
async function decideAtRandom(both: readonly Harness[], report: Report, random: Random): Promise<void> {
  const what = random.pick([
    'nothing',
    'nothing',
    'nothing',
    'nothing',
    'approve',
    'revoke',
    'accept',
    'take back',
    'prune',
  ])
  if (what === 'nothing') return
  const chosen = random.pick([0, 1, 2])
  for (const { file, owner } of both) {
    const history = openSqliteHistory(file, owner)
    const signature = { by: 'ops', at: new Date(owner.now()).toISOString(), note: '' }
    try {
      if (what === 'approve') {
        const run = await history.lastRun()
        const approvals =
          run === undefined ? [] : await approvalsOf(history, run, () => true, signature).catch(() => [])
        await history.approve(approvals)
      } else if (what === 'revoke') {
        const active = (await history.approvals()).filter(({ revoked }) => revoked === undefined)
        await history.revoke(
          active.slice(0, 1).map(({ id }) => id),
          signature,
        )
      } else if (what === 'accept') {
        const violation = report.violations.filter(({ state }) => state === 'continuing' || state === 'opened')[chosen]
        if (violation !== undefined) await acceptOne(history, violation)
      } else if (what === 'take back') {
        const [one] = (await history.acceptances()).filter(({ revoked }) => revoked === undefined)
        if (one !== undefined) await history.revokeAcceptances([one.id], signature)
      }
    } finally {
      await history.close()
    }
    if (what === 'prune') {
      await sqliteUpkeep(file, owner).prune({ keep: { ...keepNothing, last: 2 }, options: {}, toolVersion: '0.0.0' })
    }
  }
}

async function acceptOne(history: History, violation: ReportViolation): Promise<void> {
  const run = (await history.lastRun())?.number ?? 0
  const scanned = (await history.latestScans(run)).find((scan) => scan.project.name === violation.project)
  if (scanned === undefined) return
  const at = new Date(Date.parse('2026-11-22T00:00:00Z')).toISOString()
  const accepted = [{ ...violation, scanned: scanned.project }]
  await history.accept(await composeAcceptances(history, run, accepted, { reason: 'meant', by: 'ops', at }))
}
