import { overviewPage } from './overview.ts'
import type { SitePage } from './page.ts'
import { rulePage } from './rule.ts'
import { rulesPage } from './rules.ts'

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [overviewPage, rulesPage, rulePage]
