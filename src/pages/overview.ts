import { emptyState } from '../report/html/components/empty-state.ts'
import type { SitePage } from './page.ts'

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: true,
  async show({ run }) {
    return {
      title: 'Overview',
      crumbs: [],
      body: emptyState(`Run ${run.number}.`, 'none'),
      command: 'hookdrift status',
      json: '/api/v1/status',
    }
  },
}
