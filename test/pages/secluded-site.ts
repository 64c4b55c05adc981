import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { runAudit } from '../../src/audit/run-audit.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { projectScope } from '../../src/config/choose-projects.ts'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EndpointRow, ProjectData } from '../../src/demo/rows.ts'
import { readLocation } from '../../src/history/location.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { dayMs } from '../../src/model/time.ts'
import { noPlan, type SitePlan } from '../../src/pages/page.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { readAcceptable } from '../../src/questions/acceptances.ts'
import { composeAcceptances } from '../../src/questions/choose-acceptable.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { everything } from '../audit/discovery-fixture.ts'
import { at, type FleetFixture, openFleetFixture } from '../audit/fleet-fixture.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'
import { aStart } from '../history/samples.ts'

/** Is in every text about projects that readers must not know of. */
export const canary = 'canary'
const secluded = ['canary-vault', 'canary-merger']
const shown = ['acme/payments', 'acme/orders', 'acme/partner-*']

/** Of the site's runs. */
export const lastRun = 5

const sizes = { endpointsPerProject: 2, subscriptionsPerProject: 2, sourcesPerProject: 1 } satisfies FleetOptions

const policyFor = (waived: string, more: { readonly overrides?: string; readonly waivers?: string } = {}) =>
  policyOf(`
extends: [recommended]
rules: { endpoint/url-not-https: high, endpoint/inactive: medium, project/vanished: {}, project/unlisted: {}, service/url-not-https: off }
due: { high: 2d }
overrides:
  - { match: { project: [acme/payments${more.overrides === undefined ? '' : ', acme/canary-merger'}] }, rules: { endpoint/timeout-high: off } }
${more.overrides ?? ''}
waivers:
  - { rule: endpoint/url-not-https, match: { uid: ${waived} }, owner: payments, reason: moves, expires: 2026-12-24 }
${more.waivers ?? ''}`)

const ofSecluded = {
  overrides: '  - { match: { project: acme/canary-vault, name: "canary*" }, rules: { endpoint/url-not-https: off } }',
  waivers:
    '  - { rule: "endpoint/*", match: { project: acme/canary-merger }, owner: canary-owner, reason: canary-reason, expires: 2026-12-24, ticket: canary-ticket }',
}

/** Rows of a project with the canary in texts that people write. */
function marked({ endpoints, sources, subscriptions }: ProjectData): ProjectData {
  return {
    endpoints: endpoints.map((row, index) => ({
      ...row,
      name: `${canary}-${row.name}`,
      url: `http://${canary}-${index}.example/hook`,
      description: `${canary} described`,
      owner_id: `${canary}-owner`,
      support_email: `${canary}@example.com`,
    })),
    sources: sources.map((row) => ({ ...row, name: `${canary}-${row.name}` })),
    subscriptions: subscriptions.map((row) => ({ ...row, name: `${canary}-${row.name}` })),
  }
}

function addSecluded(fleet: SimulatedFleet) {
  const other = generateFleet({ ...sizes, seed: canary, projects: 2, incomingEvery: 2 })
  for (const [index, project] of other.projects().entries()) {
    const name = secluded[index] ?? ''
    fleet.add({ ...project, name, organisation_id: fleet.organisationId }, marked(other.open(project.uid)))
  }
}

interface SecludedOptions {
  /** Whether the projects that readers must not know of were ever there. */
  readonly hasSecluded: boolean
  /** Where the history is; default: in a file. */
  readonly database?: TestDatabase | undefined
}

/**
 * The site of five projects, of which two are for no reader of some projects, or of the same history as if these two had
 * never been: all else, runs and what people did between them, is alike to the millisecond.
 */
