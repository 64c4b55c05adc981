import { compliancePage } from './compliance.ts'
import { frameworkPage } from './framework.ts'
import { notificationsPage } from './notifications.ts'
import { overviewPage } from './overview.ts'
import type { SitePage } from './page.ts'
import { rulePage } from './rule.ts'
import { rulesPage } from './rules.ts'
import { waiversPage } from './waivers.ts'
import { workerPage } from './worker.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [
  overviewPage,
  rulesPage,
  rulePage,
  compliancePage,
  frameworkPage,
  waiversPage,
  notificationsPage,
  workerPage,
]
