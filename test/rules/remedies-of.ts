/** The table of remedies, as its file holds it, from pages of rules: what each says under "How to fix", on one line. */
export function remediesOf(pages: readonly (readonly [id: string, page: string])[]): string {
  const rows = pages
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, page]) => `  ['${id}', ${quoted(remedyIn(page))}],`)
  return `/** What to do about a problem, by rule. Generated from "How to fix" on the pages of the rules; edit those. */
export const remedies: ReadonlyMap<string, string> = new Map([
${rows.join('\n')}
])
`
}

function remedyIn(page: string): string {
  const section = /^## How to fix\n([\s\S]*?)(?=^## )/m.exec(page)?.[1] ?? ''
  return section.replaceAll(/\s+/g, ' ').trim()
}

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\')
  if (!text.includes("'")) return `'${escaped}'`
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`
}
