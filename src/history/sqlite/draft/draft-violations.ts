import type { Resolution } from '../../../model/violation.ts'
import type { ActiveViolation } from '../../history.ts'
import { toActiveViolation } from '../rows.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'
import { IdSet } from './id-set.ts'

type ViolationMethod =
  | 'activeViolations'
  | 'stageViolations'
  | 'unconfirmedViolations'
  | 'unconfirmedBy'
  | 'oldViolations'
  | 'endViolations'
  | 'violationsWithOrigin'
  | 'acceptedFingerprints'
  | 'isUnderOtherRules'

/** Violations. New rows are inserted at once; ends are remembered. */
export function draftViolations({ run, sql, idOf, write }: DraftAccess): DraftPart<ViolationMethod> {
  const confirmedViolations = new IdSet()
  const endedViolations = new Map<number, Resolution>()

  return {
    methods: {
      activeViolations: async (project, kind, uids) =>
        sql.activeViolations.all(idOf(project), kind, JSON.stringify(uids), run).map(toActiveViolation),
      async stageViolations(project, { confirmed, violations }) {
        for (const id of confirmed) confirmedViolations.add(id)
        if (violations.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const {
            waiver,
            firstRun = run,
            lastRun = null,
            originRun = null,
            replaces,
            ...violation
          } of violations) {
            sql.insertViolation.run({
              ...{
                projectId: id,
                fromRun: run,
                firstRun,
                lastRun,
                originRun,
                replaces: replaces ?? null,
                ...violation,
              },
              waiver: waiver === undefined ? null : JSON.stringify(waiver),
            })
            if (replaces !== undefined) confirmedViolations.add(replaces)
          }
        })
      },
      async unconfirmedViolations(project) {
        const unconfirmed: ActiveViolation[] = []
        for (const row of sql.activeOfProject.iterate(idOf(project), run)) {
          if (!confirmedViolations.has(row.id)) unconfirmed.push(toActiveViolation(row))
        }
        return unconfirmed
      },
      async unconfirmedBy(rules, projects) {
        const found = new Map<string, readonly ActiveViolation[]>()
        if (rules.length === 0) return found
        const wanted = JSON.stringify(rules)
        for (const project of projects) {
          const rows = sql.activeByRule.all(idOf(project), run, wanted)
          const unconfirmed = rows.filter(({ id }) => !confirmedViolations.has(id))
          if (unconfirmed.length > 0) found.set(project.name, unconfirmed.map(toActiveViolation))
        }
        return found
      },
      oldViolations: async (project, before) =>
        sql.oldViolations
          .all({ project: idOf(project), before: JSON.stringify(before) })
          .map(({ firstSeen, ...row }) => ({
            ...toActiveViolation(row),
            ...{ firstSeen, resolution: endedViolations.get(row.id) },
          })),
      async endViolations(violations) {
        for (const [id, resolution] of violations) endedViolations.set(id, resolution)
      },
      violationsWithOrigin: async (project) =>
        sql.violationsWithOrigin.all({ project: idOf(project), run }).map(({ isActive, firstSeen, ...row }) => ({
          ...toActiveViolation(row),
          ...{ originRun: row.originRun, firstSeen, isActive: isActive === 1 },
        })),
      acceptedFingerprints: async (project) => new Set(sql.accepted.all(idOf(project))),
      isUnderOtherRules: async (project) => sql.isUnderOtherRules.get(idOf(project), run) === 1,
    },
    finish() {
      sql.endReplacedViolations.run(run, run)
      for (const [id, resolution] of endedViolations) sql.endViolation.run(run, resolution, id)
    },
    deleteRows: (project) => sql.deleteViolations.run(project, run),
    forget(project) {
      for (const { id } of sql.activeOfProject.iterate(project, run)) {
        confirmedViolations.delete(id)
        endedViolations.delete(id)
      }
    },
  }
}
