import { createEndpoint, deleteEndpoint, replaceSecret, updateEndpoint, updateSource } from './edits.ts'
import type { SimulatedFleet } from './fleet.ts'
import type { EndpointRow, ProjectRow, SourceRow } from './rows.ts'

/** One edit that a colleague makes between two runs. */
interface Edit {
  /** One line for the demo: who did what, in their own words. */
  readonly description: string
  /** `service/project`, as configured. */
  readonly project: string
  apply(): void
}

/**
 * Plans a colleague's afternoon: six edits, each harmless in the eyes of its maker, through the service's own
 * interface. All are planned at once, on resources without problems, and happen when applied.
 *
 * Needs a fleet with an outgoing and an incoming project, five endpoints and a source without problems.
 */
export function afternoonOf(fleet: SimulatedFleet): readonly Edit[] {
  const outgoing = firstProject(fleet, 'outgoing')
  const incoming = firstProject(fleet, 'incoming')
  const [renamed, limited, rotated, retired] = sound(fleet, outgoing)
  const source = soundSource(fleet, incoming)
  if (!renamed || !limited || !rotated || !retired || !source)
    throw new Error('the fleet is too small for an afternoon of edits')
  const at = ({ uid }: { readonly uid: string }) => ({ project: outgoing.uid, uid })
  const limits = ({ rate_limit, rate_limit_duration }: EndpointRow) => ({ rate_limit, rate_limit_duration })
  return [
    {
      description: `renames ${renamed.name} with an update that leaves its authentication out, which wipes it`,
      project: outgoing.name,
      apply: () =>
        updateEndpoint(fleet, at(renamed), {
          name: `${renamed.name}-v2`,
          url: renamed.url,
          description: renamed.description,
          ...limits(renamed),
        }),
    },
    {
      description: `halves the rate limit of ${limited.name} to ${limited.rate_limit / 2} and forgets the period: nothing is limited now`,
      project: outgoing.name,
      apply: () =>
        updateEndpoint(fleet, at(limited), {
          name: limited.name,
          url: limited.url,
          description: limited.description,
          authentication: limited.authentication,
          rate_limit: limited.rate_limit / 2,
        }),
    },
    {
      description: `replaces the signing secret of ${rotated.name} with one that is easy to remember`,
      project: outgoing.name,
      apply: () => replaceSecret(fleet, at(rotated), 'letmein'),
    },
    {
      description: `deletes ${retired.name}, and the service deletes its subscription with it`,
      project: outgoing.name,
      apply: () => deleteEndpoint(fleet, at(retired)),
    },
    {
      description: 'adds new-partner for a trial, on plain http',
      project: outgoing.name,
      apply: () =>
        void createEndpoint(fleet, outgoing.uid, {
          name: 'new-partner',
          url: 'http://hooks.new-partner.example.com/in',
        }),
    },
    {
      description: `switches the source ${source.name} off for a test and leaves it so`,
      project: incoming.name,
      apply: () => updateSource(fleet, { project: incoming.uid, uid: source.uid }, { is_disabled: true }),
    },
  ]
}

function firstProject(fleet: SimulatedFleet, type: ProjectRow['type']): ProjectRow {
  const project = fleet.projects().find((row) => row.type === type)
  if (project === undefined) throw new Error(`the fleet has no ${type} project`)
  return project
}

/** Endpoints that an edit makes worse: without problems so far, and with a subscription. */
function sound(fleet: SimulatedFleet, project: ProjectRow): readonly EndpointRow[] {
  const { endpoints, subscriptions } = fleet.open(project.uid)
  const values = endpoints.flatMap(({ secrets }) => secrets ?? []).map(({ value }) => value)
  const isShared = (row: EndpointRow) =>
    (row.secrets ?? []).some(({ value }) => values.filter((other) => other === value).length > 1)
  return endpoints.filter(
    (row) =>
      row.status === 'active' &&
      row.url.startsWith('https://hooks.') &&
      row.secrets?.length === 1 &&
      row.authentication !== null &&
      row.rate_limit_duration > 0 &&
      row.http_timeout <= 30 &&
      !isShared(row) &&
      subscriptions.some(({ endpoint_id }) => endpoint_id === row.uid),
  )
}

function soundSource(fleet: SimulatedFleet, project: ProjectRow): SourceRow | undefined {
  return fleet.open(project.uid).sources.find((row) => !row.is_disabled && row.verifier?.type === 'hmac')
}
