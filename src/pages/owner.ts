import { matchesProject } from '../config/choose-projects.ts'
import { findEndpointsOf } from '../history/sql/list-resources.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import { globOf } from '../model/glob.ts'
import { isOpen } from '../model/violation.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import { countViolations } from '../questions/choose-violations.ts'
import { kindParameter, projectParameter } from '../questions/question.ts'
import { state } from '../questions/state.ts'
import { violations } from '../questions/violations.ts'
import { extentOf } from '../report/gaps.ts'
import { html } from '../report/html/markup.ts'
import { atLastRun } from './find-runs.ts'
import { paths } from './link.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { asked, questionPage, questionSection, showQuestion } from './question-page.ts'
import { readScans } from './run-facts.ts'
import { showNumbers } from './show-numbers.ts'
import { stateFlags } from './violations.ts'

const page = {
  path: '/owners/:owner',
  title: 'Owner',
  about: 'What violates a rule on their endpoints: what is due first at the top.',
  ...asked(violations),
  usual: ({ params }: SiteRequest) => ({ state: 'open', sort: 'due', owner: globOf(params.owner ?? '') }),
  hidden: [...stateFlags, 'owner', 'label'],
  address: ({ params }: SiteRequest) => paths.owner(params.owner ?? ''),
}

const endpoints = {
  path: '/owners/:owner/endpoints',
  title: 'Endpoints',
  about: 'The endpoints that name this owner.',
  question: { form: state.form, parameters: { project: projectParameter, kind: kindParameter }, isOfRun: true },
  async read({ history, run, params }: SiteRequest, { project: patterns }: { readonly project: readonly string[] }) {
    const found = await findEndpointsOf(history, params.owner ?? '', run.number)
    const rows = found
      .map(({ project, ...one }) => ({ ...one, project: project.name }))
      .filter(({ project }) => matchesProject(project, patterns))
    return { answer: { form: state.form, run: null, rows, omitted: 0 }, view: endpointsView }
  },
  usual: () => ({ kind: 'endpoint' }),
  hidden: ['kind'],
  address: ({ params }: SiteRequest) => `${paths.owner(params.owner ?? '')}/endpoints`,
  lacks: 'It lists endpoints of all owners.',
}

const endpointsView = {
  columns: [
    { name: 'name', link: 'resource' },
    { name: 'project', link: 'project' },
  ],
  nothing: 'No endpoint names this owner now.',
} as const

export const ownedEndpointsPage = questionPage(endpoints)

/** An owner: what is open on their endpoints, and which endpoints these are. */
export const ownerPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const { history, run, params } = request
    const owner = params.owner ?? ''
    const active = await readActiveOf(request, owner)
    const owned = await findEndpointsOf(history, owner, run.number)
    if (owned.length + active.length === 0 && !(await hadViolations(request, owner)))
      throw new NotFound(`As of run ${run.number}, no endpoint belongs to ${owner}`)
    const unknown = countViolations(active.filter(({ state }) => state === 'unknown'))
    const extent = extentOf(toCoverageOfAll(await readScans(request)))
    const content = await showQuestion(page, request)
    return {
      ...content,
      title: `Owner ${owner}`,
      crumbs: [{ title: 'Owners', href: request.link('/violations', { 'group-by': 'owner' }) }],
      body: html`${showNumbers({ open: countViolations(active.filter(isOpen)).severities, unknown: unknown.severities, extent })}${content.body}${await questionSection(endpoints, request, 'endpoints')}`,
      atLast: await readAtLast(request, owner),
    }
  },
}

/** The list of owners, where the last run no longer has this one. */
async function readAtLast(request: SiteRequest, owner: string): Promise<string | undefined> {
  const last = await atLastRun(request)
  if (last === undefined || (await readActiveOf(last, owner)).length > 0) return undefined
  const endpoints = await findEndpointsOf(last.history, owner, last.run.number)
  return endpoints.length > 0 || (await hadViolations(last, owner))
    ? undefined
    : last.link('/violations', { 'group-by': 'owner' })
}

/** Whether violations ended on endpoints that were theirs then: lists of these lead here. */
async function hadViolations({ history, run }: SiteRequest, owner: string): Promise<boolean> {
  const listed = await listViolations(history, { run: run.number, resolvedAfter: 0, withOwners: true })
  return listed.some((violation) => violation.owner === owner)
}

async function readActiveOf({ history, run }: SiteRequest, owner: string): Promise<readonly ListedViolation[]> {
  const active = await listViolations(history, { run: run.number, withOwners: true })
  return active.filter((violation) => violation.owner === owner)
}
