import { insert, isThere, read, refuse, write } from './new-part.ts'

/**
 * `npm run new:format -- tap .tap 'a test for each violation'` writes what a report format needs: its file, its line in
 * the table of formats, its test, and what it prints of a gap. A contributor then replaces the file and the test.
 */
const [name = '', extension = '', about = ''] = process.argv.slice(2)
const table = 'src/report/formats.ts'
const file = `src/report/${name}.ts`
const test = `test/report/formats/${name}.ts`
const gaps = 'test/report/gaps-in-formats.test.ts'
if (!/^[a-z][a-z0-9]*$/.test(name) || !/^\.[a-z0-9.]+$/.test(extension) || about === '') {
  refuse("expected name, extension and description of the format, such as: tap .tap 'a test for each violation'")
}
if (isThere(file) || read(table).includes(` ${name}: {`)) refuse(`the format ${name} exists already`)

write(
  file,
  `import { neutraliseJson } from '../model/text/neutralise.ts'
import type { ReportFormat } from './report-format.ts'

/** A violation a line, and what the rules could not evaluate, as JSON. */
export const ${name}: ReportFormat = ({ violations, gaps }) =>
  [...violations, ...gaps].map((line) => \`\${neutraliseJson(JSON.stringify(line))}\\n\`).join('')
`,
)
write(
  test,
  `import type { FormatTest } from '../format-test.ts'

export const ${name}: FormatTest = {
  isWhole: true,
  read(text) {
    const lines = text.split('\\n').filter((line) => line !== '')
    const violations = lines.map((line) => JSON.parse(line)).filter((line) => 'severity' in line)
    return { violations, exitCode: undefined }
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
insert(table, '} as const satisfies', entry)
write(gaps, read(gaps).replaceAll('} as const satisfies', `  ${name}: 'sentence',\n} as const satisfies`))

process.stdout.write(`
Now replace what the template says, by hand:
1. ${file}: the format. It contains every gap: ${gaps} says in which form
2. ${test}: a reader of the format that is not ours, and what a hostile text could do to it
Then: npm run update, npm test
`)
