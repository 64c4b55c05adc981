import { composeReport } from '../audit/compose-report.ts'
import { expectedOf, recordOf, scannedIn } from '../audit/policy-results.ts'
import type { PolicyResults } from '../compliance/gather-compliance.ts'
import { isSilenced, untilChanged, withoutChanged } from '../compliance/silenced-violations.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { inReportOrder } from '../history/report-order.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import type { ResolvedViolation } from '../history/sql/violations.ts'
import { windowTimes } from '../policy/change-window.ts'
import type { Policy } from '../policy/policy.ts'
import type { ViolationLifetime } from './replay-draft.ts'
import { type Replay, replayPolicy } from './replay-policy.ts'

/** What the last run of a replay would have said: what is active, and what it found gone; in the order of reports. */
export function violationsOf({ active, ended }: Replay, run: CommittedRun): readonly RecordedViolation[] {
  const gone = ended.filter((violation) => violation.gone === run)
  return [...active, ...gone].map((violation) => lifetimeRecord(violation, run)).sort(inReportOrder)
}

/** What was resolved in runs after `after`, up to `upTo`: the latest first. */
export function resolvedIn({ ended }: Replay, after: number, upTo: number): readonly ResolvedViolation[] {
  return ended
    .flatMap((violation) => {
      const { gone } = violation
      if (gone === undefined || gone.number <= after || gone.number > upTo) return []
      return [{ ...lifetimeRecord(violation, gone), resolved_run: gone.number, resolved_at: gone.started_at }]
    })
    .sort((a, b) => b.resolved_run - a.resolved_run || inReportOrder(a, b))
}

/** What a history would hold, had a policy evaluated all its runs. Each run that is asked about is replayed once. */
export function replayedPolicyResults(history: HistoryReader, policy: Policy, clock: () => number): PolicyResults {
  const replays = new Map<number, Promise<{ readonly replay: Replay; readonly run: CommittedRun }>>()
  const replayTo = async (number: number) => {
    const runs = (await listRuns(history)).filter((run) => run.number <= number)
    const run = runs.at(-1)
    if (run === undefined) throw new Error(`there is no run up to ${number}`)
    return { replay: await replayPolicy(history, { policy, runs, clock }), run }
  }
  const upTo = (number: number) => {
    const replay = replays.get(number) ?? replayTo(number)
    replays.set(number, replay)
    return replay
  }
  return {
    async resultsOf(number) {
      const record = await recordOf(history, number)
      const { replay, run } = await upTo(number)
      const scanned = scannedIn(record)
      const violations = violationsOf(replay, run).filter(({ project }) => scanned.has(project))
      const report = composeReport({ ...record, ...replay.context, policy_digest: policy.digest, violations })
      const original_policy = record.policy_digest
      const replayedWith = { policy: policy.digest, original_policy, not_evaluated: replay.notEvaluated }
      return { report, policy: policy.facts, scope: record.scope, replayedWith }
    },
    async elsewhere(number) {
      const scanned = scannedIn(await recordOf(history, number))
      const { replay, run } = await upTo(number)
      return violationsOf(replay, run).filter(({ project, state }) => state !== 'resolved' && !scanned.has(project))
    },
    async silenced(number) {
      const ended = resolvedIn((await upTo(number)).replay, 0, number)
      return withoutChanged(history, ended.filter(isSilenced), number)
    },
    async silencedBefore(before, runs) {
      const last = runs.at(-1)?.number ?? before
      const ended = resolvedIn((await upTo(last)).replay, 0, before).filter(isSilenced)
      return untilChanged(history, await withoutChanged(history, ended, before), runs)
    },
    // As if there never was another policy.
    policiesBetween: async () => [],
    async expectedBetween(after, number) {
      const runs = (await listRuns(history)).map((run) => run.number).filter((run) => run > after && run <= number)
      return expectedOf(history, policy.windows.length === 0 ? [] : runs, ({ project, between }) =>
        windowTimes(
          policy.windows.filter(({ isFor }) => isFor(project)),
          [between],
        ),
      )
    },
    // A replay lists its waivers as of the run; those that ended before were never in force.
    waivedBetween: async () => [],
    acceptancesEndedBetween: async () => [],
    async resolvedBefore(after, number) {
      return resolvedIn((await upTo(number)).replay, after, number - 1)
    },
  }
}

/** As the record of a run has it. */
export function lifetimeRecord(violation: ViolationLifetime, run: CommittedRun): RecordedViolation {
  const { project, fingerprint, rule, severity, kind, uid, name, path, message } = violation
  const { state, waiver, first, last, gone, ending, owner } = violation
  const active = state === 'open' ? (first === run ? 'opened' : 'continuing') : state
  return {
    fingerprint,
    rule,
    severity,
    kind,
    uid,
    name,
    owner,
    path,
    message,
    project: project.name,
    state: gone === undefined ? active : 'resolved',
    first_seen: first.started_at,
    last_seen: last.started_at,
    resolution: ending?.resolution ?? null,
    ended_by: ending?.ended_by ?? null,
    ...(waiver === undefined || gone !== undefined ? {} : { waiver }),
  }
}
