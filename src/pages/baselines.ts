import { matchesProject } from '../config/choose-projects.ts'
import { type Approval, activeApprovals } from '../history/approvals.ts'
import { selectProjects, toCoverageOfAll } from '../questions/as-of.ts'
import { baselineDiff, readBaselineDiff } from '../questions/baseline-diff.ts'
import { baselines, readBaselines } from '../questions/baselines.ts'
import { diffView } from '../questions/diff.ts'
import type { PageInquiry, ParameterValues } from '../questions/question.ts'
import { approvalsAsOf } from '../questions/signed-as-of.ts'
import { html } from '../report/html/markup.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { questionPage, questionSection, showQuestion } from './question-page.ts'
import { readScans } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'

const page = {
  path: '/baselines',
  title: 'Baselines',
  about: 'The states that people approved: drift rules compare with those that are active.',
  question: baselines,
  async read(request: SiteRequest, chosen: ParameterValues<typeof baselines.parameters>, { limit }: PageInquiry) {
    const approvals = await approvedBy(request)
    return readBaselines(request.history, { ...chosen, run: signedBy(request), limit, approvals })
  },
  usual: () => ({ all: 'true' }),
  hidden: ['all'],
}

const differences = {
  path: '/baselines/differences',
  title: 'What differs from the approved states',
  about: 'What differs in the run of the page from the states that people had approved by then.',
  question: baselineDiff,
  async read(request: SiteRequest, { project }: { readonly project: readonly string[] }, { limit }: PageInquiry) {
    const approvals = await approvedBy(request)
    if (!isApproved(approvals, project)) {
      const nothing = 'No state is approved with which to compare.'
      return { answer: { form: baselineDiff.form, run: null, rows: [], omitted: 0 }, view: { ...diffView, nothing } }
    }
    const { history, run } = request
    const { answer, isPartial } = await readBaselineDiff(history, { run, projects: project, limit, approvals })
    const extent = isPartial ? ' in what was scanned; the rest is unknown' : ''
    return { answer, view: { ...diffView, nothing: `Nothing differs from the approved states${extent}.` } }
  },
  lacks: 'It compares with the states that are approved now.',
}

/** The run by whose end states were approved; undefined: now. */
function signedBy({ run, isLatest }: SiteRequest) {
  return isLatest ? undefined : run
}

/** What a page and its section need is read once for a request. */
const approvalsOf = new WeakMap<SiteRequest, ReturnType<typeof approvalsAsOf>>()

function approvedBy(request: SiteRequest) {
  const reading = approvalsOf.get(request) ?? approvalsAsOf(request.history, signedBy(request))
  approvalsOf.set(request, reading)
  return reading
}

function isApproved(approvals: readonly Approval[], projects: readonly string[]): boolean {
  return activeApprovals(approvals).some(({ project }) => matchesProject(project.name, projects))
}

export const differencesPage = questionPage(differences)

/** The states that people approved, and what differs from them in a run. */
export const baselinesPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const content = await showQuestion(page, request)
    const projects = request.query.all('project')
    const scans = selectProjects(await readScans(request), projects)
    const isCompared = isApproved(await approvedBy(request), projects)
    return {
      ...content,
      alarm: await showGaps(request, toCoverageOfAll(scans)),
      body: html`${content.body}${isCompared && (await questionSection(differences, request, 'differences'))}`,
    }
  },
}
