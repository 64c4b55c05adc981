import type { Kind } from '../../../model/resource.ts'
import { changeMembers, versionMembers } from '../../chain/members.ts'
import { endDigests, RunningDigest } from '../../chain/running-digest.ts'
import type { NewVersion } from '../../history.ts'
import type { StagedChange } from '../../records.ts'
import { compareText } from '../../report-order.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'
import { IdSet } from './id-set.ts'

/** What the commit does to the unreferenced marks of a project and kind. */
interface MarkChanges {
  readonly project: number
  readonly kind: Kind
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

type ResourceMethod =
  | 'current'
  | 'textsOf'
  | 'stage'
  | 'stageChanges'
  | 'endVersions'
  | 'referrers'
  | 'markUnreferenced'

/** Versions, changes and unreferenced marks. New rows are inserted; ends and marks are remembered until the commit. */
export function draftResources(access: DraftAccess): DraftPart<ResourceMethod> {
  const { run, sql, idOf, write } = access
  const versionDigest = new RunningDigest(versionMembers)
  const changeDigest = new RunningDigest(changeMembers)
  const endedVersions = new IdSet()
  const markChanges = new Map<string, MarkChanges>()

  /** Above the floor of the run, and never given out twice. */
  let lastVersion: number | undefined

  function insertVersion(
    project: number,
    { kind, uid, name, digest, body, facts, columns, normaliser, ...version }: NewVersion,
  ): void {
    const { replaces = null } = version
    const id = (lastVersion ?? sql.versionFloor.get(run) ?? 0) + 1
    lastVersion = id
    const { endpoint_uid: endpoint, source_uid: source, device_uid: device, owner_id: owner } = columns
    sql.insertVersion.run(
      ...[id, project, kind, uid, run, replaces, normaliser, name, digest, body, facts],
      ...[endpoint, source, device, owner],
    )
    versionDigest.add({
      id,
      project_id: project,
      from_run: run,
      kind,
      uid,
      replaces,
      normal_form_version: normaliser,
      name,
      digest,
    })
  }

  function insertChange(project: number, { kind, uid, name, change, ...lists }: StagedChange): void {
    const fields = JSON.stringify(lists.fields)
    const referrers = lists.referrers ? JSON.stringify(lists.referrers) : null
    const { lastInsertRowid } = sql.insertChange.run(run, project, kind, uid, name, change, fields, referrers)
    const id = Number(lastInsertRowid)
    changeDigest.add({ id, run, project_id: project, kind, uid, name, change, fields, referrers })
  }

  return {
    methods: {
      async current(project) {
        const id = idOf(project)
        return access.hadVersions(id) ? sql.current.all(id, run) : []
      },
      async textsOf(versions) {
        const rows = versions.length === 0 ? [] : sql.texts.all(JSON.stringify(versions))
        return new Map(rows.map(({ id, body, facts }) => [id, { body, facts }]))
      },
      async stage(project, versions) {
        if (versions.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const version of versions) insertVersion(id, version)
        })
        for (const { replaces } of versions) if (replaces !== undefined) endedVersions.add(replaces)
      },
      async stageChanges(project, changes) {
        if (changes.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const change of changes) insertChange(id, change)
        })
      },
      async endVersions(_project, versions) {
        for (const id of versions) endedVersions.add(id)
      },
      async referrers(project, sources) {
        if (sources.length === 0) return new Map()
        const list = JSON.stringify(sources)
        const id = idOf(project)
        const rows = sql.referrers.all({ project: id, run, sources: list })
        const current = rows.filter(({ id }) => !endedVersions.has(id))
        const bySource = Map.groupBy(current, ({ source }) => source)
        return new Map([...bySource].map(([source, users]) => [source, users.map(({ uid }) => uid).sort(compareText)]))
      },
      async markUnreferenced(project, kind, uids) {
        const id = idOf(project)
        const marked = new Set(sql.marked.all(id, kind))
        const unreferenced = new Set(uids)
        const added = [...unreferenced].filter((uid) => !marked.has(uid))
        const removed = [...marked].filter((uid) => !unreferenced.has(uid))
        markChanges.set(`${id} ${kind}`, { project: id, kind, added, removed })
        return added
      },
    },
    finish() {
      for (const id of endedVersions) sql.endVersion.run(run, id)
      for (const { project, kind, added, removed } of markChanges.values()) {
        for (const uid of removed) sql.unmark.run(run, project, kind, uid)
        for (const uid of added) sql.mark.run(project, kind, uid, run)
      }
    },
    digests: () => endDigests({ versions: versionDigest, changes: changeDigest }),
    spoilDigests() {
      versionDigest.spoil()
      changeDigest.spoil()
    },
    deleteRows(project) {
      if (sql.deleteVersions.run(project, run).changes > 0) versionDigest.spoil()
      if (sql.deleteChanges.run(project, run).changes > 0) changeDigest.spoil()
    },
    forget(project) {
      for (const version of sql.currentIds.iterate(project, run)) endedVersions.delete(version)
      for (const [key, changes] of markChanges) if (changes.project === project) markChanges.delete(key)
    },
  }
}
