import { causes } from '../questions/causes.ts'
import { coverage } from '../questions/coverage.ts'
import { notes } from '../questions/notes.ts'
import { trend } from '../questions/trend.ts'
import { asked, questionPage } from './question-page.ts'

export const causesPage = questionPage({
  path: '/causes',
  title: 'Causes',
  about: 'Changes that hit several resources or fields, and from which open violations follow.',
  ...asked(causes),
})

export const coveragePage = questionPage({
  path: '/coverage',
  title: 'Coverage',
  about: 'What the last scan of each project read, listing by listing.',
  ...asked(coverage),
})

export const notesPage = questionPage({
  path: '/notes',
  title: 'Notes',
  about: 'What people noted that they did, the latest first.',
  ...asked(notes),
  words: ['note'],
  usual: () => ({ list: 'true' }),
  hidden: ['list'],
})

export const trendPage = questionPage({
  path: '/trend',
  title: 'Trend',
  about: 'How violations developed, day by day.',
  ...asked(trend),
})
