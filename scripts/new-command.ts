import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run new:command -- owners 'List the owners of endpoints'` writes what a command needs that reads the history: its
 * entry in the table of commands, its answer with schema and version, and its test. It works at once, listing projects;
 * a contributor then replaces three files.
 */
const checkout = join(import.meta.dirname, '..')
const [name = '', description = ''] = process.argv.slice(2)
const of = name.replace(/^./, (letter) => letter.toUpperCase())
if (!/^[a-z]+$/.test(name) || !/^[A-Z]/.test(description)) {
  refuse(
    "expected a word and what the command does, with a capital verb, such as: owners 'List the owners of endpoints'",
  )
}
if (existsSync(join(checkout, `src/cli/${name}.ts`))) refuse(`src/cli/${name}.ts exists already`)

write(
  `src/cli/${name}.ts`,
  `import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { read${of}, ${name}View } from '../queries/read-${name}.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

export function define${of}(command: Command, execute: Execute): void {
  addReadingOptions(command).action((options: ReadingOptions) => execute((terminal) => ${name}(options, terminal)))
}

async function ${name}(options: ReadingOptions, terminal: ProcessContext): Promise<number> {
  const answer = await withHistory(options, terminal, (reader) => read${of}(reader, limitOf(options)))
  return printAnswer(answer, ${name}View, options.format, terminal)
}
`,
)
write(
  `src/queries/read-${name}.ts`,
  `import type { HistoryReader } from '../history/reader.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { statingExtent } from './as-of.ts'

interface ${of}Row {
  /** \`service/project\`. */
  readonly project: string
  /** The run that last scanned it. */
  readonly run: number
}

export async function read${of}(reader: HistoryReader, limit: number): Promise<Answer<${of}Row>> {
  const last = await findLastRun(reader)
  const scans = last === undefined ? [] : await readLatestScans(reader, last.number)
  return {
    command: '${name}',
    ...(last === undefined ? { run: null } : statingExtent(last, scans)),
    ...limited(
      scans.map(({ project, run }) => ({ project: project.name, run: run.number })),
      limit,
    ),
  }
}

export const ${name}View: AnswerView<${of}Row> = {
  columns: [
    { name: 'project', value: ({ project }) => project },
    { name: 'run', value: ({ run }) => run, align: 'right' },
  ],
  nothing: 'No project was scanned yet.',
}
`,
)
const { $defs: _, ...envelope } = JSON.parse(read('config/answers/runs.schema.json'))
const count = { $ref: 'urn:hookdrift:report:2#/$defs/count' }
const row = {
  type: 'object',
  required: ['project', 'run'],
  properties: { project: { type: 'string' }, run: count },
}
const schema = {
  ...envelope,
  $id: `urn:hookdrift:answer:${name}:1`,
  title: `hookdrift ${name}`,
  description: envelope.description.replace('hookdrift.runs/2', `hookdrift.${name}/1`),
  properties: {
    ...envelope.properties,
    schema: { const: `hookdrift.${name}/1` },
    rows: { type: 'array', items: row },
  },
}
write(`config/answers/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`)
insert(
  'src/cli/commands.ts',
  "    {\n      name: 'query',\n",
  `    {
      name: '${name}',
      description: ${JSON.stringify(description)},
      load: async () => (await import('./${name}.ts')).define${of},
    },
`,
)
insert(
  'src/cli/examples.ts',
  '  rules: {\n',
  `  ${name}: { lines: [['${name}', 'as of the last run']], docs: ['ask-the-history'] },\n`,
)
insert('src/report/answer.ts', '} as const\n', `  ${name}: 1,\n`)
insert('test/cli/answers.test.ts', "]\n\nit('has a schema for every answer", `  ['${name}', () => ['${name}']],\n`)

process.stdout.write(`
Now replace what the template says, by hand:
1. src/queries/read-${name}.ts: the rows and their columns
2. config/answers/${name}.schema.json: the schema of the rows
3. src/cli/examples.ts: real examples, and the page to read
4. test/cli/${name}.test.ts, new: the answer, and each mistake with its exit code
Then: npm run fix; npm run reference; npx vitest run test/cli/answers.test.ts test/deploy
`)

function read(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}

function write(path: string, text: string): void {
  writeFileSync(join(checkout, path), text)
  process.stdout.write(`${path}\n`)
}

/** Puts a line before a text that the file contains once. */
function insert(path: string, before: string, line: string): void {
  const text = read(path)
  const at = text.indexOf(before)
  if (at < 0) throw new Error(`${path} lacks ${before}`)
  write(path, `${text.slice(0, at)}${line}${text.slice(at)}`)
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
