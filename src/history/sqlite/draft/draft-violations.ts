import type { ActiveViolation } from '../../history.ts'
import { toActiveViolation } from '../rows.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'
import { IdSet } from './id-set.ts'

type ViolationMethod =
  | 'activeViolations'
  | 'stageViolations'
  | 'unconfirmedViolations'
  | 'unconfirmedBy'
  | 'endViolations'

/** Violations. New rows are inserted at once; ends are remembered. */
export function draftViolations({ run, sql, idOf, write }: DraftAccess): DraftPart<ViolationMethod> {
  const confirmedViolations = new IdSet()
  const endedViolations = new Set<number>()

  return {
    methods: {
      activeViolations: async (project, kind, uids) =>
        sql.activeViolations.all(idOf(project), kind, JSON.stringify(uids), run).map(toActiveViolation),
      async stageViolations(project, { confirmed, violations }) {
        for (const id of confirmed) confirmedViolations.add(id)
        if (violations.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const { waiver, firstRun = run, lastRun = null, replaces, ...violation } of violations) {
            sql.insertViolation.run({
              ...{ projectId: id, fromRun: run, firstRun, lastRun, replaces: replaces ?? null, ...violation },
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
      async endViolations(violations) {
        for (const id of violations) endedViolations.add(id)
      },
    },
    finish() {
      sql.endReplacedViolations.run(run, run)
      for (const id of endedViolations) sql.endViolation.run(run, id)
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
