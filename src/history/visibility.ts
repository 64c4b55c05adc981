import { type Coverage, isCoverageComplete } from '../model/coverage.ts'
import { isProjectList, type ProjectRef } from '../model/resource.ts'
import type { RecordedScan } from './reader.ts'
import type { RunRecord } from './records.ts'

/** Of which projects a reader may know. */
export interface Visibility {
  /** By its name at that time: `service/project`. */
  isVisible(project: string): boolean
  /** Whether it may be any project of a service, known or not. */
  seesService(service: string): boolean
}

/**
 * Whether a reader may know of a project, or of a list that was not read: a project of theirs may be missing from it. A
 * list that was read says how many projects there are, and is for those who may see all of them.
 */
export function isSeenProject({ isVisible, seesService }: Visibility, project: ProjectRef, isComplete: boolean) {
  return isVisible(project.name) || (!isComplete && isProjectList(project) && seesService(project.service))
}

/** The scans that a reader may know of. */
export function seenScans(scans: readonly RecordedScan[], visibility: Visibility): RecordedScan[] {
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
    ...{ reason: 'the list of projects was not read to its end: projects may be missing', filter: null },
    ...{ pages: 0, items: 0, requests: 0, retries: 0, durationMs: 0 },
  }
}
