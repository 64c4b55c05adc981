import { wrapPieces } from '../text/columns.ts'

interface PageLayout {
  /** The path of the page, which its links are relative to. */
  readonly path: string
  /** The topic of a page, by its path. */
  readonly topicOf: (path: string) => string | undefined
  readonly heading: (line: string) => string
}

const headingForm = /^(#{1,6}) (.{1,300})$/
/** A link's text may go on in the next line. */
const linkForm = /!?\[([^[\]]{1,300})\]\(([^()\s]{1,300})\)/g

/** Lays Markdown out for a terminal: without the addresses of links, which a list at its end names as topics. */
export function showMarkdown(lines: readonly string[], { path, topicOf, heading }: PageLayout): string[] {
  const topics = new Set<string>()
  const withoutAddress = (text: string) =>
    text.replace(linkForm, (_, label: string, address: string) => {
      const topic = topicOf(targetOf(address, path))
      const [, section] = address.split('#', 2)
      if (topic !== undefined) topics.add(section === undefined ? topic : `${topic}#${section}`)
      return /^https?:/.test(address) ? `${label} (${address})` : label
    })
  const laidOut: string[] = []
  let prose: string[] = []
  const flush = () => {
    if (prose.length > 0) laidOut.push(...withoutAddress(prose.join('\n')).split('\n'))
    prose = []
  }
  let isCode = false
  for (const line of lines) {
    if (line.trimStart().startsWith('```')) {
      flush()
      isCode = !isCode
    } else if (isCode) {
      laidOut.push(`    ${line}`.trimEnd())
    } else if (headingForm.test(line)) {
      flush()
      laidOut.push(heading(withoutAddress(line)))
    } else {
      prose.push(line)
    }
  }
  flush()
  if (topics.size === 0) return laidOut
  return [...laidOut, '', heading('Pages named here'), ...[...topics].map((topic) => `  hookdrift docs ${topic}`)]
}

/**
 * Wraps Markdown for a terminal that is narrower than the pages are, paragraph by paragraph and item by item. A row of
 * a table goes on below itself; code stays as it is.
 */
export function wrapMarkdown(lines: readonly string[], width: number): readonly string[] {
  if (width >= pageWidth) return lines
  const wrapped: string[] = []
  let open: string[] = []
  const flush = () => {
    const [first = ''] = open
    const [lead = ''] = /^ {0,40}(?:[-*] |\d{1,3}\. )?/.exec(first) ?? []
    const text = open
      .map((line) => line.trim())
      .join(' ')
      .slice(lead.trimStart().length)
    const pieces = wrapPieces(text.split(' '), width - lead.length)
    wrapped.push(...pieces.map((piece, index) => `${index === 0 ? lead : ' '.repeat(lead.length)}${piece}`))
    open = []
  }
  for (const line of lines) {
    const isItem = /^ {0,40}(?:[-*] |\d{1,3}\. )/.test(line)
    const isAlone = line === '' || /^(?: {4}|#|\u001b)/.test(line)
    if (open.length > 0 && (isItem || isAlone || line.startsWith('|'))) flush()
    if (isAlone) wrapped.push(line)
    else if (line.startsWith('|')) wrapped.push(...wrapRow(line, width))
    else open.push(line)
  }
  if (open.length > 0) flush()
  return wrapped
}

/** Terminals of this width and more, and pipes, get the lines as the pages have them. */
const pageWidth = 100

function wrapRow(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  const [first = '', ...rest] = wrapPieces(line.split(' '), width - 4)
  return [first, ...rest.map((more) => `    ${more}`)]
}

/** The path that a relative link of a page leads to. */
function targetOf(address: string, path: string): string {
  const [file = ''] = address.split('#', 1)
  if (file === '') return path
  const { pathname } = new URL(file, `file:///docs/${path}`)
  return pathname.replace(/^\/docs\//, '').replace(/\.md$/, '')
}

/**
 * The section of a page with that anchor, or with the first anchor that begins with it or contains it; where there is
 * none, the anchors of the page.
 */
export function pickSection(text: string, section: string): string | readonly string[] {
  const lines = text.split('\n')
  const headings = headingsIn(lines)
  const anchors = headings.map(({ anchor }) => anchor)
  const wanted = section.toLowerCase()
  const index = [
    (anchor: string) => anchor === wanted,
    (anchor: string) => anchor.startsWith(wanted),
    (anchor: string) => anchor.includes(wanted),
  ]
    .map((matches) => anchors.findIndex(matches))
    .find((each) => each >= 0)
  const chosen = index === undefined || wanted === '' ? undefined : headings[index]
  if (chosen === undefined || index === undefined) return anchors
  const next = headings.slice(index + 1).find(({ depth }) => depth <= chosen.depth)
  return lines.slice(chosen.at, next?.at).join('\n').trimEnd()
}

function headingsIn(lines: readonly string[]) {
  const headings: { readonly at: number; readonly depth: number; readonly anchor: string }[] = []
  let isCode = false
  for (const [at, line] of lines.entries()) {
    if (line.trimStart().startsWith('```')) isCode = !isCode
    const [, marks, title] = isCode ? [] : (headingForm.exec(line) ?? [])
    if (marks !== undefined && title !== undefined) headings.push({ at, depth: marks.length, anchor: anchorOf(title) })
  }
  return headings
}

/** As GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
