import { afternoonOf } from '../../src/demo/colleague.ts'
import { changeEndpoint, replaceSecret, setEndpointStatus, updateSource } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { Report, ReportViolation } from '../../src/model/report.ts'
import { dayMs } from '../../src/model/time.ts'
import { severities } from '../../src/model/violation.ts'
import { policyOf } from '../../test/audit/audit-harness.ts'
import { openHistoryFixture } from '../../test/questions/history-fixture.ts'

const days = 90
/** One violation is fixed every so many days. */
const daysToFix = 3
/** The colleague makes a mistake every so many days, the worst one today. */
const daysToMistake = 5

/**
 * Three months of daily audits that end now: violations are opened, fixed, waived and become overdue, a state is
 * approved, a colleague makes six mistakes, and at last a project cannot be scanned.
 */
export async function playMonths() {
  const startsAt = new Date(Date.now() - days * dayMs - 120_000).toISOString()
  const story = await openHistoryFixture({
    fleet: {
      clean: false,
      projects: 4,
      incomingEvery: 3,
      endpointsPerProject: 12,
      sourcesPerProject: 4,
      baseTime: startsAt,
    },
    harness: { startsAt },
  })
  const { fleet, service, harness } = story.fixture
  const mistakes = afternoonOf(fleet)
  const failing = fleet.projects().at(-1)?.uid ?? ''
  let policy = policyOf(policyText(''))
  let report = await story.fixture.audit({ policy })
  policy = policyOf(policyText(waiverOf(report)))
  for (let day = 1; day <= days; day++) {
    harness.advance(dayMs - 60_000)
    if (day % daysToFix === 0) fixOne(fleet, report)
    if (day % 3 === 0) tuneOne(fleet, day)
    if ((days - day) % daysToMistake === 0) mistakes[(days - day) / daysToMistake]?.apply()
    if (day === days) {
      service.failNext({ how: 'status', status: 401, path: new RegExp(failing), times: Number.POSITIVE_INFINITY })
    }
    report = await story.fixture.audit({ policy })
    if (day === days / 2) await story.rows("baseline approve --note 'reviewed with the owners' --by platform --yes")
  }
  return story
}

function policyText(waivers: string): string {
  return `extends: [recommended]
rules: { endpoint/url-test-host: off, project/vanished: off }
due: { critical: 2d, high: 14d, medium: 45d }
${waivers}`
}

function waiverOf({ violations }: Report): string {
  const waived = violations.find(({ rule }) => rule === 'subscription/target-not-active')
  const end = new Date(Date.now() + 12 * dayMs).toISOString().slice(0, 10)
  return `waivers:
  - { rule: subscription/target-not-active, match: { uid: ${waived?.uid} }, owner: payments team, reason: moves to another endpoint with ticket 4711, expires: ${end} }
`
}

type Fix = (fleet: SimulatedFleet, place: { readonly project: string; readonly uid: string }) => void

const useTls: Fix = (fleet, place) =>
  changeEndpoint(fleet, place, (row) => ({ ...row, url: row.url.replace('http:', 'https:') }))
const renewSecret: Fix = (fleet, place) => replaceSecret(fleet, place)
const switchOn: Fix = (fleet, place) => setEndpointStatus(fleet, place, 'active')

/** What owners do about a violation of these rules. */
const fixes: Readonly<Record<string, Fix>> = {
  'endpoint/auth-over-http': useTls,
  'endpoint/url-not-https': useTls,
  'endpoint/url-metadata-address': (fleet, place) =>
    changeEndpoint(fleet, place, (row) => ({ ...row, url: `https://hooks.${row.owner_id}.example.com/in` })),
  'endpoint/secret-weak': renewSecret,
  'endpoint/secret-missing': renewSecret,
  'endpoint/secret-shared': renewSecret,
  'endpoint/inactive': switchOn,
  'endpoint/timeout-high': (fleet, place) => changeEndpoint(fleet, place, (row) => ({ ...row, http_timeout: 20 })),
  'endpoint/rate-limit-ineffective': (fleet, place) =>
    changeEndpoint(fleet, place, (row) => ({ ...row, rate_limit: 100, rate_limit_duration: 60 })),
  'source/disabled': (fleet, place) => updateSource(fleet, place, { is_disabled: false }),
  'source/unverified': (fleet, place) =>
    updateSource(fleet, place, {
      verifier: {
        type: 'basic_auth',
        basic_auth: { username: 'bank', password: 'not-a-real-key' },
        hmac: null,
        api_key: null,
      },
    }),
}

/** An owner fixes a violation: the worst first, and of those the one that is open longest. */
function fixOne(fleet: SimulatedFleet, { violations }: Report): void {
  const open = violations.filter(({ rule, state }) => state === 'continuing' && rule in fixes)
  const [next] = open.sort(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      Date.parse(a.first_seen) - Date.parse(b.first_seen),
  )
  if (next !== undefined) fixes[next.rule]?.(fleet, placeOf(fleet, next))
}

function placeOf(fleet: SimulatedFleet, { project, uid }: ReportViolation) {
  const found = fleet.projects().find(({ name }) => `acme/${name}` === project)
  return { project: found?.uid ?? '', uid }
}

/** An owner changes a setting that breaks no rule. */
function tuneOne(fleet: SimulatedFleet, day: number): void {
  const projects = fleet.projects()
  const project = projects[day % projects.length]?.uid ?? ''
  const { endpoints } = fleet.open(project)
  const endpoint = endpoints[(day * 7) % endpoints.length]
  if (endpoint === undefined) return
  changeEndpoint(fleet, { project, uid: endpoint.uid }, (row) => ({
    ...row,
    description: `events for ${row.owner_id}, reviewed on day ${day}`,
  }))
}