export async function openSecludedSite({ hasSecluded, database }: SecludedOptions) {
  const made = generateFleet({ ...sizes, projects: 3 })
  if (hasSecluded) addSecluded(made)
  // The secluded ones are listed first, so that what is said with the first project is said with one of them.
  const fleet = { ...made, projects: () => made.projects().toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  const scope = {
    gateways: [
      { service: 'acme', url: 'https://acme.example', projects: 'all', key: 'shared' },
      ...(hasSecluded
        ? [{ service: 'canary', url: 'https://canary.example', projects: 'named', key: 'single' } as const]
        : []),
    ],
    schedules: [{ name: hasSecluded ? 'canary' : 'all', cron: '0 3 * * *', timezone: 'UTC', intervalMs: dayMs }],
    schedule: hasSecluded ? 'canary' : 'all',
  } as const
  const ownerOf = () => ({ ...fixture.harness.owner, usesLocalClock: true })
  const fixture: FleetFixture = await openFleetFixture({
    fleet,
    harness: {
      limits: { retries: 0 },
      ...(database && { openHistory: () => openPostgresHistory(database.server, ownerOf()) }),
      conduct: (audit, dependencies) => runAudit({ ...audit, scope: { ...audit.scope, ...scope } }, dependencies),
    },
  })
  const { harness, service } = fixture
  const uidOf = (name: string) => fleet.projects().find((project) => project.name === name)?.uid ?? ''
  const change = (name: string, index: number, changed: Partial<EndpointRow>) => {
    const project = uidOf(name)
    const { uid } = at(fleet.open(project).endpoints, index)
    changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, ...changed }))
  }
  const waived = at(fleet.open(uidOf('payments')).endpoints, 1).uid
  const policy = policyFor(waived, hasSecluded ? ofSecluded : {})
  const audit = (turn: Parameters<FleetFixture['audit']>[0] = {}) => {
    harness.advance(dayMs)
    return fixture.audit({ policy, failOn: 'medium', list: everything(fixture), ...turn })
  }
  /** Takes a minute in any case. */
  const step = async (work: () => unknown) => {
    harness.advance(60_000)
    await work()
  }
  const whenSecluded = (work: () => unknown) => step(hasSecluded ? work : () => {})
  const uids = fleet.projects().flatMap(({ uid, name }) => {
    const { endpoints, sources, subscriptions } = fleet.open(uid)
    return name.includes(canary)
      ? [endpoints, sources, subscriptions]
          .flat()
          .map((row) => row.uid)
          .concat(uid)
      : []
  })
  const nowText = () => new Date(harness.clock.now()).toISOString()
  const note = (text: string, projects: readonly string[]) =>
    harness.withHistory((history) =>
      history.note({
        text,
        ref: null,
        projects,
        happenedAt: nowText(),
        signed: { by: text.includes(canary) ? canary : 'kim', at: nowText() },
      }),
    )
  const accept = async (project: string) => {
    await harness.withHistory(async (history) => {
      const run = (await findLastRun(history))?.number ?? 0
      const violation = at(
        (await readAcceptable(history)).filter((one) => one.project === project),
        0,
      )
      const signed = { reason: `${project} knows`, by: project, at: nowText() }
      await history.accept(await composeAcceptances(history, run, [violation], signed))
    })
  }

  change('payments', 0, { url: 'http://a.example/hook', owner_id: 'team' })
  change('payments', 1, { url: 'http://b.example/hook', owner_id: 'team' })
  await audit()
  await fixture.approve()
  await whenSecluded(() => accept('acme/canary-vault'))
  await step(() => accept('acme/payments'))
  await step(() => note('deployed', ['acme/payments']))
  await step(() => note('about all', []))
  await step(() => note('both', hasSecluded ? ['acme/canary-vault', 'acme/orders'] : ['acme/orders']))
  // Notes are numbered over all projects, as runs are: so these come last.
  await whenSecluded(() => note('canary deployed', ['acme/canary-vault']))
  change('payments', 0, { url: 'http://c.example/hook', http_timeout: 90 })
  change('orders', 0, { url: 'http://d.example/hook', owner_id: 'team' })
  await whenSecluded(() => {
    change('canary-vault', 0, { url: 'https://canary-moved.example/hook', http_timeout: 300 })
    const project = uidOf('canary-vault')
    deleteEndpoint(fleet, { project, uid: at(fleet.open(project).endpoints, 1).uid })
  })
  await audit()
  // Its process ends without a word.
  await step(() => harness.withHistory((history) => history.begin(aStart(nowText()))))
  await whenSecluded(() => {
    service.failNext({ how: 'bad-json', path: new RegExp(`${uidOf('canary-vault')}/endpoints`), page: 1, times: 99 })
    fleet.replace(uidOf('canary-merger'), { data: { endpoints: [], sources: [], subscriptions: [] } })
  })
  change('orders', 0, { url: 'https://d.example/hook' })
  await audit()
  fixture.mend()
  await whenSecluded(() => fleet.remove(uidOf('canary-merger')))
  change('orders', 1, { status: 'inactive' })
  await audit()
  await whenSecluded(() => note('canary later', ['acme/canary-vault']))

  const projects = fleet.projects().map(({ name, uid }) => ({ id: uid, name }))
  const services = [{ name: 'acme', url: 'https://acme.example', key: ['$', '{ACME_KEY}'].join(''), projects }]
  const config = join(harness.directory, 'hookdrift.yaml')
  writeFileSync(config, JSON.stringify({ services }))
  const schedule = { cron: '0 * * * *', timezone: 'UTC', jitterMs: 0, runTimeoutMs: 0 }
  const plan: SitePlan = {
    ...noPlan,
    configured: async () => ({
      expected: { named: projects.map(({ name }) => `acme/${name}`), isDiscovered: () => false },
      channels: hasSecluded ? [{ name: canary, type: 'slack' }] : [],
      schedules: [
        { ...schedule, name: 'all', projects: [] },
        { ...schedule, name: 'some', projects: ['orders', ...(hasSecluded ? ['acme/canary-vault'] : [])] },
        ...(hasSecluded ? [{ ...schedule, name: canary, projects: ['acme/canary-*'] }] : []),
      ],
    }),
    pool: async () => ({
      workers: [{ id: '1', host: canary, pid: 7, slots: 2, run: null, walks: ['acme/canary-vault'] }],
      tasks: [],
      oldestWaitS: null,
      run: undefined,
    }),
  }
  const history = await openExistingHistory(readLocation(database?.url ?? harness.file, harness.directory), {})
  const faults: unknown[] = []
  const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => harness.directory }
  const options = {
    history: async () => history,
    version: '1.2.3',
    isHostOfPort: () => true,
    plan,
    now: () => harness.clock.now(),
    api: createApi({ config }, terminal, '1.2.3'),
    onFault: (error: unknown) => faults.push(error),
  }
  const digests = await history.ask((session) =>
    session.all<Record<string, string>>("SELECT chain, policy_digest FROM hookdrift.run WHERE state = 'committed'"),
  )
  return {
    history,
    faults,
    api: options.api,
    now: options.now,
    /** Of the chain and the policy: they differ without anything that a reader could conclude from it. */
    digests: [...new Set(digests.flatMap(Object.values<string>))],
    /** Of all that is in secluded projects, and of these. */
    uids,
    vault: { service: 'acme', uid: uidOf('canary-vault') },
    /** As readers have it who must not know of two projects. */
    scopedHistory: history.within(projectScope(shown)),
    /** For readers of all projects. */
    whole: createSite(options),
    /** For readers who must not know of two of them. */
    scoped: createSite(scopeSite(options, shown)),
    async [Symbol.asyncDispose]() {
      await history.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

export type SecludedSite = Awaited<ReturnType<typeof openSecludedSite>>
