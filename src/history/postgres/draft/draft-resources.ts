import type { Draft, KnownVersion, VersionText } from '../../history.ts'
import { compareText } from '../../report-order.ts'
import type { DraftContext } from './draft-context.ts'
import type { DraftedVersion } from './drafted-rows.ts'
import { addId, hasId } from './id-bits.ts'

type ResourceMethod =
  | 'current'
  | 'textsOf'
  | 'stage'
  | 'stageChanges'
  | 'endVersions'
  | 'referrers'
  | 'markUnreferenced'

/** Versions, changes and unreferenced marks. New rows are inserted; ends and marks are remembered until the commit. */
export function draftResources({ db, run, ids, open, writer }: DraftContext): Pick<Draft, ResourceMethod> {
  return {
    async current(project) {
      const { id, hadVersions } = await open(project)
      if (!hadVersions) return []
      return db.all<KnownVersion>(
        `SELECT v.id, v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, r.seal_key_id AS "sealKeyId"
         FROM hookdrift.version v JOIN hookdrift.run r ON r.number = v.from_run
         WHERE v.project_id = $1 AND v.to_run IS NULL AND v.from_run < $2 ORDER BY v.kind, v.uid`,
        [id, run],
      )
    },
    async textsOf(versions) {
      if (versions.length === 0) return new Map()
      const rows = await db.all<VersionText & { readonly id: number }>(
        'SELECT id, body, facts FROM hookdrift.version WHERE id = ANY($1::bigint[])',
        [versions],
      )
      return new Map(rows.map(({ id, body, facts }) => [id, { body, facts }]))
    },
    async stage(project, versions) {
      if (versions.length === 0) return
      const opened = await open(project)
      const first = await ids.take('version', versions.length)
      const rows = versions.map(
        ({ kind, uid, name, digest, body, facts, columns, normaliser, replaces = null }, at): DraftedVersion => ({
          ...{ id: first + at, project_id: opened.id, kind, uid, from_run: run, replaces, name, digest, body, facts },
          ...{ normal_form_version: normaliser, ...columns },
        }),
      )
      await writer.insert({ version: rows })
      for (const { replaces } of versions) if (replaces !== undefined) addId(opened.state.endedVersions, replaces)
    },
    async stageChanges(project, changes) {
      if (changes.length === 0) return
      const { id } = await open(project)
      const rows = changes.map(({ kind, uid, name, change, fields, referrers }) => ({
        ...{ id: 0, run, project_id: id, kind, uid, name, change, fields: JSON.stringify(fields) },
        referrers: referrers ? JSON.stringify(referrers) : null,
      }))
      await writer.insert({ change: rows })
    },
    async endVersions(project, versions) {
      const { state } = await open(project)
      for (const id of versions) addId(state.endedVersions, id)
    },
    async referrers(project, sources) {
      if (sources.length === 0) return new Map()
      const { id, state } = await open(project)
      const rows = await db.all<{ id: number; uid: string; source: string }>(
        `SELECT v.id, v.uid, v.source_uid AS source FROM hookdrift.version v
         WHERE v.project_id = $1 AND v.kind = 'subscription' AND v.to_run IS NULL AND v.source_uid = ANY($3)
           AND NOT EXISTS (SELECT 1 FROM hookdrift.version n WHERE n.project_id = $1 AND n.kind = 'subscription'
             AND n.uid = v.uid AND n.from_run = $2 AND n.id <> v.id)`,
        [id, run, sources],
      )
      const current = rows.filter(({ id }) => !hasId(state.endedVersions, id))
      const bySource = Map.groupBy(current, ({ source }) => source)
      return new Map([...bySource].map(([source, users]) => [source, users.map(({ uid }) => uid).sort(compareText)]))
    },
    async markUnreferenced(project, kind, uids) {
      const { id, state } = await open(project)
      const rows = await db.all<{ uid: string }>(
        'SELECT uid FROM hookdrift.unreferenced WHERE project_id = $1 AND kind = $2 AND to_run IS NULL ORDER BY uid',
        [id, kind],
      )
      const marked = new Set(rows.map(({ uid }) => uid))
      const unreferenced = new Set(uids)
      const added = [...unreferenced].filter((uid) => !marked.has(uid))
      const removed = [...marked].filter((uid) => !unreferenced.has(uid))
      state.unreferenced[kind] = { added, removed }
      return added
    },
  }
}
