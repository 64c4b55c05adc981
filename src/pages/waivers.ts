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
  about: 'Waivers of the policy that accept violations, the first that ends first.',
  ...asked(waivers),
}

const accepted = {
  path: '/acceptances',
  title: 'Accepted',
  about: 'What people accepted, each until its value changes, the latest first; and what ended that.',
  ...asked(acceptances),
  usual: () => ({ list: 'true' }),
  hidden: ['list'],
}

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

export const acceptancesPage = questionPage(accepted)

/** Exceptions: waivers of the policy, and violations that people accepted. */
export const waiversPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const content = await showQuestion(page, request)
    return {
      ...content,
      body: html`${content.body}${await questionSection(findings, request, 'findings')}${await questionSection(accepted, request, 'accepted')}`,
    }
  },
}
