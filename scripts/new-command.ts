import { insert, isThere, refuse, write } from './new-part.ts'

/**
 * `npm run new:command -- owners 'List the owners of endpoints'` writes what a command needs that reads the history: a
 * question, its entries in the tables of commands and of the API, and its test. It works at once, listing projects; a
 * contributor then replaces what is in three files.
 */
const [name = '', description = ''] = process.argv.slice(2)
const of = name.replace(/^./, (letter) => letter.toUpperCase())
if (!/^[a-z]+$/.test(name) || !/^[A-Z]/.test(description)) {
  refuse(
    "expected a word and what the command does, with a capital verb, such as: owners 'List the owners of endpoints'",
  )
}
const taken = [`src/questions/${name}.ts`, `src/cli/${name}.ts`].find(isThere)
if (taken !== undefined) refuse(`${taken} exists already`)

write(
  `src/questions/${name}.ts`,
  `import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { schemas } from '../model/report.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { projectParameter, question, runNamed, runParameter } from './question.ts'

const row = z.object({
  project: schemas.project,
  run: schemas.count.describe('The run that last scanned it.'),
})
type ${of}Row = z.infer<typeof row>

export const ${name}Form: AnswerForm = { name: '${name}', version: 1, about: aboutScans, row }

export const ${name} = question({
  form: ${name}Form,
  parameters: { run: runParameter, project: projectParameter },
  isOfRun: true,
  async read(history, { run: named, project: projects }, { limit }) {
    return { answer: await read${of}(history, await runNamed(history, named), { projects, limit }), view: ${name}View }
  },
})

async function read${of}(
  reader: HistoryReader,
  run: CommittedRun,
  { projects, limit }: { readonly projects: readonly string[]; readonly limit: number },
): Promise<Answer<${of}Row>> {
  const scans = selectProjects(await readLatestScans(reader, run.number), projects)
  const rows = scans.map((scan) => ({ project: scan.project.name, run: scan.run.number }))
  return { form: ${name}Form, ...statingExtent(run, scans), ...limited(rows, limit) }
}

const ${name}View: AnswerView<${of}Row> = {
  columns: [
    'project',
    { name: 'run', align: 'right' },
  ],
  nothing: 'No project was scanned yet.',
}
`,
)
insert(
  'src/cli/commands.ts',
  '    query: command(\n',
  `    ${name}: question(${JSON.stringify(description)}, async () => (await import('../questions/${name}.ts')).${name}),
`,
)
insert('src/cli/examples.txt', '\nrules\n', `\n${name}\n  ${name}\n    as of the last run\n  see ask-the-history\n`)
insert(
  'src/cli/api/api-entries.ts',
  '}\n\n/** Those that a process offers',
  `  ${name}: question('${name}', async () => (await import('../../questions/${name}.ts')).${name}),
`,
)
insert('test/pages/api.test.ts', "  ['notes', 'note --list'],\n", `  ['${name}', '${name}'],\n`)
insert('test/cli/answers.test.ts', "]\n\nit('has a schema for every answer", `  ['${name}', () => ['${name}']],\n`)

process.stdout.write(`
Now replace what the template says, by hand:
1. src/questions/${name}.ts: the parameters, the rows, how they are read, and their columns
2. src/cli/examples.txt: real examples, and the page to read
3. test/cli/${name}.test.ts, new: the answer, and each mistake with its exit code
4. The page that examples.txt names: a section with the question
Then: npm run update, npm test
`)
