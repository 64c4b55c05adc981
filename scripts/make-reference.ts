import { writeFileSync } from 'node:fs'
import { grafanaFiles } from './reference/grafana.ts'
import { referencePages } from './reference/pages.ts'

for (const [path, page] of Object.entries(referencePages)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), await page())
}
for (const [name, file] of Object.entries(grafanaFiles)) {
  writeFileSync(new URL(`../deploy/grafana/${name}`, import.meta.url), file())
}
