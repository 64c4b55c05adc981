import { hash } from 'node:crypto'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type ProjectRef, projectKey } from '../model/resource.ts'
import { type ProjectState, readState } from './state-file.ts'

/** The file system, as far as reading a directory needs it. */
export interface Files {
  /** Names in a directory. */
  list(directory: string): readonly string[]
  read(file: string): string
}

/**
 * Reads the states of a directory, one file per project.
 * @throws AuditError.usage when a file is not a state or is damaged (`file:line:column`), or two are of one project
 */
export function readStates(directory: string, files: Files): readonly ProjectState[] {
  const names = attempt(`cannot read the directory ${directory}`, () => files.list(directory))
  const stateNames = names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.')).sort()
  if (stateNames.length === 0) {
    throw AuditError.usage(`${directory} contains no state: expected files that \`hookdrift baseline export\` writes`)
  }
  const first = new Map<string, string>()
  return stateNames.map((name) => {
    const file = `${directory}/${name}`
    const state = readState(
      attempt(`cannot read ${file}`, () => files.read(file)),
      file,
    )
    const key = projectKey(state.project)
    const other = first.get(key)
    if (other !== undefined) throw AuditError.usage(`${file} and ${other} are states of the same project`)
    first.set(key, file)
    return state
  })
}

function attempt<Result>(doing: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw AuditError.usage(`${doing}: ${reasonOf(error)}`, { cause: error })
  }
}

/** A file name for each project: readable, harmless, and unique where case is ignored. */
export function fileNames(projects: readonly ProjectRef[]): ReadonlyMap<ProjectRef, string> {
  const plain = projects.map((project) => [project, plainName(project.name)] as const)
  const alike = Map.groupBy(plain, ([, name]) => name.toLowerCase())
  return new Map(
    plain.map(([project, name]) => {
      const isOwn = name === project.name.replace('/', '--') && alike.get(name.toLowerCase())?.length === 1
      return [project, `${isOwn ? name : `${name}-${digestOf(project)}`}.yaml`]
    }),
  )
}

function plainName(name: string): string {
  return name
    .replace('/', '--')
    .replace(/^\.|[^A-Za-z0-9._-]/g, '_')
    .slice(0, 100)
}

function digestOf(project: ProjectRef): string {
  return hash('sha256', projectKey(project)).slice(0, 8)
}
