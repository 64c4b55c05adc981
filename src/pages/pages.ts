import { overviewPage } from './overview.ts'
import type { Page } from './page.ts'

/** All pages, in the order in which a path is looked up. */
export const pages: readonly Page[] = [overviewPage]
