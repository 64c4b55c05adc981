import { type Acceptance, type AcceptanceEnding, endedBy } from '../../../src/history/acceptances.ts'
import type { Approval, ApprovedBody } from '../../../src/history/approvals.ts'
import {
  type ActiveViolation,
  type Draft,
  type KnownVersion,
  type Modification,
  type NewVersion,
  type OldViolation,
  type ProjectHistory,
  type ReadingName,
  type StagedViolations,
  unscanned,
  type VersionText,
  type ViolationWithOrigin,
} from '../../../src/history/history.ts'
import { heartbeatMs, type LeaseOwner, leaseLost } from '../../../src/history/lease-owner.ts'
import type { ComposeNotifications } from '../../../src/history/notification-facts.ts'
import type { CompleteScans, RunContext, RunRecord, StagedChange } from '../../../src/history/records.ts'
import { compareText } from '../../../src/history/report-order.ts'
import { type PastReader, toStoredBody, type VersionPoint } from '../../../src/history/stored-body.ts'
import type { Coverage } from '../../../src/model/coverage.ts'
import type { Ending } from '../../../src/model/ending.ts'
import type { ExitCode } from '../../../src/model/errors.ts'
import type { ProjectNotice } from '../../../src/model/notice.ts'
import type { Kind, Listing, ProjectRef } from '../../../src/model/resource.ts'
import type { Severity } from '../../../src/model/violation.ts'
import { activeApprovalAt, approvalsAt, approvedResources } from './memory-approvals.ts'
import { memoryCompleteScans } from './memory-complete-scans.ts'
import { addMessages } from './memory-outbox.ts'
import { memoryPriorState } from './memory-prior-state.ts'
import {
  type Memory,
  noRows,
  projectKeyOf,
  type Rows,
  type RunRow,
  readRows,
  scannedProjects,
  type VersionRow,
  type ViolationRow,
  versionsAt,
} from './memory-rows.ts'

interface AcquiredMemoryLease {
  readonly run: RunRow
  readonly token: number
  readonly interrupted: readonly number[]
}

/** A run being written: additions are kept apart, endings are remembered, and the commit applies both. */
export class MemoryDraft implements Draft {
  readonly run: number
  readonly interrupted: readonly number[]
  readonly #memory: Memory
  readonly #start: RunRow
  readonly #token: number
  readonly #stopHeartbeat: () => void
  #added = noRows
  #context: RunContext | undefined
  readonly #confirmed = new Set<number>()
  readonly #endedVersions = new Set<number>()
  readonly #endedViolations = new Map<number, Ending>()
  readonly #endedAcceptances = new Map<number, AcceptanceEnding>()
  readonly #readings = new Map<string, string>()
  readonly #marks = new Map<string, { project: string; kind: Kind; uids: ReadonlySet<string> }>()

