import { writeFileSync } from 'node:fs'
import { referencePages } from './reference/pages.ts'

for (const [path, page] of Object.entries(referencePages)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), await page())
}
