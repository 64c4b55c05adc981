import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun, HistoryReader, Identity, VersionSpan } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { type Kind, maskedSeal, type ProjectRef } from '../model/resource.ts'
import { composeRepair } from '../repair/compose-repair.ts'
import type { Gateway } from '../repair/gateway.ts'
import { withoutSeals } from '../repair/placeholders.ts'
import type { RepairRequest } from '../repair/repair.ts'
import { isRepairable } from '../repair/request-fields.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { statingExtent } from './as-of.ts'
import { chooseFormerState } from './former-state.ts'
import { attributesOf, fieldsBetween } from './read-diff.ts'
import { resolveUid } from './resolve-uid.ts'
import type { Restoration, RestoreRow } from './restore-row.ts'
import { concludeRestore, introduceRestore, showRequests } from './show-restore.ts'

export interface RestoreQuery {
  /** A uid, a name, or a beginning of a uid. */
  readonly uid: string
  /** The run that the answer is as of. */
  readonly run: CommittedRun
  /** The run whose state is put back; undefined for the state before the last change. */
  readonly asked: CommittedRun | undefined
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly limit: number
  readonly gatewayOf: (project: ProjectRef) => Gateway
}

/**
 * The requests that put a resource back to an earlier state. Nothing is sent.
 * @throws AuditError.usage when the history has no such resource, or several; when it was not there in the run asked
 *   for; and for what hookdrift makes itself
 */
export async function readRestore(reader: HistoryReader, query: RestoreQuery): Promise<Answer<RestoreRow>> {
  const { run, asked, limit, gatewayOf } = query
  const identity = await findOne(reader, query)
  const { project, kind, uid } = identity
  const versions = await reader.versionsOf(identity, run.number)
  const last = versions.at(-1)
  const now = last?.toRun === null ? last : undefined
  const former = chooseFormerState(kind, versions, await reader.violationsOf(identity, run.number), asked)
  if (former === undefined && asked !== undefined) throw notThere(identity, versions, asked)
  const resource = { project, kind, uid, name: withoutSeals((now ?? last)?.name ?? '') }
  const isGone = now === undefined
  const gateway = gatewayOf(project)
  const repair =
    former !== undefined && isRepairable(kind)
      ? composeRepair({
          ...{ kind, projectUid: project.uid, uid, reserved: gateway.placeholders.map(({ name }) => name) },
          target: attributesOf(former.version),
          now: now === undefined ? undefined : attributesOf(now),
          changed: now === undefined ? [] : fieldsBetween(kind, former.version, now).map(({ path }) => path),
          gone: await goneReferences(reader, identity, former.version, run),
        })
      : { requests: [], left: [] }
  const restoration: Restoration = {
    ...{ resource, former, isGone, left: repair.left },
    dependents: isGone && last !== undefined ? await dependentsOf(reader, identity, last, run) : [],
    notes: former === undefined || now === undefined ? [] : notesOn(former.version, now),
  }
  return {
    command: 'restore',
    ...statingExtent(run, await reader.latestScans(run.number, project)),
    more: moreOf(restoration),
    remarks: introduceRestore(restoration, repair.requests.length),
    ...limited(
      repair.requests.map((request) => toRow(identity, request, gateway)),
      limit,
    ),
    conclusion: concludeRestore(restoration, repair.requests.length),
  }
}

async function findOne(reader: HistoryReader, { uid: named, run, projects, kind }: RestoreQuery): Promise<Identity> {
  const uid = await resolveUid(reader, named, { run: run.number, projects, kind })
  const found = (await reader.find(uid, run.number)).filter(
    (identity) => matchesProject(identity.project.name, projects) && (kind === undefined || identity.kind === kind),
  )
  const [one, ...others] = found
  if (one === undefined) {
    throw AuditError.usage(`the history up to run ${run.number} has no resource ${JSON.stringify(named)}`, {
      advice: '`hookdrift state --format csv` lists the resources; pruned runs are not in the history',
    })
  }
  if (others.length > 0) {
    const names = found.map(({ project, kind }) => `${project.name} ${kind}`).join(', ')
    throw AuditError.usage(`several resources have the uid ${uid}: ${names}`, {
      advice: 'choose with --project or --kind',
    })
  }
  if (!isRepairable(one.kind) && one.kind !== 'device') {
    throw AuditError.usage(`${uid} is a ${one.kind}: hookdrift makes it itself, and no request restores it`, {
      advice: 'name an endpoint, a subscription, a source or a project',
    })
  }
  return one
}

