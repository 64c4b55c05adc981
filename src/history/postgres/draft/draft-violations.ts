import { type Acceptance, endedBy } from '../../acceptances.ts'
import type { ActiveViolation, Draft } from '../../history.ts'
import { acceptanceColumns, type StoredAcceptance, toAcceptance } from '../../stored-acceptance.ts'
import { type ActiveViolationRow, toActiveViolation } from '../../stored-violation.ts'
import type { DraftContext } from './draft-context.ts'
import type { DraftedViolation } from './drafted-rows.ts'
import { addId, hasId, idsIn } from './id-bits.ts'

type ViolationMethod =
  | 'activeViolations'
  | 'stageViolations'
  | 'unconfirmedViolations'
  | 'unconfirmedBy'
  | 'oldViolations'
  | 'endViolations'
  | 'acceptancesOf'
  | 'endAcceptances'

export const activeColumns = `x.id, x.fingerprint, x.kind, x.uid, x.rule, x.path, x.state, x.severity, x.name, x.message,
  x.waiver, x.first_run AS "firstRun", x.origin_run AS "originRun"`
export const firstSeenSql = '(SELECT started_at FROM hookdrift.run WHERE number = x.first_run)'

/** Violations. New rows are inserted; ends are remembered until the commit. */
export function draftViolations({ db, run, open, projects, writer }: DraftContext): Pick<Draft, ViolationMethod> {
  return {
    async activeViolations(project, kind, uids) {
      const { id, hadViolations } = await open(project)
      if (!hadViolations || uids.length === 0) return []
      const rows = await db.all<ActiveViolationRow>(
        `SELECT ${activeColumns} FROM hookdrift.violation x WHERE x.project_id = $1 AND x.kind = $2 AND x.to_run IS NULL
           AND x.uid = ANY($3) AND x.from_run < $4 ORDER BY x.uid, x.id`,
        [id, kind, uids, run],
      )
      return rows.map(toActiveViolation)
    },
    async stageViolations(project, { confirmed, violations }) {
      const { id, state } = await open(project)
      for (const violation of confirmed) addId(state.confirmed, violation)
      if (violations.length === 0) return
      const rows = violations.map(
        ({
          firstRun = run,
          lastRun = null,
          originRun = null,
          replaces = null,
          waiver,
          ...violation
        }): DraftedViolation => {
          const { fingerprint, kind, uid, rule, path, state, severity, name, message } = violation
          return {
            ...{ id: 0, fingerprint, kind, uid, rule, path, state, severity, name, message, replaces, project_id: id },
            ...{ from_run: run, first_run: firstRun, last_run: lastRun, origin_run: originRun },
            waiver: waiver === undefined ? null : JSON.stringify(waiver),
          }
        },
      )
      await writer.insert({ violation: rows })
      for (const { replaces } of violations) {
        if (replaces === undefined) continue
        addId(state.confirmed, replaces)
        addId(state.replaced, replaces)
      }
    },
    async unconfirmedViolations(project) {
      const { id, hadViolations, state } = await open(project)
      if (!hadViolations) return []
      const rows = await db.all<ActiveViolationRow>(
        `SELECT ${activeColumns} FROM hookdrift.violation x WHERE x.project_id = $1 AND x.to_run IS NULL AND x.from_run < $2
           AND NOT EXISTS (SELECT 1 FROM unnest($3::bigint[]) c (id) WHERE c.id = x.id) ORDER BY x.id`,
        [id, run, [...idsIn(state.confirmed)]],
      )
      return rows.map(toActiveViolation)
    },
    async unconfirmedBy(rules, asked) {
      const found = new Map<string, readonly ActiveViolation[]>()
      if (rules.length === 0) return found
      const opened = await projects.openAll(asked)
      const rows = await db.all<ActiveViolationRow & { readonly project: number }>(
        `SELECT ${activeColumns}, x.project_id AS project FROM hookdrift.violation x
         WHERE x.project_id = ANY($1::bigint[]) AND x.to_run IS NULL AND x.from_run < $2 AND x.rule = ANY($3::text[])
         ORDER BY x.id`,
        [opened.flatMap(({ id, hadViolations }) => (hadViolations ? [id] : [])), run, rules],
      )
      const byProject = Map.groupBy(rows, ({ project }) => project)
      for (const [at, { name }] of asked.entries()) {
        const { id = 0, state } = opened[at] ?? {}
        const unconfirmed = (byProject.get(id) ?? []).filter(({ id }) => state && !hasId(state.confirmed, id))
        if (unconfirmed.length > 0)
          found.set(
            name,
            unconfirmed.map(({ project: _, ...row }) => toActiveViolation(row)),
          )
      }
      return found
    },
    async oldViolations(project, before) {
      const { id, state } = await open(project)
      const rows = await db.all<ActiveViolationRow & { readonly firstSeen: string }>(
        `SELECT ${activeColumns}, ${firstSeenSql} AS "firstSeen" FROM unnest($2::text[], $3::text[]) AS b (severity, time)
         JOIN hookdrift.violation x ON x.severity = b.severity AND ${firstSeenSql} < b.time
         WHERE x.project_id = $1 AND x.to_run IS NULL
           AND (SELECT n.id FROM hookdrift.violation n WHERE n.replaces = x.id LIMIT 1) IS NULL ORDER BY x.id`,
        [id, Object.keys(before), Object.values(before)],
      )
      return rows.map(({ firstSeen, ...row }) => {
        return { ...toActiveViolation(row), firstSeen, ending: state.endedViolations[row.id] }
      })
    },
    async endViolations(project, violations) {
      const { state } = await open(project)
      for (const [id, ending] of violations) state.endedViolations[id] = ending
    },
    async acceptancesOf(asked) {
      const found = new Map<string, readonly Acceptance[]>()
      const opened = await projects.openAll(asked)
      const rows = await db.all<StoredAcceptance & { readonly project: number; readonly startedAt: string }>(
        `SELECT ${acceptanceColumns}, a.project_id AS project,
           (SELECT started_at FROM hookdrift.run WHERE number = $2) AS "startedAt"
         FROM hookdrift.acceptance a JOIN hookdrift.project p ON p.id = a.project_id
         WHERE a.project_id = ANY($1::bigint[]) AND a.revoked_at IS NULL ORDER BY a.id`,
        [opened.map(({ id }) => id), run],
      )
      const byProject = Map.groupBy(rows, ({ project }) => project)
      for (const [at, { name }] of asked.entries()) {
        const { id = 0, state } = opened[at] ?? {}
        const endings = new Map(Object.entries(state?.endedAcceptances ?? {}).map(([id, by]) => [Number(id), by]))
        const ofProject = (byProject.get(id) ?? []).map(({ project: _, startedAt, ...row }) =>
          endedBy(toAcceptance(row), endings, startedAt),
        )
        if (ofProject.length > 0) found.set(name, ofProject)
      }
      return found
    },
    async endAcceptances(project, acceptances) {
      const { state } = await open(project)
      for (const [id, ending] of acceptances) state.endedAcceptances[id] = ending
    },
  }
}
