import type { Kind } from '../../../model/resource.ts'
import { compareText } from '../../report-order.ts'
import { toStoredBody } from '../../stored-body.ts'
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
  | 'known'
  | 'bodies'
  | 'modifiedSince'
  | 'stage'
  | 'stageChanges'
  | 'unseen'
  | 'endVersions'
  | 'referrers'
  | 'markUnreferenced'

/** Versions, changes and unreferenced marks. New rows are inserted at once; ends and marks are remembered. */
export function draftResources({ run, sql, idOf, write }: DraftAccess): DraftPart<ResourceMethod> {
  const seenVersions = new IdSet()
  const endedVersions = new Set<number>()
  const markChanges = new Map<string, MarkChanges>()

  return {
    methods: {
      async known(project, kind, uids) {
        const rows = sql.known.all({ project: idOf(project), kind, uids: JSON.stringify(uids), run })
        return new Map(rows.map((row) => [row.uid, row]))
      },
      async bodies(versions) {
        const rows = sql.bodies.all(JSON.stringify(versions))
        return new Map(rows.map((row) => [row.id, toStoredBody(row)]))
      },
      async modifiedSince(project, time) {
        const rows = sql.modifiedSince.all({ project: idOf(project), time, run })
        return rows.map(({ paths, ...row }) => ({ ...row, paths: JSON.parse(paths) }))
      },
      async stage(project, { seen, versions }) {
        for (const id of seen) seenVersions.add(id)
        if (versions.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const { kind, uid, name, digest, body, facts, normaliser, replaces } of versions) {
            sql.insertVersion.run(id, kind, uid, run, replaces ?? null, normaliser, name, digest, body, facts)
            if (replaces !== undefined) seenVersions.add(replaces)
          }
        })
      },
      async stageChanges(project, changes) {
        if (changes.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const { kind, uid, name, change, fields, referrers } of changes) {
            const users = referrers === undefined ? null : JSON.stringify(referrers)
            sql.insertChange.run(run, id, kind, uid, name, change, JSON.stringify(fields), users)
          }
        })
      },
      async unseen(project, kind) {
        const unseen: number[] = []
        for (const id of sql.current.iterate(idOf(project), kind, run)) if (!seenVersions.has(id)) unseen.push(id)
        return unseen.flatMap((id) => sql.unseen.all(id))
      },
      async endVersions(versions) {
        for (const id of versions) endedVersions.add(id)
      },
      async referrers(project, sources) {
        if (sources.length === 0) return new Map()
        const list = JSON.stringify(sources.map((source) => JSON.stringify(source)))
        const rows = sql.referrers.all({ project: idOf(project), run, sources: list })
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
      sql.endReplaced.run(run, run)
      for (const id of endedVersions) sql.endVersion.run(run, id)
      for (const { project, kind, added, removed } of markChanges.values()) {
        for (const uid of removed) sql.unmark.run(run, project, kind, uid)
        for (const uid of added) sql.mark.run(project, kind, uid, run)
      }
    },
    deleteRows(project) {
      sql.deleteVersions.run(project, run)
      sql.deleteChanges.run(project, run)
    },
    forget(project) {
      for (const version of sql.currentIds.iterate(project, run)) {
        seenVersions.delete(version)
        endedVersions.delete(version)
      }
      for (const [key, changes] of markChanges) if (changes.project === project) markChanges.delete(key)
    },
  }
}
