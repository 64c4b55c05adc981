import type { RecordedScan } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { meantBy } from '../model/meant-by.ts'
import { isProjectList } from '../model/resource.ts'
import { suggestName } from '../text/nearest-name.ts'
import { quote } from '../text/neutralise.ts'

const mostNamed = 20

/**
 * Finds the project that a person means: by its uid, by its name, by what follows the service in it, or by a beginning
 * of one of them that no other project has.
 * @throws AuditError.usage when there is none, or several
 */
export function findProject(recorded: readonly RecordedScan[], text: string): RecordedScan {
  const scans = recorded.filter(({ project }) => !isProjectList(project))
  const named = scans.flatMap((scan) =>
    [scan.project.name, shortName(scan.project.name)].map((name) => ({ scan, uid: scan.project.uid, name })),
  )
  const [found, ...others] = new Set(meantBy(named, text).map(({ scan }) => scan))
  if (found !== undefined) {
    if (others.length === 0) return found
    throw AuditError.usage(`${quote(text)} means several projects: ${namesOf([found, ...others])}`, {
      advice: 'write service/project',
    })
  }
  const names = scans.map(({ project }) => project.name)
  const known = [...names, ...names.map(shortName)]
  throw AuditError.usage(`no run scanned a project ${quote(text)}${suggestName(text, known)}`, {
    advice: `the history has ${namesOf(scans)}`,
  })
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

function namesOf(scans: readonly RecordedScan[]): string {
  const names = scans.slice(0, mostNamed).map(({ project }) => project.name)
  const left = scans.length - names.length
  return `${names.join(', ') || 'no projects'}${left === 0 ? '' : ` and ${left} more`}`
}
