import { overviewPage } from './overview.ts'
import type { SitePage } from './page.ts'
import { violationPage } from './violation.ts'
import { violationsPage } from './violations.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [overviewPage, violationsPage, violationPage]
