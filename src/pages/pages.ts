import { baselinesPage } from './baselines.ts'
import { comparePage } from './compare.ts'
import { compliancePage } from './compliance.ts'
import { frameworkPage } from './framework.ts'
import { notificationsPage } from './notifications.ts'
import { overviewPage } from './overview.ts'
import { ownerPage } from './owner.ts'
import type { SitePage } from './page.ts'
import { projectPage } from './project.ts'
import { resourcePage } from './resource.ts'
import { resourcesPage } from './resources.ts'
import { rulePage } from './rule.ts'
import { rulesPage } from './rules.ts'
import { runPage } from './run.ts'
import { runsPage } from './runs.ts'
import { violationPage } from './violation.ts'
import { violationsPage } from './violations.ts'
import { waiversPage } from './waivers.ts'
import { workerPage } from './worker.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [
  overviewPage,
  violationsPage,
  violationPage,
  resourcesPage,
  resourcePage,
  projectPage,
  ownerPage,
  runsPage,
  runPage,
  comparePage,
  baselinesPage,
  rulesPage,
  rulePage,
  compliancePage,
  frameworkPage,
  waiversPage,
  notificationsPage,
  workerPage,
]
