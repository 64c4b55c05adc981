import type { ListedResource, ResourceListChoice } from '../history/resource-list.ts'
import { AuditError } from '../model/errors.ts'
import { kinds, type ProjectRef } from '../model/resource.ts'
import { presentScans, selectProjects, toCoverage } from '../questions/as-of.ts'
import { describeUnlisted } from '../questions/state.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import type { SiteLinkQuery } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { readScans } from './run-facts.ts'

const filters = ['q', 'project', 'kind', 'state'] as const

export const rowsPerPage = 50

/** How many names a page reads for a text: no index finds a part of a name. */
export const mostNames = 2000

const namesAtOnce = 1000

export interface ResourcePage {
  readonly resources: readonly ListedResource[]
  /** The resource after which the list goes on, which need not be shown; undefined at its end. */
  readonly goesOnAfter: ListedResource | undefined
  /** Whether the page read as many names as it may before it was full. */
  readonly isCut: boolean
}

/** Reads a part of the list of resources. */
type ReadPart = (choice: ResourceListChoice) => Promise<readonly ListedResource[]>

/** A page of the list that is asked for. For a text, it reads a bounded number of names from its cursor on. */
export async function findResources(
  readPart: ReadPart,
  { list, text }: Pick<ChosenResources, 'list' | 'text'>,
): Promise<ResourcePage> {
  if (text !== undefined) return searchList(readPart, list, text)
  // One more than is shown: whether the list goes on.
  const resources = await readPart({ ...list, most: rowsPerPage + 1 })
  const page = resources.slice(0, rowsPerPage)
  return { resources: page, goesOnAfter: resources.length > page.length ? page.at(-1) : undefined, isCut: false }
}

export const resourceParameters = [...filters, 'after-project', 'after-kind', 'after'] as const

export interface ChosenResources {
  readonly text: string | undefined
  /** All that are asked for; the list begins at one of them. */
  readonly projects: readonly ProjectRef[]
  readonly coverage: readonly AnswerCoverage[]
  /** That no walk lists the kind that is asked for; empty where one does. */
  readonly unlisted: readonly string[]
  readonly list: Omit<ResourceListChoice, 'most'>
}

/**
 * What the address asks for. A name finds removed resources too, unless the address says otherwise.
 * @throws AuditError.usage for an unknown project, kind, state or cursor in the list
 */
export async function chooseResources(request: SiteRequest): Promise<ChosenResources> {
  const { query, run } = request
  const scans = presentScans(selectProjects(await readScans(request), query.all('project')))
  const projects = scans.map(({ project }) => project)
  const [kind, text] = [readChoice(query, 'kind', kinds), query.one('q')]
  const state = readChoice(query, 'state', ['present', 'all']) ?? (text === undefined ? 'present' : 'all')
  const start = { run: run.number, ...readStart(request, projects) }
  const list = { ...start, kind, withRemoved: state === 'all' }
  return { text, projects, coverage: scans.flatMap(toCoverage), unlisted: describeUnlisted(scans, kind), list }
}

/** The parameters that choose, without the cursor in the list. */
export function filtersOf({ query }: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(filters.map((name) => [name, query.all(name)]))
}

async function searchList(readPart: ReadPart, list: ChosenResources['list'], text: string): Promise<ResourcePage> {
  const wanted = foldLetters(text)
  const resources: ListedResource[] = []
  let last: ListedResource | undefined
  for (let read = 0; read < mostNames; read += namesAtOnce) {
    const part = await readPart({
      ...(last === undefined ? list : listAfter(list, last)),
      most: namesAtOnce,
    })
    for (const resource of part) {
      if ([resource.name, resource.uid].some((value) => foldLetters(value).includes(wanted))) {
        if (resources.length === rowsPerPage) return { resources, goesOnAfter: resources.at(-1), isCut: false }
        resources.push(resource)
      }
      last = resource
    }
    if (part.length < namesAtOnce) return { resources, goesOnAfter: undefined, isCut: false }
  }
  return { resources, goesOnAfter: last, isCut: true }
}

function listAfter(list: ChosenResources['list'], last: ListedResource): ChosenResources['list'] {
  const projects = list.projects.slice(list.projects.indexOf(last.project))
  return { ...list, projects, after: last }
}

/** ASCII letters in lower case, regardless of the language. */
function foldLetters(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Names a project in an address: others may have had its name, one after the other. */
export function cursorOf({ service, uid }: ProjectRef): string {
  return `${service}/${uid}`
}

/** Where the list goes on, and the projects from there on. */
function readStart(
  { query }: SiteRequest,
  projects: readonly ProjectRef[],
): Pick<ResourceListChoice, 'projects' | 'after'> {
  const [project, kind, uid] = [query.one('after-project'), readChoice(query, 'after-kind', kinds), query.one('after')]
  if (project === undefined && kind === undefined && uid === undefined) return { projects, after: undefined }
  const at = projects.findIndex((one) => one.name === project || cursorOf(one) === project)
  if (kind !== undefined && uid !== undefined && at >= 0) return { projects: projects.slice(at), after: { kind, uid } }
  throw AuditError.usage('"after-project", "after-kind" and "after" name no place in this list', {
    advice: 'Begin with the first page of the list.',
  })
}
