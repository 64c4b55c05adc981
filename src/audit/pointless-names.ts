import { matchesProject } from '../config/choose-projects.ts'
import type { ScanDraft } from '../history/history.ts'
import type { Policy } from '../policy/policy.ts'
import type { AuditedProject } from './audited-project.ts'

/** What a configuration has besides services that names projects. */
export interface NamingParts {
  readonly schedules: readonly NamingPart[]
  readonly notify: readonly NamingPart[]
}

interface NamingPart {
  readonly name: string
  /** Patterns; none: all projects. */
  readonly projects?: readonly string[]
}

/** What names projects, such as `override`, or `schedule nightly (acme/payments)`, and where: `policy.yaml:4`. */
export interface PointlessName {
  readonly what: string
  readonly at: string | null
}

type NamedProject = Pick<AuditedProject, 'ref' | 'labels'>

/** Overrides and waivers that are for none of these projects. Those of other files than the policy's own are shared. */
export function pointlessInPolicy(
  { file, overrides, waivers, facts, locationOf }: Policy,
  projects: readonly NamedProject[],
): readonly PointlessName[] {
  const selected = [
    ...overrides.map(({ layer, reaches }) => ({
      what: 'override',
      reaches,
      at: locationOf([...layer.values()][0]?.at),
    })),
    ...waivers.map(({ reaches }, index) => ({ what: 'waiver', reaches, at: facts.waivers[index]?.configured_at })),
  ]
  return selected.flatMap(({ what, reaches, at }) => {
    const isOfOthers = at === null || at === undefined || at.file !== file
    if (isOfOthers || projects.some(({ ref, labels }) => reaches(ref, labels))) return []
    return [{ what, at: `${at.file}:${at.line}` }]
  })
}

/** Patterns of schedules and channels that are for none of these projects. */
export function pointlessPatterns(
  { schedules, notify }: NamingParts,
  projects: readonly NamedProject[],
): readonly PointlessName[] {
  const patternsOf = (kind: string, parts: readonly NamingPart[]) =>
    parts.flatMap(({ name, projects = [] }) => projects.map((pattern) => ({ what: `${kind} ${name}`, pattern })))
  return [...patternsOf('schedule', schedules), ...patternsOf('channel', notify)].flatMap(({ what, pattern }) =>
    projects.some(({ ref }) => matchesProject(ref.name, [pattern])) ? [] : [{ what: `${what} (${pattern})`, at: null }],
  )
}

/** Says what names only projects that the service no longer has: it applies to nothing, or to a project of that name. */
export async function notePointless(
  draft: Pick<ScanDraft, 'stageNotice'>,
  policy: Policy,
  parts: NamingParts,
  projects: readonly AuditedProject[],
): Promise<void> {
  const there = projects.filter(({ isMissing }) => isMissing !== true)
  const names = [...pointlessInPolicy(policy, there), ...pointlessPatterns(parts, there)]
  if (names.length === 0) return
  const said = names.map(({ what, at }) => `the ${what}${at === null ? '' : ` (${at})`}`)
  const text = `for no project that is there: ${said.join(', ')}`
  await draft.stageNotice(undefined, { code: 'project_unknown', listing: null, text })
}
