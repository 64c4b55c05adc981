/** `url-not-https` → `urlNotHttps`: what the file of a rule exports. */
export function exportedName(id: string): string {
  return camelCase(id.slice(id.indexOf('/') + 1))
}

/** The text of `src/rules/rules.ts`, for the ids of all rules. */
export function ruleTable(ids: readonly string[]): string {
  const sorted = ids.toSorted()
  const entries = sorted.map((id) => ({ id, name: camelCase(id.replace('/', '-')) }))
  const imports = [
    ...entries.map(({ id, name }) => [id, `import { ${exportedName(id)} as ${name} } from './${id}.ts'`] as const),
    ['engine/rule', "import type { Rule } from './engine/rule.ts'"] as const,
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${imports.map(([, line]) => line).join('\n')}

/** Every rule in the order of ids: a file each, below this folder. \`npm run new:rule -- endpoint/x\` writes this table. */
export const rules: readonly Rule[] = [
${entries.map(({ name }) => `  ${name},`).join('\n')}
]
`
}

function camelCase(kebab: string): string {
  return kebab.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
