import type { Draft } from '../history/history.ts'
import type { Probe } from '../policy/probe.ts'
import type { KnownProbe, NamedTarget } from './name-probes.ts'
import type { ProjectOutcome } from './project-outcome.ts'

export interface NotRun extends NamedTarget {
  readonly why: string
}

interface Tellable {
  readonly notRun: readonly NotRun[]
  readonly carried: readonly KnownProbe[]
}

/** What a reader must know of the probes of a project that gave no result: one line for each reason. */
export function tellProbes({ notRun, carried }: Tellable): string[] {
  const reasons = [
    ...notRun.map(({ outcomeUid, why }) => ({ uid: outcomeUid, why: `did not run: ${why}` })),
    ...carried.map(({ uid }) => ({ uid, why: 'did not run: what it is about was not seen by this look' })),
  ]
  // Each exchange has a name of its own, which must not make a reason of its own.
  const byReason = Map.groupBy(reasons, ({ why }) => why.replace(/ \(request id [^)]*\)$/, ''))
  return [...byReason].map(([why, group]) => `${namesOf(group.map(({ uid }) => uid))} ${why}`)
}

/** A probe that is about nothing anywhere tests nothing, as after a slip in its selector: told once, at the first project. */
export async function tellIdleProbes(
  draft: Draft,
  probes: readonly Probe[],
  outcomes: readonly ProjectOutcome[],
): Promise<void> {
  const idle = probes.filter(({ name }) => !outcomes.some(({ probed }) => probed.includes(name)))
  const [first] = outcomes
  if (first === undefined || idle.length === 0) return
  const names = namesOf(idle.map(({ name }) => name))
  await draft.stageNotice(first.project, 'sources', `${names} did not run: no function that was seen is meant`)
}

const mostNames = 5

function namesOf(uids: readonly string[]): string {
  const shown = uids.slice(0, mostNames).join(', ')
  const left = uids.length - mostNames
  return `${uids.length === 1 ? 'the probe' : 'the probes'} ${shown}${left > 0 ? ` and ${left} more` : ''}`
}
