import { describe, expect, it } from 'vitest'
import { auditContained } from '../../src/audit/contain-bugs.ts'
import type { ProjectOutcome } from '../../src/audit/project-outcome.ts'
import { type AuditAll, labelsOf } from '../../src/audit/run-audit.ts'
import { changeEndpoint, replaceSecret, updateSource } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { reports as formats } from '../report/all-reports.ts'
import { type AuditTurn, openAuditHarness } from './audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'
import { liveThrough, policyOfThen } from './live-through.ts'

const fleet = { clean: false, projects: 3, incomingEvery: 3, endpointsPerProject: 12, baseTime: '2026-11-20T00:00:00Z' }
const render = { colour: false, width: 100, full: true }
const harness = { pageSize: 5, limits: { retries: 0 }, labels: { env: 'test' } }

/** Audits each project as if in a process of its own, the last one first; what is left of it crosses as text. */
function auditApart(crossed: string[]): AuditAll {
  return async ({ projects, policy }, run) => {
    const texts = new Map<string, string>()
    for (const project of projects.toReversed()) {
      const evaluator = createEvaluator(policy, run.now, labelsOf([project]), run.clock.now)
      texts.set(project.ref.name, JSON.stringify(await auditContained(project, { ...run, evaluator })))
    }
    crossed.push(...texts.values())
    return projects.map(({ ref }): ProjectOutcome => JSON.parse(texts.get(ref.name) ?? ''))
  }
}

/** The service numbers its answers; ids of rows are in the chain, and depend on the order in which projects are audited. */
function comparable(report: Report): Report {
  const text = JSON.stringify({ ...report, digests: { ...report.digests, chain: null } })
  return JSON.parse(text.replaceAll(/demo\/simulated-\d{6}/g, 'the answer'))
}

/** The same secrets, credentials and verifiers in several places, and an endpoint that a custom rule cannot evaluate. */
function share({ fleet: made }: FleetFixture): void {
  const [payments, orders, incoming] = made.projects().map(({ uid }) => uid) as [string, string, string]
  const endpoint = (project: string, index: number) => ({ project, uid: at(made.open(project).endpoints, index).uid })
  const authentication = {
    type: 'api_key' as const,
    api_key: { header_name: 'x-key', header_value: 'not-a-real-key-5b7e1c93' },
  }
  for (const [project, url] of [
    [payments, 'https://a.example.com/'],
    [orders, 'https://b.example.com/'],
  ] as const) {
    changeEndpoint(made, endpoint(project, 8), (row) => ({ ...row, url, authentication }))
    replaceSecret(made, endpoint(project, 9), 'not-a-real-secret-91c2')
  }
  const { verifier } = at(made.open(incoming).sources, 2)
  updateSource(made, { project: incoming, uid: at(made.open(incoming).sources, 0).uid }, { verifier })
  changeEndpoint(made, endpoint(orders, 11), (row) => ({ ...row, created_at: null }) as unknown as typeof row)
}

/** A service that shows the credentials of one endpoint as a number. */
const spoiling: NonNullable<AuditTurn['between']> = (name, client) => ({
  ...client,
  async *pages(listing, request) {
    for await (const page of client.pages(listing, request)) {
      const isFirst = name === 'payments' && listing === 'endpoints' && page.number === 1
      const [first, ...rest] = page.items
      yield isFirst && first !== undefined ? { ...page, items: [{ ...first, authentication: 5 }, ...rest] } : page
    }
  },
})

async function compare(fixture: FleetFixture, policies: Policy) {
  const projects = Object.fromEntries(fixture.fleet.projects().map(({ name, uid }) => [name, uid]))
  const crossed: string[] = []
  await using apart = openAuditHarness({
    projects,
    key: fixture.fleet.personalKey,
    ...harness,
    auditAll: auditApart(crossed),
  })
  const hour = 3_600_000
  const reports = await liveThrough(fixture, async (turn) => {
    const expected = comparable(await fixture.audit({ policy: policies, between: spoiling, ...turn }))
    const got = comparable(
      await apart.audit({ policy: policies, between: spoiling, url: fixture.service.url, ...turn }),
    )
    expect(got).toEqual(expected)
    expect(JSON.stringify(got)).toBe(JSON.stringify(expected))
    expect(formats.html(got, render)).toBe(formats.html(expected, render))
    for (const each of [fixture.harness, apart]) each.advance(14 * hour)
    return got
  })
  return { reports, crossed }
}

describe('a run that is concluded from values that crossed as JSON', () => {
  it('gives the same report to the byte, and no secret value crosses', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    share(fixture)
    const { reports, crossed } = await compare(fixture, policyOfThen)
    const rules = new Set(reports.flatMap(({ violations }) => violations.map(({ rule }) => rule)))
    for (const rule of ['endpoint/secret-shared', 'endpoint/auth-shared', 'source/verifier-shared', 'waiver/unused']) {
      expect(rules).toContain(rule)
    }
    const states = new Set(reports.flatMap(({ violations }) => violations.map(({ state }) => state)))
    expect([...states].sort()).toEqual(['continuing', 'opened', 'resolved', 'unknown', 'waived'])
    const failed = reports.flatMap(({ gaps }) => gaps.filter(({ cause }) => cause === 'rule_failed'))
    expect(new Set(failed.map(({ rule }) => rule))).toContain('acme/young')
    const doubted = crossed.flatMap((text) => Object.keys((JSON.parse(text) as ProjectOutcome).evaluation.doubts))
    expect(new Set(doubted)).toContain('endpoint/auth-shared')
    const secrets = fixture.fleet
      .projects()
      .flatMap(({ uid }) => fixture.fleet.open(uid).endpoints)
      .flatMap((row) => (Array.isArray(row.secrets) ? row.secrets.map(({ value }) => value) : []))
    expect(secrets.length).toBeGreaterThan(20)
    for (const secret of [...secrets, 'not-a-real-key-5b7e1c93', 'letmein']) {
      expect(crossed.filter((text) => text.includes(secret))).toEqual([])
    }
  })
})
