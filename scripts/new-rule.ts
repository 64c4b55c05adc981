import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withHeader } from '../test/rules/rule-header.ts'
import { withEvidence } from './framework-evidence.ts'
import { at, isThere, read, refuse, write } from './new-part.ts'
import { casesFile, kinds, pageBody, ruleFile, ruleRow, withBrokenRow } from './rule-files.ts'
import { tableFile, withRow, withRuleFile } from './rule-table.ts'

/**
 * `npm run new:rule -- endpoint/x [--row] [--evidence-like endpoint/owner-missing]` writes all that a rule needs, with a
 * file of its own or as a row of the table of its kind. The rule works at once and passes every test; a contributor then
 * replaces three things: the rule, its cases and its page.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { row: { type: 'boolean', default: false }, 'evidence-like': { type: 'string' } },
})
const [id = ''] = positionals
const kind = kinds.find((name) => id.startsWith(`${name}/`))
if (kind === undefined || !/^[a-z]+\/[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)) {
  refuse(`"${id}" is not the id of a new rule, expected ${kinds.join('|')}, a slash and a name such as url-odd-port`)
}
const isRule = (name: string) => isThere(`test/rules/${name}.cases.ts`)
if (isRule(id)) refuse(`the rule ${id} exists already`)

const reviewed = {
  endpoint: 'owner-missing',
  project: 'tls-not-enforced',
  source: 'disabled',
  subscription: 'duplicate',
}
const { row: isRow, 'evidence-like': like = `${kind}/${reviewed[kind]}` } = values
if (!isRule(like)) refuse(`--evidence-like ${like} is not a rule`)

const table = tableFile(kind)
if (isRow) write(table, withRow(read(table), id, ruleRow(id, kind)))
else {
  write(`src/rules/${id}.ts`, ruleFile(id, kind))
  write(table, withRuleFile(read(table), id))
}
write(`test/rules/${id}.cases.ts`, casesFile(kind))
write('test/rules/broken-rows.ts', withBrokenRow(read('test/rules/broken-rows.ts'), id, kind))
for (const name of readdirSync(at('config/frameworks'))) {
  const path = `config/frameworks/${name}`
  const text = withEvidence(read(path), id, like)
  if (text !== read(path)) write(path, text)
}

// Imported only now: what these files say depends on the table of rules.
const { controlIndex } = await import('./control-index.ts')
const { rules } = await import('../src/rules/rules.ts')
const { policyJsonSchema } = await import('../src/policy/policy-schema.ts')
const { schemaText } = await import('./reference/schemas.ts')
const rule = rules.find((each) => each.id === id)
if (rule === undefined) throw new Error(`the table of rules lacks ${id}`)
write(`docs/rules/${id}.md`, withHeader(pageBody(), rule))
write('config/controls.json', controlIndex())
write('config/policy.schema.json', schemaText('policy', policyJsonSchema()))

process.stdout.write(`
Now replace what the template says, by hand:
1. ${isRow ? `the row in ${table}` : `src/rules/${id}.ts`}: title, severity, packs, options and the check
2. test/rules/${id}.cases.ts: the cases; and in test/rules/broken-rows.ts the row that breaks the rule
3. docs/rules/${id}.md: the five sections
4. config/frameworks: it gives evidence for the controls of ${like} (--evidence-like takes another rule); take it out where it does not fit
Then: npm run update, npm test
`)
