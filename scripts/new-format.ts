import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run new:format -- ndjson .ndjson 'a violation a line'` writes what a report format needs: its file, its line in the table of formats
 * and its test. A contributor then replaces the file and the test.
 */
const checkout = join(import.meta.dirname, '..')
const [name = '', extension = '', about = ''] = process.argv.slice(2)
const table = join(checkout, 'src/report/formats.ts')
const file = join(checkout, `src/report/${name}.ts`)
const test = join(checkout, `test/report/formats/${name}.ts`)
if (!/^[a-z][a-z0-9]*$/.test(name) || !/^\.[a-z0-9.]+$/.test(extension) || about === '') {
  refuse("expected name, extension and description of the format, such as: ndjson .ndjson 'a violation a line'")
}
if (existsSync(file) || readFileSync(table, 'utf8').includes(` ${name}: {`)) refuse(`the format ${name} exists already`)

writeFileSync(
  file,
  `import { neutraliseJson } from '../model/text/neutralise.ts'
import type { ReportFormat } from './report-format.ts'

/** A violation a line, as JSON. */
export const ${name}: ReportFormat = ({ violations }) =>
  violations.map((violation) => \`\${neutraliseJson(JSON.stringify(violation))}\\n\`).join('')
`,
)
writeFileSync(
  test,
  `import type { FormatTest } from '../format-test.ts'

export const ${name}: FormatTest = {
  isWhole: true,
  read(text) {
    const lines = text.split('\\n').filter((line) => line !== '')
    return { violations: lines.map((line) => JSON.parse(line)), exitCode: undefined }
  },
  damage: () => [],
}
`,
)
const entry = `  ${name}: {
    about: ${JSON.stringify(about)},
    extension: '${extension}',
    load: async () => (await import('./${name}.ts')).${name},
  },
`
writeFileSync(table, readFileSync(table, 'utf8').replace('} as const satisfies', `${entry}} as const satisfies`))

process.stdout.write(`Now replace what the template says, by hand:
1. src/report/${name}.ts: the format
2. test/report/formats/${name}.ts: a reader of the format that is not ours, and what a hostile text could do to it
Then: npm run fix; npm run reference; UPDATE_PAGES=1 npx vitest run test/report test/config test/deploy -u
`)

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
