import { canonicalJson } from '../../model/canonical-json.ts'
import { AuditError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { type Kind, type ProjectRef, projectKey, type ResourceKey, resourceKey } from '../../model/resource.ts'
import {
  type Amendment,
  type Approval,
  type Approvals,
  type ApprovedBody,
  type ApprovedResource,
  amendedIn,
  approvalInForce,
  approvalsByProject,
  type NewApproval,
  type ResourceIdentity,
  type ScopeByKind,
} from '../approvals.ts'
import type { HistoryReader } from '../reader.ts'
import { byKindAndUid } from '../report-order.ts'
import { parseFacts, type VersionPoint } from '../stored-body.ts'
import { type HistoryBackend, writeBetweenRuns } from './backend.ts'
import { projectIdSql, validAtSql } from './fragments.ts'
import { projectIdsOf } from './project-ids.ts'
import { underCurrentNames } from './scans.ts'
import type { Session, Transaction } from './session.ts'
import { revokeRows, type StoredSignature, withSignature } from './signatures.ts'
import { readVersionsAt } from './state-at.ts'

/** Every approval, revoked ones too, oldest first, each with the name that its project has by now. */
export function listApprovals(history: HistoryReader): Promise<readonly Approval[]> {
  return underCurrentNames(history, readApprovals)
}

/** The approved resources, by kind and uid. */
export async function readApprovedResources(
  history: HistoryReader,
  approval: Approval,
): Promise<readonly ApprovedResource[]> {
  return history.snapshot(async (transaction) => {
    const stored = await transaction.all<ApprovedRow>(storedSql, [approval.id])
    return [...(await readOfRun(transaction, approval)), ...stored].map(toApproved).sort(byKindAndUid)
  })
}

export function sqlApprovals(backend: HistoryBackend): Approvals {
  return {
    async approve(approvals) {
      await writeBetweenRuns(backend, {
        subject: 'the approval',
        work: (transaction) => writeApprovals(transaction, approvals),
        async isRecorded(transaction, last) {
          const rows = new Map((await readApprovals(transaction)).map((row) => [row.id, row]))
          return approvals.every(({ project, at, by }, index) => {
            const row = rows.get(last + index + 1)
            return row?.project.name === project.name && row.at === at && row.by === by
          })
        },
      })
    },
    revoke: (ids, signature) => revokeRows(backend, { table: 'approval', ids, ...signature }),
  }
}

interface StoredApproval extends StoredSignature {
  readonly id: number
  readonly service: string
  readonly uid: string
  readonly project: string
  readonly run: number | null
  readonly scopes: string
  readonly note: string
  readonly amendments: string | null
  readonly approves: string | null
  readonly confirms: number | null
}

const approvalsSql = `SELECT a.id, p.service, p.uid, a.project, a.run, a.scopes, a.note, a.amendments, a.approves, a.confirms,
    a.approved_at AS "at", a.approved_by AS "by", a.approved_as AS "osUser", a.revoked_at AS "revokedAt",
    a.revoked_by AS "revokedBy", a.revoked_as AS "revokedAs"
  FROM hookdrift.approval a JOIN hookdrift.project p ON p.id = a.project_id`

function toApproval({
  service,
  uid,
  project,
  run,
  scopes,
  amendments,
  approves,
  confirms,
  ...row
}: StoredApproval): Approval {
  return {
    ...withSignature(row),
    project: { name: project, service, uid },
    run: run ?? undefined,
    // Hookdrift wrote it.
    scopes: JSON.parse(scopes) as ScopeByKind,
    amendments: amendments === null ? undefined : (JSON.parse(amendments) as readonly Amendment[]),
    approves: approves === null ? undefined : (JSON.parse(approves) as readonly ResourceIdentity[]),
    confirms: confirms ?? undefined,
  }
}

async function readApprovals(session: Session): Promise<Approval[]> {
  return (await session.all<StoredApproval>(`${approvalsSql} ORDER BY a.id`)).map(toApproval)
}

/** Every approval of a project, revoked ones and confirmations too, oldest first. */
export async function listApprovalsOf(
  history: HistoryReader,
  { service, uid }: ProjectRef,
): Promise<readonly Approval[]> {
  const sql = `${approvalsSql} WHERE a.project_id = ${projectIdSql('$1', '$2')} ORDER BY a.id`
  return history.ask(async (session) => (await session.all<StoredApproval>(sql, [service, uid])).map(toApproval))
}

const approvedColumns = [
  ...['id', 'project_id', 'project', 'run', 'scopes', 'note', 'amendments', 'approves', 'confirms'],
  ...['approved_at', 'approved_by', 'approved_as'],
]
const resourceColumns = ['approval_id', 'kind', 'uid', 'name', 'body', 'seal_key_id']

/** Returns the last id before theirs. */
async function writeApprovals(transaction: Transaction, approvals: readonly NewApproval[]): Promise<number> {
  const projects = await projectIdsOf(
    transaction,
    approvals.map(({ project }) => project),
  )
  const recorded = await readApprovals(transaction)
  refuseOutdated(approvals, recorded)
  const last = recorded.at(-1)?.id ?? 0
  const json = (value: readonly ResourceIdentity[] | undefined) => (value === undefined ? null : JSON.stringify(value))
  const rows = approvals.map((approval, index) => [
    ...[last + index + 1, projects[index] ?? null, approval.project.name],
    ...['run' in approval.state ? approval.state.run : null, JSON.stringify(approval.scopes), approval.note],
    ...[json(approval.amendments), json(approval.approves), approval.confirms ?? null],
    ...[approval.at, approval.by, approval.osUser ?? null],
  ])
  await transaction.insert('approval', approvedColumns, rows)
  for (const [index, { state }] of approvals.entries()) {
    await transaction.insert(
      'approved_resource',
      resourceColumns,
      resourceRows(last + index + 1, state.resources ?? []),
    )
  }
  return last
}

/** What was compared with an approval that is not in force by now would name the wrong person. */
function refuseOutdated(approvals: readonly NewApproval[], recorded: readonly Approval[]): void {
  const byProject = approvalsByProject(recorded)
  for (const { project, follows } of approvals) {
    const inForce = approvalInForce(byProject.get(projectKey(project)) ?? [])?.id ?? null
    if (follows === undefined || follows === inForce) continue
    throw AuditError.usage(
      `nothing was approved: another person approved or revoked a state of ${project.name} meanwhile`,
      {
        advice: 'see `hookdrift baseline show --all`, then run the command again',
      },
    )
  }
}

/** One after the other: an import may have very many. */
function* resourceRows(approval: number, resources: readonly ApprovedResource[]) {
  for (const { kind, uid, name, attributes, sealKeyId } of resources) {
    yield [approval, kind, uid, name, canonicalJson(attributes), sealKeyId]
  }
}

/** A resource of an approved state as it is read. */
interface ApprovedRow {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly body: string
  /** Of what lies in a run. */
  readonly facts?: string
  readonly sealKeyId: string
}

function toApproved({ body, facts = '', ...row }: ApprovedRow): ApprovedResource {
  const { doubts } = parseFacts(facts)
  // Hookdrift wrote it as canonical JSON.
  return { ...row, attributes: JSON.parse(body) as JsonObject, ...(doubts && { doubts }) }
}

/** SQL of the resources that are stored with an approval; $1 is its id. */
const storedSql = `SELECT kind, uid, name, body, seal_key_id AS "sealKeyId" FROM hookdrift.approved_resource
  WHERE approval_id = $1`

/** SQL: a version of the project of an approval `a`, valid as of its run. */
const isOfRun = `v.project_id = a.project_id AND ${validAtSql('v', 'a.run')}`

/** Resources of the run whose state is approved, but for amended ones. */
async function readOfRun(session: Session, approval: Approval): Promise<readonly ApprovedRow[]> {
  if (approval.run === undefined) return []
  const rows = await session.all<ApprovedRow>(
    `SELECT v.kind, v.uid, v.name, v.body, v.facts, r.seal_key_id AS "sealKeyId"
     FROM hookdrift.approval a CROSS JOIN hookdrift.version v JOIN hookdrift.run r ON r.number = v.from_run
     WHERE a.id = $1 AND ${isOfRun}`,
    [approval.id],
  )
  const { isAmended } = amendedIn(approval)
  return rows.filter((row) => !isAmended(row))
}

/** Resources in an approved state, in the order asked; undefined where it does not hold one. */
export function readApprovedBodies(
  history: HistoryReader,
  approval: Approval,
  resources: readonly Pick<VersionPoint, 'kind' | 'uid'>[],
): Promise<readonly (ApprovedBody | undefined)[]> {
  return readStateBodies(history, approval, resources, (batch) => readStored(history, approval, batch))
}

/** The same of a state that need not be recorded. `storedOf`: resources that are stored with it. */
export async function readStateBodies<Identified extends Pick<VersionPoint, 'kind' | 'uid'>>(
  history: HistoryReader,
  state: Pick<Approval, 'run' | 'project' | 'amendments'>,
  resources: readonly Identified[],
  storedOf: (resources: readonly Identified[]) => Promise<ReadonlyMap<ResourceKey, ApprovedBody>>,
): Promise<readonly (ApprovedBody | undefined)[]> {
  const { run, project } = state
  const { isAmended } = amendedIn(state)
  const isStored = (resource: Identified) => run === undefined || isAmended(resource)
  const stored = await storedOf(resources.filter(isStored))
  const others = resources.filter((resource) => !isStored(resource))
  const points = others.map(({ kind, uid }) => ({ kind, uid, run: run ?? 0 }))
  const ofRun = points.length === 0 ? [] : await readVersionsAt(history, project, points)
  const versions = new Map(others.map((resource, at) => [resource, ofRun[at]]))
  return resources.map((resource) => stored.get(resourceKey(resource)) ?? versions.get(resource))
}

/** Resources that are stored with an approval. */
async function readStored(
  history: HistoryReader,
  { id }: Approval,
  resources: readonly Pick<ApprovedRow, 'kind' | 'uid'>[],
): Promise<ReadonlyMap<ResourceKey, ApprovedResource>> {
  if (resources.length === 0) return new Map()
  const values = [id, [...new Set(resources.map(({ kind }) => kind))], resources.map(({ uid }) => uid)]
  return history.ask(async (session) => {
    const rows = await session.all<ApprovedRow>(`${storedSql} AND kind = ANY($2) AND uid = ANY($3)`, values)
    return new Map(rows.map((row) => [resourceKey(row), toApproved(row)]))
  })
}

/** The resources of an approved state. */
export async function readApproved(history: HistoryReader, approval: Approval): Promise<readonly ResourceIdentity[]> {
  const read = (sql: string) => history.ask((session) => session.all<ResourceIdentity>(sql, [approval.id]))
  const stored = await read('SELECT kind, uid FROM hookdrift.approved_resource WHERE approval_id = $1')
  if (approval.run === undefined) return stored
  const ofRun = await read(
    `SELECT v.kind, v.uid FROM hookdrift.approval a CROSS JOIN hookdrift.version v WHERE a.id = $1 AND ${isOfRun}`,
  )
  const { isAmended } = amendedIn(approval)
  return [...ofRun.filter((resource) => !isAmended(resource)), ...stored]
}
