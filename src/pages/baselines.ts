import { matchesProject } from '../config/choose-projects.ts'
import { type Approval, activeApprovals } from '../history/approvals.ts'
import { selectProjects, toCoverageOfAll } from '../questions/as-of.ts'
import { baselineDiff, readBaselineDiff } from '../questions/baseline-diff.ts'
import { baselines } from '../questions/baselines.ts'
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

const differences = {
  path: '/baselines/differences',
  title: 'What differs from the approved states',
  about: 'What differs in the run of the page from the states that people had approved by then.',
  question: baselineDiff,
  async read(request: SiteRequest, { project }: { readonly project: readonly string[] }, { limit }: { limit: number }) {
    const { history, run } = request
    const approvals = await approvedBy(request)
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

function approvedBy({ history, run, isLatest }: SiteRequest) {
  return approvalsAsOf(history, isLatest ? undefined : run)
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
