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

/** A change whose lists are JSON. */
type ChangeRow = Omit<StagedChange, 'fields' | 'referrers'> & {
  readonly fields: string
  readonly referrers: string | null
}

type ResourceMethod =
  | 'current'
  | 'modifiedSince'
  | 'stage'
  | 'stageChanges'
  | 'endVersions'
  | 'referrers'
  | 'markUnreferenced'

/** Versions, changes and unreferenced marks. New rows are staged; ends and marks are remembered until the commit. */
export function draftResources(access: DraftAccess): DraftPart<ResourceMethod> {
  const { run, sql, idOf, stageRows } = access
  const versionDigest = new RunningDigest(versionMembers)
  const changeDigest = new RunningDigest(changeMembers)
  const endedVersions = new IdSet()
  const markChanges = new Map<string, MarkChanges>()

  /** Ids are given out before rows are inserted: no other process adds a version while the run owns the lease. */
  let lastVersion: number | undefined
  const nextVersion = () => {
    lastVersion = (lastVersion ?? sql.versionFloor.get(run) ?? 0) + 1
    return lastVersion
  }

  function insertVersion(
    id: number,
    project: number,
    { kind, uid, name, digest, body, facts, ...version }: NewVersion,
  ): void {
    const { normaliser, replaces = null } = version
    const values = [id, project, kind, uid, run, replaces, normaliser, name, digest, body, facts]
    sql.insertVersion.run(...values)
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

  function insertChange(project: number, { kind, uid, name, change, fields, referrers }: ChangeRow): void {
    const { lastInsertRowid } = sql.insertChange.run(run, project, kind, uid, name, change, fields, referrers)
    const row = { kind, uid, name, change, fields, referrers }
    changeDigest.add({ ...row, id: Number(lastInsertRowid), run, project_id: project })
  }

  return {
    methods: {
      async current(project) {
        const id = idOf(project)
        return access.hadVersions(id) ? sql.current.all(id, run) : []
      },
      async modifiedSince(project, time) {
        const rows = sql.modifiedSince.all({ project: idOf(project), time, run })
        return rows.map(({ paths, ...row }) => ({ ...row, paths: JSON.parse(paths) }))
      },
      async stage(project, versions) {
        if (versions.length === 0) return
        const id = idOf(project)
        const ids = versions.map(nextVersion)
        const characters = versions.reduce((sum, { body, facts }) => sum + body.length + facts.length, 0)
        stageRows(id, { rows: versions.length, characters }, () => {
          for (const [at, version] of versions.entries()) insertVersion(ids[at] ?? 0, id, version)
        })
        for (const { replaces } of versions) if (replaces !== undefined) endedVersions.add(replaces)
      },
      async stageChanges(project, changes) {
        if (changes.length === 0) return
        const id = idOf(project)
        const rows = changes.map(({ fields, referrers, ...change }) => {
          return { ...change, fields: JSON.stringify(fields), referrers: referrers ? JSON.stringify(referrers) : null }
        })
        const characters = rows.reduce((sum, { fields }) => sum + fields.length, 0)
        stageRows(id, { rows: rows.length, characters }, () => {
          for (const row of rows) insertChange(id, row)
        })
      },
      async endVersions(_project, versions) {
        for (const id of versions) endedVersions.add(id)
      },
      async referrers(project, sources) {
        if (sources.length === 0) return new Map()
        const list = JSON.stringify(sources.map((source) => JSON.stringify(source)))
        const id = idOf(project)
        access.insertRowsOf(id)
        const rows = sql.referrers.all({ project: id, run, sources: list })
        const current = rows.filter(({ id }) => !endedVersions.has(id))
        // The uid as canonical JSON, which hookdrift wrote.
        const bySource = Map.groupBy(current, ({ source }) => JSON.parse(source) as string)
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
