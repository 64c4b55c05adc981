import type { ScanDraft } from '../../history/history.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Probe } from '../../policy/probe.ts'
import type { ProjectOutcome } from '../project-outcome.ts'
import type { KnownProbe, NamedTarget } from './name-probes.ts'

export interface NotRun extends NamedTarget {
  readonly why: string
}

interface SkippedProbes {
  readonly notRun: readonly NotRun[]
  readonly carried: readonly KnownProbe[]
}

/** What a reader must know of the probes of a project that gave no result: one notice for each reason. */
export function describeSkippedProbes({ notRun, carried }: SkippedProbes): ProjectNotice[] {
  const reasons = [
    ...notRun.map(({ outcomeUid, why }) => ({ uid: outcomeUid, why: `did not run: ${why}` })),
    ...carried.map(({ uid }) => ({ uid, why: 'did not run: the scan did not show its function' })),
  ]
  const byReason = Map.groupBy(reasons, ({ why }) => why)
  return [...byReason].map(([why, group]) => ({
    code: 'probe_not_run',
    listing: null,
    text: `${namesOf(group.map(({ uid }) => uid))} ${why}`,
  }))
}

/** A probe that is about nothing anywhere tests nothing, as after a slip in its selector. */
export async function noteUnmatchedProbes(
  draft: ScanDraft,
  probes: readonly Probe[],
  outcomes: readonly ProjectOutcome[],
): Promise<void> {
  const idle = probes.filter(({ name }) => !outcomes.some(({ probed }) => probed.includes(name)))
  if (outcomes.length === 0 || idle.length === 0) return
  const text = `${namesOf(idle.map(({ name }) => name))} did not run: no function matches its selector`
  await draft.stageNotice(undefined, { code: 'probe_unmatched', listing: null, text })
}

const mostNames = 5

function namesOf(uids: readonly string[]): string {
  const shown = uids.slice(0, mostNames).join(', ')
  const left = uids.length - mostNames
  return `${uids.length === 1 ? 'the probe' : 'the probes'} ${shown}${left > 0 ? ` and ${left} more` : ''}`
}
