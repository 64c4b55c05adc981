/** `url-not-https` → `urlNotHttps`: what the file of a rule exports. */
export function exportedName(id: string): string {
  return id.slice(id.indexOf('/') + 1).replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The table of a kind, below the checkout. */
export function tableFile(kind: string): string {
  return `src/rules/${kind}/${kind}-rules.ts`
}

/** Ids of the rules that are rows of a table, from its text. */
export function rowsOf(table: string): readonly string[] {
  return [...table.matchAll(rowStart)].map(([, id = '']) => id)
}

/** The text of a table with a row more, in the order of ids. */
export function withRow(table: string, id: string, row: string): string {
  const next = [...table.matchAll(rowStart)].find(([, other = '']) => other > id)
  const list = listOf(table)
  return inserted(table, next?.index ?? list + table.slice(list).search(firstFile), row)
}

/** The text of a table with a rule more that has a file of its own. */
export function withRuleFile(table: string, id: string): string {
  const file = id.slice(id.indexOf('/') + 1)
  const next = [...table.matchAll(/^import .* from '\.\/(.*)\.ts'\n/gm)].find(([, other = '']) => other > file)
  const afterImports = table.lastIndexOf('\nimport ', listOf(table)) + 1
  const line = `import { ${exportedName(id)} } from './${file}.ts'\n`
  const imported = inserted(table, next?.index ?? table.indexOf('\n', afterImports) + 1, line)
  const place = next?.[1] === undefined ? '\n]\n' : `\n  ${exportedName(next[1])},\n`
  return inserted(imported, imported.indexOf(place, listOf(imported)) + 1, `  ${exportedName(id)},\n`)
}

const rowStart = /^ {2}\w+\((?:'\w+', )?\{\n {4}id: '(.+)',$/gm
const firstFile = /^ {2}\w+,$|^\]$/m

function listOf(table: string): number {
  return table.indexOf('\nexport const ')
}

function inserted(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}
