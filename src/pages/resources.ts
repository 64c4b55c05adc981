import { z } from 'zod'
import type { ListedResource, ResourceListChoice } from '../history/resource-list.ts'
import { listResources } from '../history/sql/list-resources.ts'
import { type Kind, kinds, type ProjectRef } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { presentScans, selectProjects, toCoverageOfAll } from '../questions/as-of.ts'
import { type PageInquiry, type ParameterValues, parameter } from '../questions/question.ts'
import { describeUnlisted, state, stateForm } from '../questions/state.ts'
import type { AnswerView } from '../report/answer.ts'
import { noSuchCursor } from './list-page.ts'
import type { SiteRequest } from './page.ts'
import { questionPage } from './question-page.ts'
import { readResourceCounts, readScans } from './run-facts.ts'

const parameters = {
  text: parameter('--text <text>', 'part of a name or uid, such as "billing-011"', z.string().optional()),
  ...state.parameters,
  state: parameter('--state <state>', 'with removed ones, or without', z.enum(['present', 'all']).optional()),
}

interface ResourceRow {
  readonly name: string
  readonly kind: Kind
  readonly project: string
  readonly uid: string
  readonly unchanged_since: string
  readonly removed_in_run: number | null
}

/** The resources as of a run, or those with a text in their names: of these, also what was removed. */
export const resourcesPage = questionPage({
  path: '/resources',
  title: 'Resources',
  about: 'What the last scan of each project read. A text finds removed ones, too.',
  question: { form: stateForm, parameters, isOfRun: true, isPaged: true as const },
  async read(request: SiteRequest, values: ParameterValues<typeof parameters>, { limit, place }: PageInquiry) {
    const { text, kind, state = text === undefined ? 'present' : 'all', project: patterns } = values
    const scans = presentScans(selectProjects(await readScans(request), patterns))
    const projects = scans.map(({ project }) => project)
    const withRemoved = state === 'all'
    const choice = { run: request.run.number, projects, kind, withRemoved }
    const found = await searchList((one) => listResources(request.history, one), choice, {
      text,
      limit,
      after: place?.token,
    })
    const rows = found.slice(0, limit).map(toRow)
    const last = found.length > limit ? found[limit - 1] : undefined
    const unknown = describeUnlisted(scans, kind)
    const counted = text === undefined && !withRemoved ? [await describeCounts(request, projects, kind)] : []
    const answer = {
      form: stateForm,
      run: null,
      coverage: toCoverageOfAll(scans),
      remarks: unknown,
      unknown,
      conclusion: counted,
      rows,
      omitted: last === undefined ? 0 : ('unknown' as const),
      next: last && tokenOf(last),
    }
    return { answer, view }
  },
  renamed: { q: 'text' },
  alone: ['text', 'state'],
  lacks: 'It lists what is present, of all names.',
})

const view: AnswerView<ResourceRow> = {
  columns: [
    { name: 'name', link: 'resource' },
    'kind',
    { name: 'project', link: 'project' },
    'unchanged_since',
    { name: 'removed_in_run', link: 'run' },
  ],
  nothing: 'No such resource.',
}

function toRow({ project, kind, uid, name, since, removedBy }: ListedResource): ResourceRow {
  return { name, kind, project: project.name, uid, unchanged_since: since, removed_in_run: removedBy }
}

const namesAtOnce = 1000

/** One resource more than the limit, if there are so many: no index finds a part of a name. */
export async function searchList(
  readPart: (choice: ResourceListChoice) => Promise<readonly ListedResource[]>,
  { projects, ...choice }: Omit<ResourceListChoice, 'after' | 'most'>,
  {
    text,
    limit,
    after: token,
  }: { readonly text: string | undefined; readonly limit: number; readonly after: string | undefined },
): Promise<readonly ListedResource[]> {
  const wanted = text === undefined ? '' : foldLetters(text)
  const most = text === undefined ? limit + 1 : namesAtOnce
  const found: ListedResource[] = []
  let place: { readonly at: number; readonly after: ResourceListChoice['after'] } = readToken(token, projects)
  for (;;) {
    const part = await readPart({ ...choice, projects: projects.slice(place.at), after: place.after, most })
    found.push(...part.filter(({ name, uid }) => [name, uid].some((one) => foldLetters(one).includes(wanted))))
    const last = part.at(-1)
    if (found.length > limit || part.length < most || last === undefined) return found
    place = { at: projects.indexOf(last.project), after: last }
  }
}

/** ASCII letters in lower case, regardless of the language. */
function foldLetters(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Names a place in the list. Others may have had the name of its project, one after the other. */
export function tokenOf({ project, kind, uid }: ListedResource): string {
  return String(new URLSearchParams({ service: project.service, project: project.uid, kind, uid }))
}

const tokenSchema = z.object({ service: z.string(), project: z.string(), kind: z.enum(kinds), uid: z.string() })

/** @throws AuditError.usage when it names no place in this list */
function readToken(token: string | undefined, projects: readonly ProjectRef[]) {
  if (token === undefined) return { at: 0, after: undefined }
  const place = tokenSchema.safeParse(Object.fromEntries(new URLSearchParams(token))).data
  const at = projects.findIndex(({ service, uid }) => service === place?.service && uid === place.project)
  if (place === undefined || at < 0) throw noSuchCursor('after')
  return { at, after: { kind: place.kind, uid: place.uid } }
}

async function describeCounts(
  request: SiteRequest,
  projects: readonly ProjectRef[],
  kind: Kind | undefined,
): Promise<string> {
  const names = new Set(projects.map(({ name }) => name))
  const counts = (await readResourceCounts(request)).filter(
    (one) => names.has(one.project.name) && (kind === undefined || one.kind === kind),
  )
  const sum = (all: typeof counts) => all.reduce((total, { resources }) => total + resources, 0)
  const byKind = [...Map.groupBy(counts, (one) => one.kind)].map(([each, alike]) => count(sum(alike), each))
  return `${count(sum(counts), 'resource')}: ${byKind.join(', ')}.`
}
