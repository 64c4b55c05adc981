import type { Ending } from '../../../model/ending.ts'
import { type Acceptance, type AcceptanceEnding, endedBy } from '../../acceptances.ts'
import { violationMembers } from '../../chain/members.ts'
import { endDigests, RunningDigest } from '../../chain/running-digest.ts'
import type { ActiveViolation, NewViolation } from '../../history.ts'
import { toAcceptance } from '../../stored-acceptance.ts'
import { toActiveViolation } from '../../stored-violation.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'
import { IdSet } from './id-set.ts'

type ViolationMethod =
  | 'activeViolations'
  | 'stageViolations'
  | 'unconfirmedViolations'
  | 'unconfirmedBy'
  | 'oldViolations'
  | 'endViolations'
  | 'acceptancesOf'
  | 'endAcceptances'

/** Violations. New rows are inserted; ends are remembered until the commit. */
export function draftViolations(access: DraftAccess): DraftPart<ViolationMethod> {
  const { run, sql, idOf, write } = access
  const digest = new RunningDigest(violationMembers)
  const confirmedViolations = new IdSet()
  const replacedViolations = new IdSet()
  const endedViolations = new Map<number, Ending>()
  const endedAcceptances = new Map<number, AcceptanceEnding>()
  const startedAt = sql.startedAt.get(run) ?? ''
  // None is made while the run owns the lease.
  const hasAcceptances = typeof sql.lastAcceptance.get() === 'number'

  function insertViolation(projectId: number, violation: NewViolation): void {
    const { fingerprint, kind, uid, rule, path, state, severity, name, message } = violation
    const { firstRun = run, lastRun = null, originRun = null, replaces = null } = violation
    const waiver = violation.waiver === undefined ? null : JSON.stringify(violation.waiver)
    const row = {
      ...{ fingerprint, kind, uid, rule, path, state, severity, name, message, replaces, waiver },
      ...{ project_id: projectId, from_run: run, first_run: firstRun, last_run: lastRun, origin_run: originRun },
    }
    digest.add({ id: Number(sql.insertViolation.run(row).lastInsertRowid), ...row })
  }

  return {
    methods: {
      async activeViolations(project, kind, uids) {
        const id = idOf(project)
        if (!access.hadViolations(id)) return []
        return sql.activeViolations.all(id, kind, JSON.stringify(uids), run).map(toActiveViolation)
      },
      async stageViolations(project, { confirmed, violations }) {
        for (const id of confirmed) confirmedViolations.add(id)
        if (violations.length === 0) return
        const id = idOf(project)
        write(() => {
          for (const violation of violations) insertViolation(id, violation)
        })
        for (const { replaces } of violations) {
          if (replaces === undefined) continue
          confirmedViolations.add(replaces)
          replacedViolations.add(replaces)
        }
      },
      async unconfirmedViolations(project) {
        const unconfirmed: ActiveViolation[] = []
        const id = idOf(project)
        if (!access.hadViolations(id)) return unconfirmed
        for (const row of sql.activeOfProject.iterate(id, run)) {
          if (!confirmedViolations.has(row.id)) unconfirmed.push(toActiveViolation(row))
        }
        return unconfirmed
      },
      async unconfirmedBy(rules, projects) {
        const found = new Map<string, readonly ActiveViolation[]>()
        if (rules.length === 0) return found
        const wanted = JSON.stringify(rules)
        for (const project of projects) {
          const id = idOf(project)
          if (!access.hadViolations(id)) continue
          const rows = sql.activeByRule.all(id, run, wanted)
          const unconfirmed = rows.filter(({ id }) => !confirmedViolations.has(id))
          if (unconfirmed.length > 0) found.set(project.name, unconfirmed.map(toActiveViolation))
        }
        return found
      },
      async oldViolations(project, before) {
        const id = idOf(project)
        const rows = sql.oldViolations.all({ project: id, before: JSON.stringify(before) })
        return rows.map(({ firstSeen, ...row }) => ({
          ...toActiveViolation(row),
          ...{ firstSeen, ending: endedViolations.get(row.id) },
        }))
      },
      async endViolations(_project, violations) {
        for (const [id, ending] of violations) endedViolations.set(id, ending)
      },
      async acceptancesOf(projects) {
        const found = new Map<string, readonly Acceptance[]>()
        if (!hasAcceptances) return found
        for (const project of projects) {
          const rows = sql.acceptancesOf.all(idOf(project))
          const ofProject = rows.map((row) => endedBy(toAcceptance(row), endedAcceptances, startedAt))
          if (ofProject.length > 0) found.set(project.name, ofProject)
        }
        return found
      },
      async endAcceptances(_project, acceptances) {
        for (const [id, ending] of acceptances) endedAcceptances.set(id, ending)
      },
    },
    finish() {
      for (const id of replacedViolations) sql.endReplacedViolation.run(run, id)
      for (const [id, { resolution, endedBy: by }] of endedViolations) {
        sql.endViolation.run(run, resolution, by === null ? null : JSON.stringify(by), id)
      }
      for (const [id, ending] of endedAcceptances) sql.endAcceptance.run(run, run, ending, id)
    },
    digests: () => endDigests({ violations: digest }),
    spoilDigests: () => digest.spoil(),
    deleteRows(project) {
      if (sql.deleteViolations.run(project, run).changes > 0) digest.spoil()
    },
    forget(project) {
      for (const { id } of sql.activeOfProject.iterate(project, run)) {
        confirmedViolations.delete(id)
        replacedViolations.delete(id)
        endedViolations.delete(id)
      }
      for (const { id } of sql.acceptancesOf.iterate(project)) endedAcceptances.delete(id)
    },
  }
}
