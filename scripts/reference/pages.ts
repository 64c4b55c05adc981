import { commandLinePage } from './command-line.ts'
import { configurationPage } from './configuration.ts'
import { rulesPage, viewsPage } from './lists.ts'
import { wrapMarkdown } from './wrap-markdown.ts'

/** Generated pages, by their names in docs/reference. */
export const referencePages: Readonly<Record<string, () => string>> = {
  'command-line.md': () => finish(commandLinePage()),
  'configuration.md': () => finish(configurationPage()),
  'rules.md': () => finish(rulesPage()),
  'views.md': () => finish(viewsPage()),
}

function finish(page: string): string {
  return `${wrapMarkdown(page)
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}
