import { resourceKey } from '../model/keys.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { isPolicyProject, kinds, policyProject } from '../model/resource.ts'
import { memoryBaselines } from './memory-baselines.ts'
import { keyOf, lookedAt, type Memory, type RunRow, readRows, recordOf, type VersionRow } from './memory-rows.ts'
import type { HistoryReader, Identity, JudgeableVersion, KeptVersion, ProjectLook, SealedRun } from './reader.ts'
import { byKindAndUid, compareText, inListingOrder, inReportOrder } from './report-order.ts'

function projectOf(key: string): { readonly service: string; readonly uid: string } {
  const [service, uid]: [string, string] = JSON.parse(key)
  return { service, uid }
}

/** The questions, answered by going through all there is. */
export function memoryReader(memory: Memory): HistoryReader {
  const rows = () => memory.rows
  const startOf = (run: number) => rows().runs[run - 1]?.startedAt ?? ''
  const runOf = (number: number): SealedRun => {
    const run = rows().runs[number - 1]
    if (run === undefined) throw new Error(`run ${number} is not there`)
    return { number, startedAt: run.startedAt, finishedAt: run.finishedAt }
  }
  const walksOf = (project: ProjectRef) => rows().walks.filter((walk) => walk.project === keyOf(project))

  /** Every project's last look by a run. */
  function looksAt(at: number): { project: ProjectRef; run: number }[] {
    const keys = new Set(rows().walks.map(({ project }) => project))
    return [...keys]
      .flatMap((key) => {
        const [service, uid]: [string, string] = JSON.parse(key)
        const look = rows().walks.findLast(
          ({ project, listing, run }) => project === key && listing === 'endpoints' && run <= at,
        )
        return look === undefined ? [] : [{ project: { name: look.name, service, uid }, run: look.run }]
      })
      .sort((a, b) => compareText(a.project.name, b.project.name))
  }

  function lookOf({ project, run }: { project: ProjectRef; run: number }): ProjectLook {
    const isComplete = (look: number) =>
      walksOf(project).every((walk) => walk.run !== look || walk.status === 'complete' || walk.status === 'skipped')
    const looks = lookedAt(rows(), keyOf(project)).filter((look) => look <= run)
    const since = looks[looks.findLastIndex(isComplete) + 1]
    return {
      project,
      run: runOf(run),
      coverage: walksOf(project)
        .filter((walk) => walk.run === run)
        .map(({ run: _, project: __, name: ___, shape: ____, ...coverage }) => coverage)
        .sort(inListingOrder),
      incompleteSince: since === undefined ? undefined : runOf(since),
    }
  }

  const versionsOf = ({ project, kind, uid }: Identity, run: number) =>
    rows()
      .versions.filter((row) => row.project === keyOf(project) && row.kind === kind && row.uid === uid)
      .filter(({ fromRun }) => fromRun <= run)
  const kept = ({ name, fromRun, digest, body, sealKeyId }: VersionRow): KeptVersion => {
    return { name, fromRun, digest, body, sealKeyId }
  }
  const judgeable = (row: VersionRow): JudgeableVersion => ({ ...kept(row), since: row.since, facts: row.facts })
  const spanOf = (row: { fromRun: number; toRun?: number }, run: number) => {
    const toRun = row.toRun !== undefined && row.toRun <= run ? row.toRun : null
    return { fromRun: row.fromRun, from: startOf(row.fromRun), toRun, to: toRun === null ? null : startOf(toRun) }
  }

  return {
    async runs() {
      return rows()
        .runs.filter(({ state }) => state === 'sealed')
        .map(({ number }) => runOf(number))
    },

    async lastRun() {
      const last = rows().runs.findLast(({ state }) => state === 'sealed')
      return last && runOf(last.number)
    },

    async endedRuns(most) {
      const ended = rows().runs.filter(({ state }) => state !== 'running')
      const count = <Row extends { run: number }>(all: readonly Row[], { number }: RunRow) =>
        all.filter(({ run }) => run === number).length
      const runs = ended.toReversed().slice(0, most)
      const walks = rows().walks.filter(({ project }) => project !== keyOf(policyProject))
      return {
        total: ended.length,
        runs: runs.map((run) => ({
          ...runOf(run.number),
          isSealed: run.state === 'sealed',
          exitCode: run.exitCode ?? null,
          walks: count(walks, run),
          incomplete: count(
            walks.filter(({ status }) => status !== 'complete' && status !== 'skipped'),
            run,
          ),
          changes: count(rows().changes, run),
        })),
      }
    },

    async readRun(number) {
      const run = rows().runs[number - 1]
      return run?.state === 'sealed' ? readRows(rows(), run) : undefined
    },

    looksAt: async (run, only) =>
      looksAt(run)
        .filter(({ project }) => !isPolicyProject(project))
        .filter(({ project }) => only === undefined || keyOf(project) === keyOf(only))
        .map(lookOf),

    baselinesAt: async (project, run) => memoryBaselines(walksOf(project).filter((walk) => walk.run <= run)),

    async violationsAt(run) {
      return looksAt(run)
        .flatMap(({ project, run: look }) =>
          rows()
            .violations.filter((row) => row.project === keyOf(project))
            .filter(({ fromRun, toRun }) => fromRun <= look && (toRun === undefined || toRun > look))
            .flatMap((row) => recordOf(rows(), look, row, project.name)),
        )
        .sort(inReportOrder)
    },

    async resolvedBetween(after, run) {
      const names = new Map(looksAt(run).map(({ project }) => [keyOf(project), project.name]))
      return rows()
        .violations.flatMap((row) => {
          if (row.toRun === undefined || row.toRun <= after || row.toRun > run) return []
          if (!lookedAt(rows(), row.project).includes(row.toRun)) return []
          const resolved = recordOf(rows(), row.toRun, row, names.get(row.project) ?? '')
          const at = { run: row.toRun, resolvedAt: startOf(row.toRun) }
          return resolved.map((violation) => ({ ...violation, ...at }))
        })
        .sort((a, b) => b.run - a.run || inReportOrder(a, b))
    },

    async waivedBetween(after, run) {
      const found = rows().violations.flatMap(({ fingerprint, rule, waiver, fromRun, toRun, project }) => {
        const stood = fromRun <= run && (toRun === undefined || toRun > after + 1)
        const isSeen = looksAt(run).some((look) => keyOf(look.project) === project)
        return waiver === undefined || !stood || !isSeen ? [] : [{ fingerprint, rule, waiver }]
      })
      return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
    },

    async stateAt(project, run, kind) {
      const stood = ({ fromRun, toRun }: { fromRun: number; toRun?: number }) =>
        fromRun <= run && (toRun === undefined || toRun > run)
      const isMarked = (row: VersionRow) =>
        rows().marks.some(
          (mark) => mark.project === row.project && mark.kind === row.kind && mark.uid === row.uid && stood(mark),
        )
      return rows()
        .versions.filter(
          (row) => row.project === keyOf(project) && (kind === undefined || row.kind === kind) && stood(row),
        )
        .map((row) => ({
          ...kept(row),
          kind: row.kind,
          uid: row.uid,
          since: startOf(row.fromRun),
          isUnreferenced: isMarked(row),
        }))
        .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.uid, b.uid))
    },

    async differing(from, to) {
      const identities = new Map<string, Identity>()
      for (const { project } of looksAt(to)) {
        for (const { kind, uid } of rows().versions.filter((row) => row.project === keyOf(project))) {
          identities.set(`${keyOf(project)} ${resourceKey({ kind, uid })}`, { project, kind, uid })
        }
      }
      return [...identities.values()]
        .flatMap((identity) => {
          const at = (run: number) => versionsOf(identity, run).find(({ toRun }) => toRun === undefined || toRun > run)
          const [before, after] = [at(from), at(to)]
          if (before?.digest === after?.digest) return []
          return [{ ...identity, before: before && judgeable(before), after: after && judgeable(after) }]
        })
        .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
    },

    async circumstances(number) {
      const run = rows().runs[number - 1]
      if (run?.state !== 'sealed') return undefined
      return {
        configurationDigest: run.configurationDigest,
        sealKeyId: run.sealKeyId,
        projects: run.context?.projects ?? [],
        changes: readRows(rows(), run).changes,
        held: rows()
          .held.filter((row) => row.run === number)
          .map(({ project, listing, uids }) => ({ project: projectOf(project), listing, uids }))
          .sort((a, b) => compareText(a.project.uid, b.project.uid) || compareText(a.listing, b.listing)),
        unreferenced: rows()
          .marks.filter(({ fromRun, toRun }) => fromRun <= number && (toRun === undefined || toRun > number))
          .map(({ project, kind, uid }) => ({ project: projectOf(project), kind, uid }))
          .sort(
            (a, b) =>
              compareText(a.project.uid, b.project.uid) || compareText(a.kind, b.kind) || compareText(a.uid, b.uid),
          ),
      }
    },

    async find(uid, run) {
      return looksAt(run).flatMap(({ project }) =>
        [...kinds]
          .sort(compareText)
          .map((kind: Kind) => ({ project, kind, uid }))
          .filter((identity) => versionsOf(identity, run).length > 0),
      )
    },

    async versionsOf(identity, run) {
      const { project, kind, uid } = identity
      return versionsOf(identity, run)
        .map((row) => ({
          ...kept(row),
          ...spanOf(row, run),
          isAdded: rows().changes.some(
            (change) =>
              change.run === row.fromRun &&
              change.project === keyOf(project) &&
              change.kind === kind &&
              change.uid === uid &&
              change.change === 'added',
          ),
        }))
        .sort((a, b) => a.fromRun - b.fromRun)
    },

    async violationsOf({ project, kind, uid }, run) {
      const all = rows().violations.filter((row) => row.project === keyOf(project) && row.fromRun <= run)
      return all
        .filter((row) => row.kind === kind && row.uid === uid)
        .map((row) => {
          const { fingerprint, rule, severity, name, path, message, state, waiver } = row
          return {
            ...{ fingerprint, rule, severity, kind, uid, name, path, message, state },
            ...(waiver === undefined ? {} : { waiver }),
            ...spanOf(row, run),
            isContinued: row.replaces !== undefined,
            goesOn: all.some(({ replaces }) => replaces === row.id),
          }
        })
        .sort((a, b) => a.fromRun - b.fromRun)
    },

    async referrersOf({ project, kind, uid }, run) {
      const pointer = `${kind}_uid`
      return rows()
        .versions.filter((row) => row.project === keyOf(project) && row.kind === 'subscription' && row.fromRun <= run)
        .filter(({ body }) => JSON.parse(body)[pointer] === uid)
        .map((row) => ({ uid: row.uid, name: row.name, ...spanOf(row, run) }))
        .sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
    },

    async close() {},
  }
}
