import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { checkout } from './build-image.ts'

/** Readers put the commit in place of `REF`. */
const pinned = (text: string) => text.replace(/@REF$/gm, `@${'0'.repeat(40)} # v1.0.0`)

const docs = readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
const blocks = docs
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(checkout, 'docs', name), 'utf8').matchAll(/(?<=^```yaml\n).*?(?=^```)/gms)].map(([text]) => ({
      name,
      text,
    })),
  )
/** A list of steps, as a page shows a part of a workflow, or a whole workflow. */
export const documentedWorkflows = blocks.flatMap(({ name, text }) => {
  const value = parse(text)
  if (value?.jobs !== undefined) return [{ name, text: pinned(text), isWhole: true }]
  if (!Array.isArray(value) || !value.some((step) => 'uses' in step || 'run' in step)) return []
  const steps = text.replace(/^/gm, '      ')
  const head = 'name: a part\non: push\npermissions: {}\nconcurrency: { group: one, cancel-in-progress: false }'
  return [
    {
      name,
      isWhole: false,
      text: pinned(`${head}\njobs:\n  audit:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`),
    },
  ]
})
