import MarkdownIt from 'markdown-it'
import type { FormatTest } from '../format-test.ts'
import { stateNamed } from '../state-named.ts'

export const markdown: FormatTest = {
  read(text) {
    const tables = tablesIn(text).filter(({ header }) => header.includes('message'))
    const violations = tables.flatMap(({ header, rows }) =>
      rows.map((row) => {
        const cell = (name: string) => row[header.indexOf(name)] ?? ''
        const [state = ''] = cell('state').split(/[ ,]/)
        return { severity: cell('severity'), rule: cell('rule'), project: cell('project'), state: stateNamed(state) }
      }),
    )
    return { violations, exitCode: Number(/\*\* Exit code (\d+)\.$/m.exec(text)?.[1]) }
  },
  damage: (text) => [
    ...activeMarkdown(text),
    ...(text.length >= 65_000 ? [`${text.length} characters`] : []),
    ...tablesIn(text).flatMap(({ header, rows }) => rows.filter((row) => row.length !== header.length).flat()),
  ],
}

const markdownIt = MarkdownIt({ html: true, linkify: true, typographer: true })

/** Tables as rendered: their cells' text. */
export function tablesIn(text: string) {
  const tables: { header: string[]; rows: string[][] }[] = []
  let inHeader = false
  for (const token of markdownIt.parse(text, {})) {
    const table = tables.at(-1)
    if (token.type === 'table_open') tables.push({ header: [], rows: [] })
    if (token.type === 'thead_open') inHeader = true
    if (token.type === 'thead_close') inHeader = false
    if (token.type === 'tr_open' && !inHeader) table?.rows.push([])
    if (token.type !== 'inline' || token.level < 3) continue
    const shown = (token.children ?? []).map(({ content }) => content).join('')
    if (inHeader) table?.header.push(shown)
    else table?.rows.at(-1)?.push(shown)
  }
  return tables
}

/** What of Markdown acts: links, pictures, HTML; and what is outside of tables. */
function activeMarkdown(text: string): string[] {
  const tokens = markdownIt.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])])
  return tokens.map(({ type }) => type).filter((type) => /link|image|html|fence|code_block|list|blockquote/.test(type))
}
