import type { PolicyResults } from '../../compliance/policy-results.ts'
import type { CommittedRun, ResolvedViolation } from '../../history/reader.ts'
import type { RecordedViolation } from '../../history/records.ts'
import { inReportOrder } from '../../history/report-order.ts'
import { policyProject } from '../../model/resource.ts'
import type { Policy } from '../../policy/policy.ts'
import { composeReport } from '../compose-report.ts'
import { recordOf as readRecord } from '../policy-results.ts'
import { recordOf } from './ledger.ts'
import { type PolicyReplay, type ReplayedHistory, replayPolicy } from './replay-policy.ts'

/** What the last run of a replay would have said: what stands, and what it found gone; in the order of reports. */
export function violationsOf({ standing, ended }: PolicyReplay, run: CommittedRun): readonly RecordedViolation[] {
  const gone = ended.filter((stretch) => stretch.gone === run)
  return [...standing, ...gone].map((stretch) => recordOf(stretch, run)).sort(inReportOrder)
}

/** What was resolved in runs after `after`, up to `upTo`: the latest first. */
export function resolvedIn({ ended }: PolicyReplay, after: number, upTo: number): readonly ResolvedViolation[] {
  return ended
    .flatMap((stretch) => {
      const { gone } = stretch
      if (gone === undefined || gone.number <= after || gone.number > upTo) return []
      return [{ ...recordOf(stretch, gone), run: gone.number, resolvedAt: gone.startedAt }]
    })
    .sort((a, b) => b.run - a.run || inReportOrder(a, b))
}

/** What a history would hold, had a policy judged all its runs. Each run that is asked about is replayed once. */
export function replayedPolicyResults(history: ReplayedHistory, policy: Policy, clock: () => number): PolicyResults {
  const replays = new Map<number, Promise<{ readonly replay: PolicyReplay; readonly run: CommittedRun }>>()
  const replayTo = async (number: number) => {
    const runs = (await history.runs()).filter((run) => run.number <= number)
    const run = runs.at(-1)
    if (run === undefined) throw new Error(`there is no run up to ${number}`)
    return { replay: await replayPolicy(history, { policy, runs, clock }), run }
  }
  const upTo = (number: number) => {
    const known = replays.get(number) ?? replayTo(number)
    replays.set(number, known)
    return known
  }
  return {
    async resultsOf(number) {
      const record = await readRecord(history, number)
      const { replay, run } = await upTo(number)
      const scanned = new Set([policyProject.name, ...record.coverage.map(({ project }) => project)])
      const violations = violationsOf(replay, run).filter(({ project }) => scanned.has(project))
      const report = composeReport({ ...record, ...replay.context, policyDigest: policy.digest, violations })
      const original_policy = record.policyDigest
      return { report, replayedWith: { policy: policy.digest, original_policy, not_evaluated: replay.unjudged } }
    },
    // A replay tells its waivers as of the run; those that ended before were never in force.
    waivedBetween: async () => [],
    async resolvedBefore(after, number) {
      return resolvedIn((await upTo(number)).replay, after, number - 1)
    },
  }
}
