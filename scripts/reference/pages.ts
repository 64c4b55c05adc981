import { join } from 'node:path'
import { mcpEntry } from '../release/mcp-entry.ts'
import { codeOwners, readOwner } from '../release/owner.ts'
import { chartAlerts, grafanaAlerts } from './alerts.ts'
import { apiPage } from './api.ts'
import { chartFile, chartPage } from './chart.ts'
import { configurationPage } from './configuration.ts'
import { rulesPage } from './lists.ts'
import { manPage } from './man-page.ts'
import { schemaCatalogue, schemaFiles } from './schemas.ts'
import { wrapMarkdown } from './wrap-markdown.ts'

const checkout = join(import.meta.dirname, '../..')
const schemas = await schemaFiles()
const owner = readOwner(checkout)

/** Generated pages and schemas, by their paths. */
export const referencePages: Readonly<Record<string, () => string | Promise<string>>> = {
  '.github/CODEOWNERS': () => codeOwners(owner),
  'deploy/grafana/provisioning/alerting/hookdrift.yaml': grafanaAlerts,
  'deploy/helm/Chart.yaml': () => chartFile(owner),
  'deploy/helm/README.md': () => finish(chartPage()),
  'deploy/helm/alerts.yaml': chartAlerts,
  'docs/reference/api.md': () => finish(apiPage()),
  'docs/reference/configuration.md': () => finish(configurationPage()),
  'docs/reference/rules.md': () => rulesPage().then(finish),
  'man/hookdrift.1': manPage,
  'release/catalog.json': schemaCatalogue,
  'server.json': () => mcpEntry(checkout),
  ...Object.fromEntries(Object.entries(schemas).map(([path, schema]) => [path, () => schema])),
}

function finish(page: string): string {
  return `${wrapMarkdown(page)
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}
