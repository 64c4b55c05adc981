import MarkdownIt, { type Token } from 'markdown-it'
import type { FormatTest, Seen } from '../format-test.ts'

/** A report lists violations under headings of their rules, or of how they ended. */
export const markdown: FormatTest = {
  read(text) {
    const violations = partsOf(text).flatMap(({ section, heading, items }): readonly Seen[] => {
      const ended = /^(Ended|Waived)/.exec(section)?.[1]
      if (ended === undefined && !/^(New|Open|Also open|Unknown)/.test(section)) return []
      return items.map(({ said, marked }) => {
        const { chips, codes } = marked
        // A resource is named by its project first, in an entry of its own below the message.
        const [project = ''] = ended === undefined ? (said[0]?.codes ?? []) : codes.slice(1)
        const [severity = ''] = ended === undefined ? heading.chips : chips
        const [rule = ''] = ended === undefined ? heading.codes : codes
        const isOld = / since \d{4}-/.test(said[0]?.words ?? '')
        const open = section.startsWith('Unknown') ? 'unknown' : isOld ? 'continuing' : 'opened'
        return {
          severity,
          rule,
          project,
          state: ended === undefined ? open : ended === 'Ended' ? 'resolved' : 'waived',
        }
      })
    })
    return { violations, exitCode: Number(/ Exit code (\d+)\.\*\*$/m.exec(text)?.[1]) }
  },
  damage: (text) => [
    ...activeMarkdown(text),
    ...(text.length >= 65_000 ? [`${text.length} characters`] : []),
    ...tablesIn(text).flatMap(({ header, rows }) => rows.filter((row) => row.length !== header.length).flat()),
  ],
}

const markdownIt = MarkdownIt({ html: true, linkify: true, typographer: true })

interface Marked {
  readonly words: string
  readonly chips: readonly string[]
  readonly codes: readonly string[]
}

/** The entries of lists, each with those below it, by the headings above. */
export function partsOf(text: string) {
  const nothing: Marked = { words: '', chips: [], codes: [] }
  const parts: { section: string; heading: Marked; items: { marked: Marked; said: Marked[] }[] }[] = []
  let depth = 0
  let within = ''
  for (const token of markdownIt.parse(text, {})) {
    if (token.type === 'heading_open') within = token.tag
    if (token.type === 'heading_close') within = ''
    if (token.type === 'list_item_open' && depth++ === 0) parts.at(-1)?.items.push({ marked: nothing, said: [] })
    if (token.type === 'list_item_close') depth -= 1
    if (token.type !== 'inline') continue
    const part = parts.at(-1)
    const item = part?.items.at(-1)
    if (within === 'h3') parts.push({ section: wordsOf(token), heading: nothing, items: [] })
    else if (within === 'h4') parts.push({ section: part?.section ?? '', heading: markedOf(token), items: [] })
    else if (depth === 1 && item !== undefined) item.marked = markedOf(token)
    else if (depth > 1) item?.said.push(markedOf(token))
  }
  return parts
}

function markedOf(token: Token): Marked {
  const children = token.children ?? []
  const after = (type: string) =>
    children.flatMap((child, at) => (child.type === type ? [children[at + 1]?.content ?? ''] : []))
  return {
    words: wordsOf(token),
    chips: after('strong_open'),
    codes: children.flatMap(({ type, content }) => (type === 'code_inline' ? [content] : [])),
  }
}

/** Tables as rendered: their cells' text. */
export function tablesIn(text: string) {
  const tables: { header: string[]; rows: string[][] }[] = []
  let inHeader = false
  let inTable = false
  for (const token of markdownIt.parse(text, {})) {
    const table = tables.at(-1)
    if (token.type === 'table_open' || token.type === 'table_close') inTable = token.type === 'table_open'
    if (token.type === 'table_open') tables.push({ header: [], rows: [] })
    if (token.type === 'thead_open') inHeader = true
    if (token.type === 'thead_close') inHeader = false
    if (token.type === 'tr_open' && !inHeader) table?.rows.push([])
    if (token.type !== 'inline' || !inTable) continue
    if (inHeader) table?.header.push(wordsOf(token))
    else table?.rows.at(-1)?.push(wordsOf(token))
  }
  return tables
}

function wordsOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join('')
}

/** What of Markdown acts: links, pictures, HTML; and what no report has. */
function activeMarkdown(text: string): string[] {
  const tokens = markdownIt.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])])
  const active = tokens.map(({ type }) => type)
  return [
    ...active.filter((type) => /link|image|html|fence|code_block|ordered_list|blockquote|hr/.test(type)),
    ...tokens
      .filter(({ type, level }) => type === 'list_item_open' && level > 3)
      .map(() => 'a list in a list in a list'),
  ]
}
