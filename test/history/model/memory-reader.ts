import type {
  CommittedRun,
  Differing,
  EvaluableVersion,
  HistoryReader,
  Identity,
  KeptVersion,
  RecordedScan,
  ResolvedViolation,
} from '../../../src/history/reader.ts'
import type { RecordedViolation } from '../../../src/history/records.ts'
import { byKindAndUid, compareText, inListingOrder, inReportOrder } from '../../../src/history/report-order.ts'
import { canonicalJson } from '../../../src/model/canonical-json.ts'
import { unknownPolicy } from '../../../src/model/policy-facts.ts'
import { isPolicyProject, type Kind, kinds, type ProjectRef, resourceKey } from '../../../src/model/resource.ts'
import { memoryCompleteScans } from './memory-complete-scans.ts'
import { countMemory, listMemory } from './memory-resources.ts'
import {
  type Memory,
  projectKeyOf,
  type RunRow,
  readRows,
  scannedProjects,
  toRunRecord,
  type VersionRow,
  versionsAt,
} from './memory-rows.ts'

function projectOf(key: string): { readonly service: string; readonly uid: string } {
  const [service, uid]: [string, string] = JSON.parse(key)
  return { service, uid }
}

/** The questions, answered by going through all there is. */
export function memoryReader(memory: Memory): HistoryReader {
  const rows = () => memory.rows
  const startOf = (run: number) => rows().runs[run - 1]?.startedAt ?? ''
  const runOf = (number: number): CommittedRun => {
    const run = rows().runs[number - 1]
    if (run === undefined) throw new Error(`run ${number} is not there`)
    return { number, startedAt: run.startedAt, finishedAt: run.finishedAt }
  }
  const walksOf = (project: ProjectRef) => rows().walks.filter((walk) => walk.project === projectKeyOf(project))

  /** Every project's last scan as of a run. */
  function latestScansAt(at: number): { project: ProjectRef; run: number }[] {
    const keys = new Set(rows().scans.map(({ project }) => project))
    return [...keys]
      .flatMap((key) => {
        const [service, uid]: [string, string] = JSON.parse(key)
        const scan = rows().scans.findLast(({ project, run }) => project === key && run <= at)
        return scan === undefined ? [] : [{ project: { name: scan.name, service, uid }, run: scan.run }]
      })
      .sort((a, b) => compareText(a.project.name, b.project.name))
  }

  function scanOf({ project, run }: { project: ProjectRef; run: number }): RecordedScan {
    const isComplete = (scan: number) =>
      walksOf(project).every((walk) => walk.run !== scan || walk.status === 'complete' || walk.status === 'skipped')
    const scans = scannedProjects(rows(), projectKeyOf(project)).filter((scan) => scan <= run)
    const since = scans[scans.findLastIndex(isComplete) + 1]
    return {
      project,
      run: runOf(run),
      coverage: walksOf(project)
        .filter((walk) => walk.run === run)
        .map(({ run: _, project: __, shape: ___, ...coverage }) => coverage)
        .sort(inListingOrder),
      incompleteSince: since === undefined ? undefined : runOf(since),
    }
  }

  const versionsOf = ({ project, kind, uid }: Identity, run: number) =>
    rows()
      .versions.filter((row) => row.project === projectKeyOf(project) && row.kind === kind && row.uid === uid)
      .filter(({ fromRun }) => fromRun <= run)
  const kept = ({ name, fromRun, digest, body, sealKeyId }: VersionRow): KeptVersion => {
    return { name, fromRun, digest, body, sealKeyId }
  }
  const evaluable = (row: VersionRow): EvaluableVersion => ({ ...kept(row), since: row.since, facts: row.facts })
  const spanOf = (row: { fromRun: number; toRun?: number }, run: number) => {
    const toRun = row.toRun !== undefined && row.toRun <= run ? row.toRun : null
    return { fromRun: row.fromRun, from: startOf(row.fromRun), toRun, to: toRun === null ? null : startOf(toRun) }
  }

  /** Where the violation of a record is found again. */
  function placeOf({ fingerprint, project, state, ...violation }: RecordedViolation, at: number) {
    const isResolved = state === 'resolved'
    const key = (row: { project: string }) =>
      latestScansAt(at).find((scan) => projectKeyOf(scan.project) === row.project)?.project.name
    const scan = latestScansAt(at).find(({ project: { name } }) => name === project)?.run ?? 0
    const run = 'run' in violation ? Number(violation.run) : scan
    const row = rows().violations.find(
      (one) =>
        one.fingerprint === fingerprint &&
        key(one) === project &&
        (isResolved
          ? one.toRun === run && !rows().violations.some(({ replaces }) => replaces === one.id)
          : one.fromRun <= run && (one.toRun === undefined || one.toRun > run)),
    )
    return { id: row?.id ?? 0, isResolved, run }
  }

  return {
    madeAt: async () => '2026-03-01T00:00:00.000Z',
    // A model is not moved.
    moved: async () => undefined,

    async runs() {
      return rows()
        .runs.filter(({ state }) => state === 'committed')
        .map(({ number }) => runOf(number))
    },

    async lastRun() {
      const last = rows().runs.findLast(({ state }) => state === 'committed')
      return last && runOf(last.number)
    },

    async endedRuns(most) {
      const ended = rows().runs.filter(({ state }) => state !== 'running')
      return { runs: await this.runsBefore(Number.POSITIVE_INFINITY, most), total: ended.length }
    },

    async runsBefore(before, most) {
      const ended = rows().runs.filter(({ state, number }) => state !== 'running' && number < before)
      const count = <Row extends { run: number }>(all: readonly Row[], { number }: RunRow) =>
        all.filter(({ run }) => run === number).length
      const runs = ended.toReversed().slice(0, most)
      const { walks } = rows()
      return runs.map((run) => ({
        ...runOf(run.number),
        isCommitted: run.state === 'committed',
        exitCode: run.exitCode ?? null,
        walks: count(walks, run),
        incomplete: count(
          walks.filter(({ status }) => status !== 'complete' && status !== 'skipped'),
          run,
        ),
        changes: count(rows().changes, run),
      }))
    },

    async runExtents(first, last) {
      const { scans, walks, changes, runs } = rows()
      const within = scans.filter(
        ({ run, project }) =>
          run >= first &&
          run <= last &&
          runs[run - 1]?.state === 'committed' &&
          [...walks, ...changes].some((row) => row.run === run && row.project === project),
      )
      return within
        .map(({ run, project, name }) => {
          const own = walks.filter((walk) => walk.run === run && walk.project === project)
          return {
            ...{ run, project: { name, ...projectOf(project) }, walks: own.length },
            incomplete: own.filter(({ status }) => status !== 'complete' && status !== 'skipped').length,
            changes: changes.filter((change) => change.run === run && change.project === project).length,
          }
        })
        .sort((a, b) => a.run - b.run || compareText(a.project.name, b.project.name))
    },

    async committedRun(number) {
      return rows().runs[number - 1]?.state === 'committed' ? runOf(number) : undefined
    },

    async readRun(number) {
      const run = rows().runs[number - 1]
      return run?.state === 'committed' ? readRows(rows(), run) : undefined
    },

    latestScans: async (run, only) =>
      latestScansAt(run)
        .filter(({ project }) => !isPolicyProject(project))
        .filter(({ project }) => only === undefined || projectKeyOf(project) === projectKeyOf(only))
        .map(scanOf),

    completeScansAt: async (project, run) =>
      memoryCompleteScans(
        walksOf(project).filter((walk) => walk.run <= run),
        rows().runs,
      ),

    async violationsAt(run) {
      return latestScansAt(run)
        .flatMap(({ project, run: scan }) =>
          rows()
            .violations.filter((row) => row.project === projectKeyOf(project))
            .filter(({ fromRun, toRun }) => fromRun <= scan && (toRun === undefined || toRun > scan))
            .flatMap((row) => toRunRecord(rows(), scan, row, project.name)),
        )
        .sort(inReportOrder)
    },

    async resolvedBetween(after, run) {
      const names = new Map(latestScansAt(run).map(({ project }) => [projectKeyOf(project), project.name]))
      return rows()
        .violations.flatMap((row) => {
          if (row.toRun === undefined || row.toRun <= after || row.toRun > run) return []
          if (!scannedProjects(rows(), row.project).includes(row.toRun)) return []
          const resolved = toRunRecord(rows(), row.toRun, row, names.get(row.project) ?? '')
          const at = { run: row.toRun, resolvedAt: startOf(row.toRun) }
          return resolved.map((violation) => ({ ...violation, ...at }))
        })
        .sort((a, b) => b.run - a.run || inReportOrder(a, b))
    },

    async firstViolations({ run, withActive, resolvedAfter, isChosen, sortKey = () => '', most }) {
      const active = withActive ? await this.violationsAt(run) : []
      const resolved = resolvedAfter === undefined ? [] : await this.resolvedBetween(resolvedAfter, run)
      return [...active, ...resolved]
        .filter(isChosen)
        .sort((a, b) => compareText(sortKey(a), sortKey(b)))
        .slice(0, most)
    },

    async visitViolations({ run, withActive, resolvedAfter, withOwner, withText }, visit) {
      const order = (a: RecordedViolation, b: RecordedViolation) =>
        [
          [a.kind, b.kind],
          [a.uid, b.uid],
          [a.rule, b.rule],
          [a.path, b.path],
        ].reduce((first, [one = '', other = '']) => first || Buffer.compare(Buffer.from(one), Buffer.from(other)), 0)
      const active = withActive ? await this.violationsAt(run) : []
      const resolved = resolvedAfter === undefined ? [] : await this.resolvedBetween(resolvedAfter, run)
      for (const violation of [...active.toSorted(order), ...resolved.toSorted(order)]) {
        const { rule, severity, state, project, kind, uid, path, firstSeen, owner = null, waiver } = violation
        const text = withText ? { name: violation.name, message: violation.message } : { name: '', message: '' }
        visit({
          ...{ rule, severity, state, project, kind, uid, path, firstSeen, ...text },
          ...(waiver === undefined ? {} : { waiver }),
          owner: withOwner ? owner : null,
          ...placeOf(violation, run),
        })
      }
    },

    async foundViolations(found) {
      const all: (RecordedViolation | ResolvedViolation)[] = []
      for (const { id, project, isResolved, run } of found) {
        const row = rows().violations.find((violation) => violation.id === id)
        if (row === undefined) continue
        const records = toRunRecord(rows(), run, row, project)
        all.push(...records.map((one) => (isResolved ? { ...one, run, resolvedAt: startOf(run) } : one)))
      }
      return all
    },

    async identifyViolations(prefix, run, most) {
      const meant = rows().violations.filter(
        ({ fingerprint, fromRun }) => fingerprint.startsWith(prefix) && fromRun <= run,
      )
      const last = new Map(meant.sort((a, b) => a.id - b.id).map((row) => [row.fingerprint, row]))
      return [...last.values()]
        .sort((a, b) => compareText(a.fingerprint, b.fingerprint))
        .slice(0, most)
        .flatMap(({ id, fingerprint, kind, uid, project: key, toRun }) => {
          const scan = latestScansAt(run).find(({ project }) => projectKeyOf(project) === key)
          if (scan === undefined) return []
          const isResolved = toRun !== undefined && toRun <= run
          const { project } = scan
          return [{ id, fingerprint, kind, uid, project, isResolved, run: isResolved ? toRun : scan.run }]
        })
    },

    async waivedBetween(after, run) {
      const found = rows().violations.flatMap(({ fingerprint, rule, waiver, fromRun, toRun, project }) => {
        const wasValid = fromRun <= run && (toRun === undefined || toRun > after + 1)
        const isSeen = latestScansAt(run).some((scan) => projectKeyOf(scan.project) === project)
        return waiver === undefined || !wasValid || !isSeen ? [] : [{ fingerprint, rule, waiver }]
      })
      return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
    },

    async policiesBetween(after, run) {
      const recorded = rows().runs.flatMap((one, index) => {
        const number = index + 1
        const isMeant = one.state === 'committed' && number > after && number <= run && one.context !== undefined
        return isMeant ? [{ number, context: one.context }] : []
      })
      const alike = Map.groupBy(recorded, ({ context: { projects: _, ...stable } }) => canonicalJson(stable as never))
      return [...alike.values()].map((group) => ({
        firstRun: group.at(0)?.number ?? 0,
        lastRun: group.at(-1)?.number ?? 0,
        policy: group[0]?.context.policy ?? unknownPolicy,
      }))
    },

    async stateAt(project, run, kind) {
      const wasValid = ({ fromRun, toRun }: { fromRun: number; toRun?: number }) =>
        fromRun <= run && (toRun === undefined || toRun > run)
      const isMarked = (row: VersionRow) =>
        rows().marks.some(
          (mark) => mark.project === row.project && mark.kind === row.kind && mark.uid === row.uid && wasValid(mark),
        )
      return rows()
        .versions.filter(
          (row) => row.project === projectKeyOf(project) && (kind === undefined || row.kind === kind) && wasValid(row),
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

    listResources: async (choice) => listMemory(rows(), choice),
    countResources: async (projects, run) => countMemory(rows(), projects, run),

    async differing(from, to) {
      return latestScansAt(to)
        .flatMap(({ project }) => {
          const own = rows().versions.filter((row) => row.project === projectKeyOf(project))
          return [...Map.groupBy(own, resourceKey).values()].flatMap((versions): Differing[] => {
            const at = (run: number) =>
              versions.find(({ fromRun, toRun }) => fromRun <= run && (toRun === undefined || toRun > run))
            const [before, after, some] = [at(from), at(to), versions[0]]
            if (some === undefined || before?.digest === after?.digest) return []
            const { kind, uid } = some
            return [{ project, kind, uid, before: before && evaluable(before), after: after && evaluable(after) }]
          })
        })
        .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
    },

    async visitDiffering(from, to, visit) {
      for (const pair of await this.differing(from, to)) visit(pair)
    },

    versionsAt: async (project, points) => versionsAt(rows(), project, points),
    async runInputs(number) {
      const run = rows().runs[number - 1]
      if (run?.state !== 'committed') return undefined
      return {
        configurationDigest: run.configurationDigest,
        sealKeyId: run.sealKeyId,
        failOn: run.failOn,
        rules: run.context?.rules ?? [],
        projects: run.context?.projects ?? [],
        changes: readRows(rows(), run).changes,
        withheldRemovals: rows()
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
      return latestScansAt(run).flatMap(({ project }) =>
        [...kinds]
          .sort(compareText)
          .map((kind: Kind) => ({ project, kind, uid }))
          .filter((identity) => versionsOf(identity, run).length > 0),
      )
    },

    async search(text, run) {
      return latestScansAt(run).flatMap(({ project }) => {
        const own = rows().versions.filter((row) => row.project === projectKeyOf(project) && row.fromRun <= run)
        const groups = [...Map.groupBy(own, resourceKey).values()]
        return groups
          .flatMap((versions) => {
            const last = versions.at(-1)
            const isMeant = versions.some(({ name, uid }) => name === text || uid.startsWith(text))
            return last === undefined || !isMeant ? [] : [{ project, kind: last.kind, uid: last.uid, name: last.name }]
          })
          .sort(byKindAndUid)
      })
    },

    async endpointsOf(owner, run) {
      return latestScansAt(run).flatMap(({ project }) =>
        rows()
          .versions.filter((row) => row.project === projectKeyOf(project) && row.kind === 'endpoint')
          .filter((row) => row.fromRun <= run && (row.toRun === undefined || row.toRun > run))
          .filter(({ body }) => JSON.parse(body).owner_id === owner)
          .map(({ kind, uid, name }) => ({ project, kind, uid, name }))
          .sort(byKindAndUid),
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
              change.project === projectKeyOf(project) &&
              change.kind === kind &&
              change.uid === uid &&
              change.change === 'added',
          ),
        }))
        .sort((a, b) => a.fromRun - b.fromRun)
    },

    async violationsOf({ project, kind, uid }, run) {
      const all = rows().violations.filter((row) => row.project === projectKeyOf(project) && row.fromRun <= run)
      return all
        .filter((row) => row.kind === kind && row.uid === uid)
        .map((row) => {
          const { fingerprint, rule, severity, name, path, message, state, waiver, toRun, ending } = row
          const { resolution = null, endedBy = null } = toRun !== undefined && toRun <= run ? (ending ?? {}) : {}
          return {
            ...{ resolution, endedBy },
            ...{ fingerprint, rule, severity, kind, uid, name, path, message, state },
            ...(waiver === undefined ? {} : { waiver }),
            ...spanOf(row, run),
            isContinued: row.replaces !== undefined,
            goesOn: all.some(({ replaces }) => replaces === row.id),
          }
        })
        .sort((a, b) => a.fromRun - b.fromRun)
    },

    async visitSpans(after, run, visit) {
      const names = new Map(latestScansAt(run).map(({ project }) => [projectKeyOf(project), project.name]))
      const all = rows().violations.filter(({ fromRun }) => fromRun <= run)
      const reaching = all
        .filter(({ toRun }) => toRun === undefined || toRun > after)
        .sort((a, b) => compareText(a.fingerprint, b.fingerprint) || a.id - b.id)
      for (const row of reaching) {
        const { from, to, toRun } = spanOf(row, run)
        visit({
          project: names.get(row.project) ?? '',
          ...{ fingerprint: row.fingerprint, rule: row.rule, severity: row.severity },
          ...{ isWaived: row.waiver !== undefined, firstSeen: startOf(row.firstRun), from, to },
          goesOn: all.some(({ replaces }) => replaces === row.id),
          resolution: toRun === null ? null : (row.ending?.resolution ?? null),
        })
      }
    },

    async referrersOf({ project, kind, uid }, run) {
      const pointer = `${kind}_uid`
      return rows()
        .versions.filter(
          (row) => row.project === projectKeyOf(project) && row.kind === 'subscription' && row.fromRun <= run,
        )
        .filter(({ body }) => JSON.parse(body)[pointer] === uid)
        .map((row) => ({ uid: row.uid, name: row.name, ...spanOf(row, run) }))
        .sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
    },

    async close() {},
  }
}
