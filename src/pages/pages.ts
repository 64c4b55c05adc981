import { baselinesPage } from './baselines.ts'
import { comparePage } from './compare.ts'
import { overviewPage } from './overview.ts'
import type { SitePage } from './page.ts'
import { projectPage } from './project.ts'
import { resourcePage } from './resource.ts'
import { resourcesPage } from './resources.ts'
import { runPage } from './run.ts'
import { runsPage } from './runs.ts'
import { violationsPage } from './violations.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [
  overviewPage,
  violationsPage,
  resourcesPage,
  resourcePage,
  projectPage,
  runsPage,
  runPage,
  comparePage,
  baselinesPage,
]
