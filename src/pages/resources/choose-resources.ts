import type { ResourceListChoice } from '../../history/resource-list.ts'
import { AuditError } from '../../model/errors.ts'
import { kinds, type ProjectRef } from '../../model/resource.ts'
import { selectProjects, toCoverage } from '../../questions/as-of.ts'
import type { AnswerCoverage } from '../../report/answer.ts'
import type { SiteLinkQuery } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { readChoice } from '../query.ts'
import { readScans } from '../run-facts.ts'

const filters = ['q', 'project', 'kind', 'state'] as const
export const resourceParameters = [...filters, 'after-project', 'after-kind', 'after'] as const

export interface ChosenResources {
  readonly text: string | undefined
  /** All that are asked for; the list begins at one of them. */
  readonly projects: readonly ProjectRef[]
  readonly coverage: readonly AnswerCoverage[]
  readonly list: Omit<ResourceListChoice, 'most'>
}

/**
 * What the address asks for. A name finds removed resources too, unless the address says otherwise.
 * @throws AuditError.usage for an unknown project, kind, state or place in the list
 */
export async function chooseResources(request: SiteRequest): Promise<ChosenResources> {
  const { query, run } = request
  const scans = selectProjects(await readScans(request), query.all('project'))
  const projects = scans.map(({ project }) => project)
  const [kind, text] = [readChoice(query, 'kind', kinds), query.one('q')]
  const state = readChoice(query, 'state', ['present', 'all']) ?? (text === undefined ? 'present' : 'all')
  const place = { run: run.number, ...readPlace(request, projects) }
  const list = { ...place, kind, withRemoved: state === 'all' }
  return { text, projects, coverage: scans.flatMap(toCoverage), list }
}

/** The parameters that choose, without the place in the list. */
export function filtersOf({ query }: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(filters.map((name) => [name, query.all(name)]))
}

/** Where the list goes on, and the projects from there on. */
function readPlace(
  { query }: SiteRequest,
  projects: readonly ProjectRef[],
): Pick<ResourceListChoice, 'projects' | 'after'> {
  const [project, kind, uid] = [query.one('after-project'), readChoice(query, 'after-kind', kinds), query.one('after')]
  if (project === undefined && kind === undefined && uid === undefined) return { projects, after: undefined }
  const at = projects.findIndex(({ name }) => name === project)
  if (kind !== undefined && uid !== undefined && at >= 0) return { projects: projects.slice(at), after: { kind, uid } }
  throw AuditError.usage('"after-project", "after-kind" and "after" name no place in this list', {
    advice: 'Begin with the first page of the list.',
  })
}
