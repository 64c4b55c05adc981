import { Composer, type Document, Lexer, LineCounter, Parser, type YAMLError } from 'yaml'

/** The content of the file, and all its syntax errors. Offsets count UTF-16 units from 0. */
export interface ParsedYaml {
  readonly contents: Document.Parsed['contents'] | null
  readonly lines: LineCounter
  readonly mistakes: readonly { readonly offset: number; readonly text: string }[]
}

/** The parser's cost grows with tokens: a mebibyte of closing braces would take many seconds. */
export interface FileLimits {
  readonly mebibytes: number
  readonly tokens: number
}

/** For files that people write. */
export const usualLimits: FileLimits = { mebibytes: 1, tokens: 250_000 }
const maxStrayTokens = 50

/**
 * Parses one YAML 1.2 document (core schema, text keys, no tags). Same as yaml's `parseDocument`, but fed token by
 * token, so that it can be stopped. `uniqueKeys` is off because yaml compares every pair of keys: the caller checks for
 * duplicates.
 */
export function parseYaml(text: string, { mebibytes, tokens }: FileLimits = usualLimits): ParsedYaml {
  const lines = new LineCounter()
  lines.addNewLine(0)
  if (Buffer.byteLength(text) > mebibytes * 1024 * 1024) {
    const mistake = { offset: 0, text: `the file is larger than ${mebibytes} MiB, the limit` }
    return { contents: null, lines, mistakes: [mistake] }
  }
  const tooLong = { offset: -1 }
  const composer = new Composer({
    strict: true,
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
  })
  const [first, second] = composer.compose(tokensOf(text, lines, { tooLong, mostTokens: tokens }), true, text.length)
  if (tooLong.offset >= 0) {
    const mistake = { offset: tooLong.offset, text: `the file has more than ${tokens} YAML tokens, the limit` }
    return { contents: null, lines, mistakes: [mistake] }
  }
  const faults = [...(first?.errors ?? []), ...(first?.warnings ?? [])]
  const mistakes = oneForEachIndentation(faults.map(mistakeOf), text, lines).map(
    ({ offset, code }): { offset: number; text: string } => ({ offset, text: texts[code] }),
  )
  if (second !== undefined) mistakes.push({ offset: second.range[0], text: texts.MULTIPLE_DOCS })
  if (first?.directives?.yaml.version !== '1.2') mistakes.push({ offset: 0, text: 'expected YAML 1.2' })
  return { contents: first?.contents ?? null, lines, mistakes }
}

interface TokenLimit {
  readonly tooLong: { offset: number }
  readonly mostTokens: number
}

function* tokensOf(text: string, lines: LineCounter, { tooLong, mostTokens }: TokenLimit) {
  const parser = new Parser(lines.addNewLine)
  let count = 0
  let stray = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > mostTokens) {
      tooLong.offset = parser.offset
      return
    }
    for (const token of parser.next(lexeme)) {
      if ((token.type === 'error' || token.type === 'directive') && ++stray > maxStrayTokens) return
      yield token
    }
  }
  yield* parser.end()
}

interface Mistake {
  readonly offset: number
  readonly code: YAMLError['code']
}

function mistakeOf({ code, pos }: YAMLError): Mistake {
  return { offset: pos[0], code }
}

/** What yaml says of lines that a line with a wrong indentation made part of something else. */
const consequences: ReadonlySet<YAMLError['code']> = new Set([
  ...(['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY', 'NON_STRING_KEY'] as const),
  'UNEXPECTED_TOKEN',
])

/**
 * One mistake for a line whose indentation is wrong, at its first character. yaml takes such a line for a part of the value
 * or key before it, and refuses that in several ways, on this line and on those that follow.
 */
function oneForEachIndentation(mistakes: readonly Mistake[], text: string, lines: LineCounter): Mistake[] {
  const reported: Mistake[] = []
  /** The last line that a wrong indentation explains. */
  let explained = 0
  const byOffset = Map.groupBy(mistakes, ({ offset }) => offset)
  for (const [offset, atOnce] of [...byOffset].sort(([a], [b]) => a - b)) {
    const { line, col } = lines.linePos(offset)
    const codes = new Set(atOnce.map(({ code }) => code))
    // A value that goes on in the next line, where a colon follows.
    const isContinued = codes.has('BLOCK_AS_IMPLICIT_KEY') && codes.has('MULTILINE_IMPLICIT_KEY')
    const isOfIndented = col === 1 && text[offset] === ' ' && atOnce.some(({ code }) => consequences.has(code))
    const others = atOnce.filter(({ code }) => !consequences.has(code))
    if (line <= explained && others.length < atOnce.length) explained = line + 1
    else if (isContinued || isOfIndented) {
      const wrong = isContinued ? line + 1 : line
      reported.push({ offset: firstCharacter(wrong, text, lines), code: 'BAD_INDENT' })
      explained = wrong + 1
    } else {
      reported.push(...atOnce)
      continue
    }
    reported.push(...others)
  }
  return reported
}

function firstCharacter(line: number, text: string, { lineStarts }: LineCounter): number {
  let at = lineStarts[line - 1] ?? 0
  while (text[at] === ' ') at++
  return at
}

/** Our own words for yaml's errors: its messages quote the file, and the quote may contain a secret. */
const texts = {
  ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
  BAD_ALIAS: 'not an alias; a value that begins with * needs quotes',
  BAD_COLLECTION_TYPE: 'a tag that does not fit the value after it',
  BAD_DIRECTIVE: 'unknown YAML directive; a line that begins with % needs quotes',
  BAD_DQ_ESCAPE: 'unknown escape sequence in a text in double quotes; write \\\\ for a backslash or use single quotes',
  BAD_INDENT: 'wrong indentation, expected the members of a mapping or list in one column and brackets closed',
  BAD_PROP_ORDER: 'anchors and tags belong before their value',
  BAD_SCALAR_START: 'a value that begins with @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second colon in one line; a text with a colon and a space in it needs quotes',
  BLOCK_IN_FLOW: 'a block within brackets or braces, expected all of it in one style',
  DUPLICATE_KEY: 'a duplicate key',
  IMPOSSIBLE: 'not readable as YAML',
  KEY_OVER_1024_CHARS: 'a key of more than 1024 characters; check for an extra colon or a missing quote',
  MISSING_CHAR: 'something is missing: a closing quote, bracket or brace, a comma, or the colon and space after a key',
  MULTILINE_IMPLICIT_KEY: 'a key that spans several lines; check for a missing colon after the key',
  MULTIPLE_ANCHORS: 'more than one anchor on one value',
  MULTIPLE_DOCS: 'a second YAML document begins, expected one per file',
  MULTIPLE_TAGS: 'more than one tag on one value',
  NON_STRING_KEY: 'a key that is not a text, expected a plain name',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAB_AS_INDENT: 'indented with a tab, expected spaces',
  TAG_RESOLVE_FAILED: 'a YAML tag that hookdrift does not know; a value that begins with ! needs quotes',
  UNEXPECTED_TOKEN: 'an unexpected character; check for an extra or missing quote, bracket or brace',
} as const satisfies Record<YAMLError['code'], string>
