import { matchesProject } from '../config/choose-projects.ts'
import { type Approval, activeApprovals } from '../history/approvals.ts'
import { selectProjects, toCoverageOfAll } from '../questions/as-of.ts'
import { baselineDiff, readBaselineDiff } from '../questions/baseline-diff.ts'
import { baselines, readBaselines } from '../questions/baselines.ts'
import { diffView } from '../questions/diff.ts'
import { approvalsAsOf } from '../questions/signed-as-of.ts'
import { html } from '../report/html/markup.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { asked, questionPage, questionSection, showQuestion } from './question-page.ts'
import { readScans } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'

const page = {
  path: '/baselines',
  title: 'Baselines',
  about: 'The states that people approved: drift rules compare with those that are active.',
  ...asked(baselines),
  usual: () => ({ all: 'true' }),
  hidden: ['all'],
}

/** What differs from the states that people had approved by the run of the page. */
function differencesFrom(approvals: readonly Approval[]) {
  return {
    path: '/baselines/differences',
    title: 'What differs from the approved states',
    about: 'What differs in the run of the page from the states that people had approved by then.',
    question: baselineDiff,
    async read(
      { history, run }: SiteRequest,
      { project }: { readonly project: readonly string[] },
      { limit }: { readonly limit: number },
    ) {
      if (!isApproved(approvals, project)) {
        const nothing = 'No state is approved with which to compare.'
        return { answer: { form: baselineDiff.form, run: null, rows: [], omitted: 0 }, view: { ...diffView, nothing } }
      }
      const { answer, isPartial } = await readBaselineDiff(history, { run, projects: project, limit, approvals })
      const extent = isPartial ? ' in what was scanned; the rest is unknown' : ''
      return { answer, view: { ...diffView, nothing: `Nothing differs from the approved states${extent}.` } }
    },
    lacks: 'It compares with the states that are approved now.',
  }
}

function isApproved(approvals: readonly Approval[], projects: readonly string[]): boolean {
  return activeApprovals(approvals).some(({ project }) => matchesProject(project.name, projects))
}

/** The run by whose end states were approved; undefined: now. */
function signedBy({ run, isLatest }: SiteRequest) {
  return isLatest ? undefined : run
}

export const differencesPage: SitePage = {
  ...questionPage(differencesFrom([])),
  show: async (request) =>
    showQuestion(differencesFrom(await approvalsAsOf(request.history, signedBy(request))), request),
}

/** The states that people approved, and what differs from them in a run. */
export const baselinesPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const { history } = request
    const run = signedBy(request)
    const approvals = await approvalsAsOf(history, run)
    const read: typeof page.read = (_, chosen, { limit }) =>
      readBaselines(history, { ...chosen, run, limit, approvals })
    const content = await showQuestion({ ...page, read }, request)
    const projects = request.query.all('project')
    const scans = selectProjects(await readScans(request), projects)
    return {
      ...content,
      alarm: await showGaps(request, toCoverageOfAll(scans)),
      body: html`${content.body}${isApproved(approvals, projects) && (await questionSection(differencesFrom(approvals), request, 'differences'))}`,
    }
  },
}
