import { openMarks } from '../marks/open-marks.ts'
import type { Json } from '../model/json.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { listings } from '../model/resource.ts'
import type { ExpectedState } from './expected-state.ts'
import { filterText } from './filtered.ts'
import type { ProjectContext } from './project-context.ts'
import { openProjectMarks, type ProjectMarks } from './project-marks.ts'
import type { AuditedProject } from './project-scan.ts'

/** What recognising takes in every project of a run. */
export interface Marking {
  /** For digests of what a service sends. */
  readonly key: Buffer
  /** All of the run that decides results: tool, policy, configuration, keys, waivers in force. */
  readonly terms: Json
}

interface OfProject {
  readonly expected: ExpectedState | undefined
  readonly accepted: ReadonlySet<string>
  readonly shown: ReadonlySet<ResourceKey>
  readonly mustRead: readonly ResourceKey[]
}

/** Opens the marks of a project; undefined where every item must be read. */
export async function openMarksOf(
  project: AuditedProject,
  { draft, now, filters }: ProjectContext,
  marking: Marking | undefined,
  { expected, accepted, shown, mustRead }: OfProject,
): Promise<ProjectMarks | undefined> {
  // What files approve is compared with everything, once.
  if (marking === undefined || project.expected !== undefined) return undefined
  const { ref, labels } = project
  const approval = expected === undefined ? null : [expected.run ?? null, expected.approval?.at ?? null]
  const terms = [
    ...[marking.terms, labels, approval, [...accepted].sort()],
    listings.map((listing) => filterText(listing, filters)),
  ]
  const marks = await openMarks(draft, ref, { key: marking.key, terms })
  const unknown = marks.hold ? await draft.unconfirmedViolations(ref) : []
  const undecided = unknown.filter(({ state }) => state === 'unknown').map(resourceKey)
  return openProjectMarks(marks, {
    ...{ draft, project: ref, now, shown, mustRead: new Set([...mustRead, ...undecided]) },
    // What is younger than the approved state is compared with it in every run.
    needsNoComparison: ({ since }) => expected === undefined || (expected.run !== undefined && since <= expected.run),
  })
}
