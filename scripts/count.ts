import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * How much there is to read: lines and files, interfaces, and the contract of a history.
 * `npm run bench -- path` counts what an audit runs of it. A directory may be named: another checkout.
 */
const root = process.argv[2] ?? join(import.meta.dirname, '..')

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const filesOf = (pattern: string) => globSync(pattern, { cwd: root })
const linesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0)
const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest)

/** What readers, runs, approvals, acceptances, messages and upkeep are asked for, in either database. */
const contract: Readonly<Record<string, readonly string[]>> = {
  reader: ['HistoryReader'],
  history: ['History', 'Draft'],
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
const folders = Map.groupBy(source, (file) => dirname(file).split('/').slice(0, 2).join('/'))

const rows: readonly (readonly [string, number | string])[] = [
  ['lines / files of src', `${linesOf(source)} / ${source.length}`],
  ['interfaces', source.reduce((sum, file) => sum + interfacesOf(file).length, 0)],
  ['members of the contract of a history', members.length],
  ['lines of tests', linesOf(filesOf('test/**/*.ts'))],
  ...[...folders]
    .map(([name, files]) => [`  ${name}`, `${linesOf(files)} / ${files.length}`] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
]
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(38)} ${value}\n`)
