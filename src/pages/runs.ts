import { runs } from '../questions/runs.ts'
import { asked, questionPage } from './question-page.ts'

/** The runs that ended, the latest first. */
export const runsPage = questionPage({
  path: '/runs',
  title: 'Runs',
  about: 'The runs that ended, the latest first.',
  ...asked(runs),
})