  constructor(memory: Memory, owner: LeaseOwner, { run, token, interrupted }: AcquiredMemoryLease) {
    this.run = run.number
    this.interrupted = interrupted
    this.#memory = memory
    this.#start = run
    this.#token = token
    this.#stopHeartbeat = owner.every(heartbeatMs, () => {
      if (memory.lease?.token !== token) return
      memory.lease = { ...memory.lease, heartbeatAt: new Date(owner.now()).toISOString() }
    })
  }

  async completeScansAt(project: ProjectRef, run: number): Promise<CompleteScans> {
    return memoryCompleteScans(
      this.#walks(project).filter((walk) => walk.run <= run),
      this.#memory.rows.runs,
    )
  }

  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    return scannedProjects(this.#memory.rows, projectKeyOf(project)).at(-1)
  }

  async previouslyWithheld(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined> {
    const hasEnded = ({ status }: Coverage) => status === 'complete' || status === 'suspect'
    const last = this.#walks(project).findLast((walk) => walk.listing === listing && hasEnded(walk))
    const held = this.#memory.rows.held.find(
      (row) => row.project === projectKeyOf(project) && row.listing === listing && row.run === last?.run,
    )
    return held?.uids
  }

  async historiesOf(
    projects: readonly ProjectRef[],
    since: string | undefined,
  ): Promise<ReadonlyMap<string, ProjectHistory>> {
    return new Map(projects.map((project) => [project.name, this.#historyOf(project, since)]))
  }

  #historyOf(project: ProjectRef, since: string | undefined): ProjectHistory {
    const shapes = this.#walks(project).flatMap(({ listing, shape }) => (shape === undefined ? [] : [[listing, shape]]))
    return {
      // The last one of a listing counts.
      shapes: Object.fromEntries(shapes),
      modifications: since === undefined ? [] : this.#modifiedSince(project, since),
      withOrigin: this.#violationsWithOrigin(project),
      isUnderOtherRules: this.#isUnderOtherRules(project),
    }
  }

  async current(project: ProjectRef): Promise<readonly KnownVersion[]> {
    const versions = this.#currentOf(project).map(({ id, kind, uid, name, fromRun, digest, sealKeyId }) => {
      return { id, kind, uid, name, fromRun, digest, sealKeyId }
    })
    return versions.sort((a, b) => (a.kind + a.uid < b.kind + b.uid ? -1 : 1))
  }

  async textsOf(versions: readonly number[]): Promise<ReadonlyMap<number, VersionText>> {
    const rows = this.#memory.rows.versions.filter(({ id }) => versions.includes(id))
    return new Map(rows.map(({ id, body, facts }) => [id, { body, facts }]))
  }

  async versionsAt(project: ProjectRef, points: readonly VersionPoint[]): ReturnType<PastReader['versionsAt']> {
    return versionsAt(this.#memory.rows, project, points)
  }

  async approved(project: ProjectRef): Promise<Approval | undefined> {
    return activeApprovalAt(this.#memory.rows, projectKeyOf(project))
  }

  async lastApproval(project: ProjectRef): Promise<Approval | undefined> {
    return approvalsAt(this.#memory.rows, projectKeyOf(project)).at(-1)
  }

  async approvedBodies(
    approval: Approval,
    resources: readonly Pick<VersionPoint, 'kind' | 'uid'>[],
  ): Promise<readonly (ApprovedBody | undefined)[]> {
    const all = approvedResources(this.#memory.rows, approval)
    return resources.map(({ kind, uid }) => all.find((resource) => resource.kind === kind && resource.uid === uid))
  }

  async approvedUids(approval: Approval, kind: Kind): Promise<readonly string[]> {
    const all = approvedResources(this.#memory.rows, approval)
    return all.filter((resource) => resource.kind === kind).map(({ uid }) => uid)
  }

  #modifiedSince(project: ProjectRef, time: string): readonly Modification[] {
    const { runs, changes } = this.#memory.rows
    const tooOld = runs.findLast(({ number, startedAt }) => number < this.run && startedAt < time)?.number ?? 0
    return changes
      .filter((row) => row.project === projectKeyOf(project) && row.change === 'modified' && row.run > tooOld)
      .map(({ run, kind, uid, fields }) => {
        return { kind, uid, run, at: runs[run - 1]?.startedAt ?? '', paths: fields.map(({ path }) => path) }
      })
  }

  async stage(project: ProjectRef, versions: readonly NewVersion[]): Promise<void> {
    const { sealKeyId, startedAt: since } = this.#start
    const rows = versions.map((version) => ({ ...version, ...this.#newRow(project), sealKeyId, since }))
    this.#add({ versions: [...this.#added.versions, ...rows] })
  }

  async reading(project: ProjectRef, name: ReadingName): Promise<string | undefined> {
    return this.#memory.readings.get(`${projectKeyOf(project)} ${name}`)
  }

  async stageReading(project: ProjectRef, name: ReadingName, body: string): Promise<void> {
    this.#readings.set(`${projectKeyOf(project)} ${name}`, body)
  }

  async stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void> {
    const rows = changes.map((change) => ({ ...change, run: this.run, project: projectKeyOf(project) }))
    this.#add({ changes: [...this.#added.changes, ...rows] })
  }

  async endVersions(_project: ProjectRef, versions: readonly number[]): Promise<void> {
    for (const id of versions) this.#endedVersions.add(id)
  }

  async referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const ended = this.#endsOf(this.#endedVersions, this.#added.versions)
    const drafted = this.#added.versions.filter(
      (row) => row.project === projectKeyOf(project) && row.kind === 'subscription',
    )
    const kept = this.#currentOf(project).filter(({ id, kind }) => kind === 'subscription' && !ended.has(id))
    const pairs = [...kept, ...drafted].map((row) => ({
      uid: row.uid,
      source: toStoredBody(row).attributes.source_uid,
    }))
    const used = sources.map((source): [string, string[]] => {
      const users = pairs.filter((pair) => pair.source === source).map(({ uid }) => uid)
      return [source, users.sort(compareText)]
    })
    return new Map(used.filter(([, users]) => users.length > 0))
  }

  async markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]> {
    const key = projectKeyOf(project)
    const active = this.#memory.rows.marks.filter(
      (mark) => mark.project === key && mark.kind === kind && mark.toRun === undefined,
    )
    const marked = new Set(active.map(({ uid }) => uid))
    this.#marks.set(`${key} ${kind}`, { project: key, kind, uids: new Set(uids) })
    return [...new Set(uids)].filter((uid) => !marked.has(uid))
  }

  async activeViolations(
    project: ProjectRef,
    kind: Kind,
    uids: readonly string[],
  ): Promise<readonly ActiveViolation[]> {
    const wanted = new Set(uids)
    return this.#activeViolations(project).filter((violation) => violation.kind === kind && wanted.has(violation.uid))
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    for (const id of confirmed) this.#confirmed.add(id)
    const rows = violations.map((violation) => ({
      ...violation,
      ...this.#newRow(project),
      firstRun: violation.firstRun ?? this.run,
    }))
    this.#add({ violations: [...this.#added.violations, ...rows] })
    for (const { replaces } of violations) if (replaces !== undefined) this.#confirmed.add(replaces)
  }

  async unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]> {
    return this.#activeViolations(project).filter(({ id }) => !this.#confirmed.has(id))
  }

  async unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>> {
    const wanted = new Set(rules)
    const found = new Map<string, readonly ActiveViolation[]>()
    for (const project of projects) {
      const ofProject = (await this.unconfirmedViolations(project)).filter(({ rule }) => wanted.has(rule))
      if (ofProject.length > 0) found.set(project.name, ofProject)
    }
    return found
  }

  async oldViolations(
    project: ProjectRef,
    before: Readonly<Partial<Record<Severity, string>>>,
  ): Promise<readonly OldViolation[]> {
    const drafted = this.#added.violations.filter((row) => row.project === projectKeyOf(project))
    const replaced = new Set(drafted.map(({ replaces }) => replaces))
    const kept = this.#activeViolations(project).filter(({ id }) => !replaced.has(id))
    const startOf = (run: number) => this.#memory.rows.runs[run - 1]?.startedAt ?? ''
    return [...kept, ...drafted.map(toActive)].flatMap((violation) => {
      const firstSeen = startOf(violation.firstRun)
      if (firstSeen >= (before[violation.severity] ?? '')) return []
      return [{ ...violation, firstSeen, ending: this.#endedViolations.get(violation.id) }]
    })
  }

  async endViolations(_project: ProjectRef, violations: ReadonlyMap<number, Ending>): Promise<void> {
    for (const [id, ending] of violations) this.#endedViolations.set(id, ending)
  }

  #violationsWithOrigin(project: ProjectRef): readonly ViolationWithOrigin[] {
    const { violations, acceptances, runs } = this.#memory.rows
    const own = violations.filter((row) => row.project === projectKeyOf(project))
    const startOf = (run: number) => runs[run - 1]?.startedAt ?? ''
    const isReopened = ({ id, fingerprint, ending, toRun }: ViolationRow) =>
      ending?.resolution === 'accepted' &&
      !own.some((row) => row.fingerprint === fingerprint && row.id > id) &&
      acceptances.some(
        (one) =>
          one.fingerprint === fingerprint &&
          one.ended === undefined &&
          (one.revoked === undefined || one.revoked.at > startOf(toRun ?? 0)),
      )
    return own.flatMap((row) => {
      const { originRun } = row
      if (originRun === undefined || !(row.toRun === undefined || isReopened(row))) return []
      return [{ ...toActive(row), originRun, firstSeen: startOf(row.firstRun), isActive: row.toRun === undefined }]
    })
  }

  async acceptancesOf(projects: readonly ProjectRef[]): Promise<ReadonlyMap<string, readonly Acceptance[]>> {
    const open = this.#endedByRun(this.#memory.rows.acceptances).filter(({ revoked }) => revoked === undefined)
    const found = projects.map((project): [string, readonly Acceptance[]] => {
      return [project.name, open.filter((row) => projectKeyOf(row.project) === projectKeyOf(project))]
    })
    return new Map(found.filter(([, ofProject]) => ofProject.length > 0))
  }

  async endAcceptances(_project: ProjectRef, acceptances: ReadonlyMap<number, AcceptanceEnding>): Promise<void> {
    for (const [id, ending] of acceptances) this.#endedAcceptances.set(id, ending)
  }

  #endedByRun(acceptances: readonly Acceptance[]): readonly Acceptance[] {
    return acceptances.map((acceptance) => endedBy(acceptance, this.#endedAcceptances, this.#start.startedAt))
  }

  #isUnderOtherRules(project: ProjectRef): boolean {
    const { runs, scans } = this.#memory.rows
    const last = scans.findLast((scan) => scan.project === projectKeyOf(project) && scan.run < this.run)
    const [before, now] = [runs[(last?.run ?? 0) - 1], runs[this.run - 1]]
    const isSame = (member: 'policyDigest' | 'configurationDigest' | 'toolVersion') =>
      before?.[member] === now?.[member]
    return before !== undefined && !(isSame('policyDigest') && isSame('configurationDigest') && isSame('toolVersion'))
  }

  async stageScan(project: ProjectRef): Promise<void> {
    const scan = { run: this.run, project: projectKeyOf(project), name: project.name }
    this.#add({ scans: [...this.#added.scans.filter((one) => one.project !== scan.project), scan] })
  }

  async stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void> {
    const walk = { ...coverage, run: this.run, project: projectKeyOf(project), shape }
    this.#requireLease()
    if (!this.#added.scans.some((scan) => scan.project === walk.project)) throw unscanned(project)
    const others = this.#added.walks.filter((one) => one.project !== walk.project || one.listing !== walk.listing)
    this.#add({ walks: [...others, walk] })
  }

  async stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void> {
    const row = { ...notice, run: this.run, project: project === undefined ? null : projectKeyOf(project) }
    this.#add({ notices: [...this.#added.notices, row] })
  }

  async stageContext(context: RunContext): Promise<void> {
    this.#requireLease()
    // A copy, as a file would hold it.
    this.#context = structuredClone(context)
  }

  async withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void> {
    this.#add({ held: [...this.#added.held, { run: this.run, project: projectKeyOf(project), listing, uids }] })
  }

  async discard(project: ProjectRef): Promise<void> {
    const key = projectKeyOf(project)
    const isOther = (row: { project: string | null }) => row.project !== key
    this.#add({
      versions: this.#added.versions.filter(isOther),
      changes: this.#added.changes.filter(isOther),
      violations: this.#added.violations.filter(isOther),
      held: this.#added.held.filter(isOther),
      notices: this.#added.notices.filter(isOther),
    })
    for (const { id, project } of this.#memory.rows.versions) {
      if (project === key) this.#endedVersions.delete(id)
    }
    for (const { id, project } of this.#memory.rows.violations) {
      if (project === key) for (const ids of [this.#confirmed, this.#endedViolations]) ids.delete(id)
    }
    for (const { id, project } of this.#memory.rows.acceptances) {
      if (projectKeyOf(project) === key) this.#endedAcceptances.delete(id)
    }
    for (const name of ['filters', 'items']) this.#readings.delete(`${key} ${name}`)
    for (const [name, marks] of this.#marks) if (marks.project === key) this.#marks.delete(name)
  }

  async commit(
    finishedAt: string,
    exitCodeOf: (record: RunRecord) => ExitCode,
    compose?: ComposeNotifications,
  ): Promise<RunRecord> {
    this.#stopHeartbeat()
    this.#requireLease()
    const context = this.#context === undefined ? {} : { context: this.#context }
    const run: RunRow = { ...this.#start, ...context, state: 'committed', finishedAt }
    const rows = this.#joined(run)
    const record = readRows(rows, run)
    const exitCode = exitCodeOf(record)
    const messages = compose?.(record, memoryPriorState(rows, record, this.#memory)) ?? []
    this.#end(rows, { ...run, exitCode })
    this.#enqueue(messages, finishedAt)
    for (const [key, body] of this.#readings) this.#memory.readings.set(key, body)
    return record
  }

  #enqueue(messages: ReturnType<ComposeNotifications>, at: string): void {
    const { unnotified, outbox } = this.#memory
    for (const { project } of this.#added.scans) {
      if (messages !== 'later') unnotified.delete(project)
      else unnotified.set(project, unnotified.get(project) ?? this.run)
    }
    if (messages !== 'later') addMessages(outbox, messages, at)
  }

  async abandon(finishedAt: string): Promise<void> {
    this.#stopHeartbeat()
    if (this.#memory.lease?.token !== this.#token) return
    this.#end(this.#memory.rows, { ...this.#start, state: 'interrupted', finishedAt })
  }

  #walks(project: ProjectRef): Rows['walks'] {
    return this.#memory.rows.walks.filter((walk) => walk.project === projectKeyOf(project))
  }

  /** Versions that were current before this run. */
  #currentOf(project: ProjectRef): VersionRow[] {
    const key = projectKeyOf(project)
    return this.#memory.rows.versions.filter((version) => version.project === key && version.toRun === undefined)
  }

  #activeViolations(project: ProjectRef): ActiveViolation[] {
    const rows = this.#memory.rows.violations.filter(
      (row) => row.project === projectKeyOf(project) && row.toRun === undefined,
    )
    return rows.map(toActive)
  }

  #newRow(project: ProjectRef): { id: number; project: string; fromRun: number } {
    this.#memory.lastId += 1
    return { id: this.#memory.lastId, project: projectKeyOf(project), fromRun: this.run }
  }

  #add(rows: Partial<Rows>): void {
    this.#requireLease()
    this.#added = { ...this.#added, ...rows }
  }

  #requireLease(): void {
    if (this.#memory.lease?.token !== this.#token) throw leaseLost(this.run, 'this history')
  }

  /** Ids that end with this run: named ones, and those that its new rows replace. */
  #endsOf(named: Iterable<number>, added: readonly { readonly replaces: number | undefined }[]): Set<number> {
    return new Set([...named, ...added.flatMap(({ replaces }) => replaces ?? [])])
  }

  /** The history with this run in it. */
  #joined(run: RunRow): Rows {
    const { runs, scans, walks, versions, changes, violations, notices, marks, approvals, acceptances, held } =
      this.#memory.rows
    const ending = <Row extends { id: number }>(rows: readonly Row[], ids: ReadonlySet<number>) =>
      rows.map((row) => (ids.has(row.id) ? { ...row, toRun: this.run } : row))
    const endedVersions = this.#endsOf(this.#endedVersions, this.#added.versions)
    const endedViolations = this.#endsOf(this.#endedViolations.keys(), this.#added.violations)
    const ended = ending(violations, endedViolations).map((row) => {
      const ending = this.#endedViolations.get(row.id)
      return ending === undefined ? row : { ...row, ending }
    })
    return {
      runs: runs.with(this.run - 1, run),
      scans: [...scans, ...this.#added.scans],
      walks: [...walks, ...this.#added.walks],
      versions: [...ending(versions, endedVersions), ...this.#added.versions],
      changes: [...changes, ...this.#added.changes],
      violations: [...ended, ...this.#added.violations],
      notices: [...notices, ...this.#added.notices],
      approvals,
      acceptances: this.#endedByRun(acceptances),
      held: [...held, ...this.#added.held],
      marks: [...this.#marks.values()].reduce((all, marking) => this.#marking(all, marking), marks),
    }
  }

  #marking(
    marks: Rows['marks'],
    { project, kind, uids }: { project: string; kind: Kind; uids: ReadonlySet<string> },
  ): Rows['marks'] {
    const isActive = (mark: Rows['marks'][number]) =>
      mark.project === project && mark.kind === kind && mark.toRun === undefined
    const marked = new Set(marks.filter(isActive).map(({ uid }) => uid))
    const added = [...uids].filter((uid) => !marked.has(uid)).map((uid) => ({ project, kind, uid, fromRun: this.run }))
    return [
      ...marks.map((mark) => (isActive(mark) && !uids.has(mark.uid) ? { ...mark, toRun: this.run } : mark)),
      ...added,
    ]
  }

  /** Closes the run and releases the lease; the token moves on, so that a straggler can write nothing after it. */
  #end(rows: Rows, run: RunRow): void {
    this.#memory.rows = { ...rows, runs: rows.runs.with(this.run - 1, run) }
    const { lease } = this.#memory
    if (lease !== undefined) {
      this.#memory.lease = { ...lease, token: lease.token + 1, heartbeatAt: '1970-01-01T00:00:00.000Z' }
    }
  }
}

function toActive(row: ViolationRow): ActiveViolation {
  const { id, fingerprint, kind, uid, rule, path, state, waiver, severity, name, message, firstRun, originRun } = row
  return { id, fingerprint, kind, uid, rule, path, state, waiver, severity, name, message, firstRun, originRun }
}
