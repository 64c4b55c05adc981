import { overviewPage } from './overview.ts'
import type { SitePage } from './page.ts'
import { projectPage } from './project.ts'
import { resourcePage } from './resource.ts'
import { runPage } from './run.ts'
import { runsPage } from './runs.ts'
import { violationsPage } from './violations.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [overviewPage, violationsPage, resourcePage, projectPage, runsPage, runPage]
