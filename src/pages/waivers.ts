import { acceptances } from '../questions/acceptances.ts'
import type { PageInquiry, ParameterValues } from '../questions/question.ts'
import { violations } from '../questions/violations.ts'
import { waivers } from '../questions/waivers.ts'
import { html } from '../report/html/markup.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { asked, questionPage, questionSection, showQuestion } from './question-page.ts'

const page = {
  path: '/waivers',
  title: 'Waivers',
  about:
    'What people and the policy decided, the first that ends first: waivers, acceptances, approvals, rules that are off or overridden, and times of change windows.',
  ...asked(waivers),
}

export const acceptancesPage = questionPage({
  path: '/acceptances',
  title: 'Accepted',
  about: 'What people accepted, each until its value changes, the latest first; and what ended that.',
  ...asked(acceptances),
  usual: () => ({ list: 'true' }),
  hidden: ['list'],
})

/** What the run found of the waivers themselves, used or not: expired ones, which accept nothing, and unused ones. */
const findings = {
  path: '/violations',
  title: 'To renew or to remove',
  about: '',
  question: violations,
  async read({ history }: SiteRequest, values: ParameterValues<typeof violations.parameters>, inquiry: PageInquiry) {
    const { answer, view } = await violations.read(history, values, inquiry)
    return { answer, view: { ...view, nothing: 'No waiver is unused or expired.' } }
  },
  usual: () => ({ rule: 'waiver/*' }),
}

/** All that is decided, and what the run found of the waivers themselves. */
export const waiversPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const content = await showQuestion(page, request)
    return {
      ...content,
      body: html`${content.body}${await questionSection(findings, request, 'findings')}`,
    }
  },
}