function notThere({ uid, kind }: Identity, versions: readonly VersionSpan[], asked: CommittedRun): AuditError {
  const spans = versions.map(({ fromRun, toRun }) =>
    toRun === null ? `since run ${fromRun}` : `${fromRun} to ${toRun - 1}`,
  )
  return AuditError.usage(`the history has no state of the ${kind} ${uid} in run ${asked.number}`, {
    advice: `it has states of runs ${spans.join(', ')}; \`hookdrift timeline ${uid}\` shows them`,
  })
}

/** References of a subscription to resources that are gone: once they are back, they have another uid. */
async function goneReferences(
  reader: HistoryReader,
  { project, kind }: Identity,
  version: VersionSpan,
  run: CommittedRun,
): Promise<('endpoint_uid' | 'source_uid')[]> {
  if (kind !== 'subscription') return []
  const attributes = attributesOf(version)
  const gone: ('endpoint_uid' | 'source_uid')[] = []
  for (const [attribute, kind] of [
    ['endpoint_uid', 'endpoint'],
    ['source_uid', 'source'],
  ] as const) {
    const uid = attributes[attribute]
    if (typeof uid !== 'string') continue
    const last = (await reader.versionsOf({ project, kind, uid }, run.number)).at(-1)
    if (last !== undefined && last.toRun !== null) gone.push(attribute)
  }
  return gone
}

/** Subscriptions that the same run removed: the service deletes them with their endpoint or source. */
async function dependentsOf(reader: HistoryReader, identity: Identity, last: VersionSpan, run: CommittedRun) {
  const referrers = await reader.referrersOf(identity, run.number)
  return referrers
    .filter(({ toRun }) => toRun !== null && toRun === last.toRun)
    .map(({ uid, name }) => ({ uid, name: withoutSeals(name) }))
}

/** What the comparison could not see. */
function notesOn(former: VersionSpan, now: VersionSpan): string[] {
  return [
    ...(former.sealKeyId === now.sealKeyId
      ? []
      : ['The two states were sealed under different installation keys: their secrets were not compared.']),
    ...(former.body.includes(maskedSeal)
      ? ['The service masks some secrets: whether they changed cannot be known.']
      : []),
  ]
}

function toRow({ project, kind, uid }: Identity, request: RepairRequest, gateway: Gateway): RestoreRow {
  const { method, path, body, purpose, restores, placeholders } = request
  const { baseUrl, placeholders: ofGateway } = gateway
  const { 'content-type': type = '', ...others } = gateway.headers
  return {
    ...{ project: project.name, kind, uid, purpose, method, url: `${baseUrl}${path}` },
    headers: body === null ? others : { ...others, 'content-type': type },
    body,
    placeholders: [
      ...ofGateway.map(({ name, hint }) => ({ name, path: null, hint })),
      ...placeholders.map(({ name, path, hint }) => ({ name, path, hint })),
    ],
    restores,
  }
}

function moreOf({ resource, former, isGone, left, dependents }: Restoration): Record<string, Json> {
  const { project, kind, uid, name } = resource
  return {
    resource: { project: project.name, kind, uid, name, is_gone: isGone },
    state:
      former === undefined
        ? null
        : {
            ...{ from_run: former.version.fromRun, from: former.version.from, to_run: former.version.toRun },
            ...{ to: former.version.to, basis: former.basis, rules: [...former.rules] },
          },
    left_to_you: left.map(({ path, reason }) => ({ path, reason })),
    dependents: dependents.map((dependent) => ({ kind: 'subscription', ...dependent })),
  }
}

export const restoreView: AnswerView<RestoreRow> = {
  columns: [
    ...(['project', 'kind', 'uid', 'purpose', 'method', 'url'] as const).map((name) => ({
      name,
      value: (row: RestoreRow) => row[name],
    })),
    { name: 'headers', value: ({ headers }) => ({ ...headers }) },
    { name: 'body', value: ({ body }) => body },
    { name: 'placeholders', value: ({ placeholders }) => placeholders.map((placeholder) => ({ ...placeholder })) },
    { name: 'restores', value: ({ restores }) => [...restores] },
  ],
  lines: showRequests,
  nothing: 'There is no request to print.',
}
