import { aSecret } from './generate-project.ts'
import type { Random } from './random.ts'
import type { EndpointRow, ProjectData, ProjectRow, SourceRow, SubscriptionRow } from './rows.ts'
import { timestamp } from './timestamp.ts'

interface Plot {
  readonly project: ProjectRow
  /** The project's index in its fleet: neighbours get different problems. */
  readonly turn: number
  readonly baseTimeMs: number
  readonly random: Random
}

/**
 * Plants problems in a few resources of a project. Two consecutive projects share out every problem, each resource has
 * at most one, and no more than a third of the resources has any.
 */
export function plantProblems(data: ProjectData, { project, turn, baseTimeMs, random }: Plot): ProjectData {
  const half = project.type === 'incoming' ? undefined : turn % 2
  const share = <Problem>(problems: readonly Problem[]) =>
    problems.filter((_, index) => half === undefined || index % 2 === half)
  return {
    endpoints: plant(data.endpoints, share(endpointProblems), { baseTimeMs, random }),
    subscriptions: plant(data.subscriptions, share(subscriptionProblems), { baseTimeMs, random }),
    sources: plant(data.sources, sourceProblems, { baseTimeMs, random }),
  }
}

interface PlantingContext {
  readonly baseTimeMs: number
  readonly random: Random
}

/** `neighbour` is another resource that remains unchanged. */
type PlantedProblem<Row> = (row: Row, neighbour: Row, context: PlantingContext) => Row

const endpointProblems: readonly PlantedProblem<EndpointRow>[] = [
  (row) => ({ ...row, secrets: [] }),
  (row) => ({ ...row, url: row.url.replace('https:', 'http:') }),
  (row, _, { baseTimeMs, random }) => ({ ...row, secrets: rotatedBadly(row, baseTimeMs, random) }),
  (row) => ({ ...row, url: 'https://169.254.169.254/latest/meta-data' }),
  (row, neighbour) => ({ ...row, secrets: withValueOf(row, neighbour) }),
  (row) => ({ ...row, rate_limit_duration: 0 }),
  (row) => ({ ...row, status: 'inactive', failure_rate: 83.33333333333334, cb_state: 'open' }),
  (row) => ({ ...row, status: 'paused' }),
  (row) => ({ ...row, secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value: 'changeme' })) }),
  (row) => ({ ...row, http_timeout: 120 }),
]

const subscriptionProblems: readonly PlantedProblem<SubscriptionRow>[] = [
  (row) => ({ ...row, retry_config: { type: 'linear', duration: 1, retry_count: 100 } }),
  (row) => ({ ...row, delivery_mode: 'at_most_once' }),
  (row) => ({ ...row, filter_config: { ...row.filter_config, event_types: ['*'] } }),
]

const sourceProblems: readonly PlantedProblem<SourceRow>[] = [
  (row) => ({ ...row, is_disabled: true }),
  (row) => ({ ...row, verifier: null }),
  (row) => ({
    ...row,
    verifier: {
      type: 'hmac',
      hmac: { header: 'X-Signature', hash: 'MD5', secret: 'changeme', encoding: 'hex' },
      basic_auth: null,
      api_key: null,
    },
  }),
]

function plant<Row>(
  rows: readonly Row[],
  problems: readonly PlantedProblem<Row>[],
  context: PlantingContext,
): readonly Row[] {
  const planted = [...rows]
  const indexes = context.random.shuffled([...rows.keys()])
  const untouched = rows[indexes.at(-1) ?? 0]
  for (const [turn, problem] of problems.slice(0, Math.ceil(rows.length / 3)).entries()) {
    const index = indexes[turn] ?? 0
    const row = rows[index]
    if (row !== undefined && untouched !== undefined) planted[index] = problem(row, untouched, context)
  }
  return planted
}

/** The old secret expired ten days ago and still signs. */
function rotatedBadly(row: EndpointRow, baseTimeMs: number, random: Random): EndpointRow['secrets'] {
  const timeMs = baseTimeMs - 10 * 86_400_000
  const old = (row.secrets ?? []).map((secret) => ({ ...secret, expires_at: timestamp(timeMs, '77') }))
  return [...old, aSecret(timeMs - 86_400_000, random)]
}

function withValueOf(row: EndpointRow, neighbour: EndpointRow): EndpointRow['secrets'] {
  const value = neighbour.secrets?.[0]?.value ?? ''
  return (row.secrets ?? []).map((secret) => ({ ...secret, value }))
}
