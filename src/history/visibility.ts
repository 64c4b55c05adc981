import { type Coverage, isCoverageComplete } from '../model/coverage.ts'
import { matchesGlob } from '../model/glob.ts'
import type { Note } from '../model/note.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import { isProjectList, type Kind, type ProjectRef } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import type { RunRecord } from './records.ts'

/** Of which projects a reader may know. */
export interface Visibility {
  /** Whether it is all of them. */
  readonly isWhole: boolean
  /** By its name at that time: `service/project`. */
  isVisible(project: string): boolean
  /** Whether it may be any project of a service, known or not. */
  seesService(service: string): boolean
}

export const everyProject: Visibility = { isWhole: true, isVisible: () => true, seesService: () => true }

/**
 * Whether a reader may know of a project, or of a list that was not read: a project of theirs may be missing from it. A
 * list that was read says how many projects there are, and is for those who may see all of them.
 */
export function isSeenProject({ isVisible, seesService }: Visibility, project: ProjectRef, isComplete: boolean) {
  return isVisible(project.name) || (!isComplete && isProjectList(project) && seesService(project.service))
}

/**
 * Which violations a reader may know of: those of visible projects, and what is found of a service, where one of its
 * projects is visible. `names`: of scanned projects.
 */
export function seesViolations({ isVisible }: Visibility, names: readonly string[]) {
  const services = new Set(names.filter(isVisible).map(serviceOf))
  return ({ project, kind }: { readonly project: string; readonly kind: Kind }) =>
    isVisible(project) || (kind === 'service' && services.has(serviceOf(project)))
}

/** The scans that a reader may know of. */
export function seenScans<Scan extends { readonly project: ProjectRef; readonly coverage: readonly Coverage[] }>(
  scans: readonly Scan[],
  visibility: Visibility,
): readonly Scan[] {
  if (visibility.isWhole) return scans
  return scans.flatMap((scan) => {
    if (!isSeenProject(visibility, scan.project, isCoverageComplete(scan.coverage))) return []
    const seen = visibility.isVisible(scan.project.name) ? withoutOwner : ofServiceOnly
    return [{ ...scan, coverage: scan.coverage.map(seen) }]
  })
}

/** The same of the walks of a run. */
export function seenWalks(walks: RunRecord['coverage'], visibility: Visibility): RunRecord['coverage'] {
  return walks.flatMap((walk) => {
    if (visibility.isVisible(walk.project)) return [withoutOwner(walk)]
    // Its name is that of the service and a star.
    const isSeen = walk.listing === 'projects' && visibility.seesService(walk.project.slice(0, -2))
    return isSeen && !isCoverageComplete([walk]) ? [ofServiceOnly(walk)] : []
  })
}

/** The reason of answers of another project names that project, which the reader may not know of. */
function withoutOwner<Walk extends Coverage>(walk: Walk): Walk {
  if (walk.cause !== 'foreign') return walk
  return { ...walk, reason: 'the answer is of another project: the key is not one for this project' }
}

/** That a list was not read, and nothing of what it would have shown or did show. */
function ofServiceOnly<Walk extends Coverage>(walk: Walk): Walk {
  return {
    ...walk,
    reason: 'the list of projects was not read to its end: projects may be missing',
    filter: null,
    pages: 0,
    items: 0,
    requests: 0,
    retries: 0,
    duration_ms: 0,
  }
}

/**
 * What was said of hidden projects, or of the run in words that may name them, is left out. Its causes are those of
 * visible projects already.
 */
export function seenRecord(record: RunRecord, visibility: Visibility): RunRecord {
  if (visibility.isWhole) return record
  const { isVisible } = visibility
  const isSeen = ({ project }: { readonly project: string }) => isVisible(project)
  const visible = [...record.projects.map(({ project }) => project), ...record.scope.unscanned].filter(isVisible)
  return {
    ...record,
    projects: record.projects.filter(isSeen),
    coverage: seenWalks(record.coverage, visibility),
    notices: record.notices.filter(({ project, code }) =>
      project === null ? code === 'clock_went_back' : isVisible(project),
    ),
    changes: record.changes.filter(isSeen),
    notes: seenNotes(record.notes, visibility),
    violations: record.violations.filter(seesViolations(visibility, visible)),
    accepted: record.accepted.filter(isSeen),
    policy: seenPolicy(record.policy, visible),
    scope: seenScope(record.scope, visible),
  }
}

/** Notes about hidden projects are left out, and so are the names of these where a note is about others too. */
export function seenNotes<Seen extends Note>(
  notes: readonly Seen[],
  { isWhole, isVisible }: Visibility,
): readonly Seen[] {
  if (isWhole) return notes
  return notes.flatMap((note) => {
    const projects = note.projects.filter(isVisible)
    return note.projects.length > 0 && projects.length === 0 ? [] : [{ ...note, projects }]
  })
}

/** An override for hidden projects is not theirs to know, nor are the names of what another one is for. */
export function seenPolicy(
  { packs, exceptions, waivers, ignored }: PolicyFacts,
  visible: readonly string[],
): PolicyFacts {
  const isReached = (pattern: string) => visible.some((name) => matchesGlob(name, pattern))
  return {
    packs,
    exceptions: exceptions.flatMap((exception) =>
      exception.projects === null || exception.projects.some(isReached)
        ? [{ ...exception, match: null, projects: null }]
        : [],
    ),
    waivers,
    ...(ignored && { ignored }),
  }
}

/** The name of a schedule may be that of a hidden project. */
function seenScope(scope: RunScope, visible: readonly string[]): RunScope {
  const services = new Set(visible.map(serviceOf))
  return {
    company: scope.company,
    gateways: scope.gateways.filter(({ service }) => services.has(service)),
    unscanned: scope.unscanned.filter((name) => visible.includes(name)),
    schedules: scope.schedules.map((schedule) => ({ ...schedule, name: '' })),
    schedule: null,
  }
}

function serviceOf(project: string): string {
  return project.slice(0, project.indexOf('/'))
}
