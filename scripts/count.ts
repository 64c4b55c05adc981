import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { budgetFile, readBudget } from './count/budget.ts'
import { countTokens } from './count/count-tokens.ts'

/**
 * How much there is to read: tokens of each folder next to its budget, files, interfaces, and the contract of a history.
 * `npm run bench -- path` counts what an audit runs of it. A directory may be named: another checkout. `--lower` makes
 * what there is the budget of each folder that is below its own, `--raise` of each that is above.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { lower: { type: 'boolean' }, raise: { type: 'boolean' } },
})
const root = positionals[0] ?? join(import.meta.dirname, '..')

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const filesOf = (pattern: string) => globSync(pattern, { cwd: root })
const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest)

/** What readers, approvals, acceptances, messages and upkeep are asked for in either database. A draft is a class. */
const contract: Readonly<Record<string, readonly string[]>> = {
  reader: ['HistoryReader'],
  history: ['History'],
  approvals: ['Approvals'],
  acceptances: ['Acceptances'],
  outbox: ['Outbox', 'ChannelClaims'],
  upkeep: ['HistoryUpkeep'],
  'movable-history': ['MovableHistory', 'HistoryRows'],
}

function interfacesOf(file: string): readonly ts.InterfaceDeclaration[] {
  return parse(file).statements.filter(ts.isInterfaceDeclaration)
}

const source = filesOf('src/**/*.ts')
const members = Object.entries(contract).flatMap(([name, interfaces]) =>
  interfacesOf(join('src/history', `${name}.ts`))
    .filter((one) => interfaces.includes(one.name.text))
    .flatMap((one) => one.members),
)

const print = (...cells: readonly (number | string)[]) => {
  const [name = '', ...numbers] = cells.map(String)
  process.stdout.write(`${name.padEnd(38)}${numbers.map((number) => number.padStart(10)).join('')}\n`)
}
const tokens = countTokens(root)
const budget = readBudget()
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const ofSource = (counts: Iterable<readonly [string, number]>) =>
  sum([...counts].flatMap(([folder, number]) => (folder.startsWith('src') ? [number] : [])))
print('', 'tokens', 'budget')
print('src', ofSource(tokens), ofSource(Object.entries(budget)))
for (const [folder, number] of tokens) print(`  ${folder}`, number, budget[folder] ?? 0)
print('')
print('files of src', source.length)
print('interfaces', sum(source.map((file) => interfacesOf(file).length)))
print('members of the contract of a history', members.length)

if (values.lower || values.raise) {
  const changed = [...tokens].map(([folder, number]) => {
    const [former = 0, isAbove = number > former] = [budget[folder]]
    return [folder, (isAbove ? values.raise : values.lower) ? number : former]
  })
  writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(changed), null, 2)}\n`)
}
