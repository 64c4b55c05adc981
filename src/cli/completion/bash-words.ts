import type { Completion } from './complete.ts'

type Quote = '"' | "'" | ''

/** A command line up to the cursor, as bash reads it without expanding anything. */
export interface BashLine {
  /** Whole words after the program's name. */
  readonly words: readonly string[]
  /** The word at the cursor, without quotes. */
  readonly current: string
  /** The quote that is open at the cursor. */
  readonly quote: Quote
  /** How many characters of `current` bash keeps, because they end at one of its word breaks. */
  readonly kept: number
}

/** `breaks`: the value of COMP_WORDBREAKS. */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let quote: Quote = ''
  let kept = 0
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      kept = 0
    } else if (character === quote) {
      quote = ''
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
      // What is quoted is one word for bash, from the quote on.
      kept = word.length
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1
      word = (word ?? '') + line[at]
    } else {
      word = (word ?? '') + character
      if (quote === '' && (character === '=' || character === ':') && breaks.includes(character)) kept = word.length
    }
  }
  return { words: words.slice(1), current: word ?? '', quote, kept }
}

/** The candidates as bash inserts them: quoted, and without what it keeps. */
export function bashCandidates({ candidates }: Completion, { quote, kept }: BashLine): readonly string[] {
  return candidates.flatMap(({ value }) => quoted(value.slice(kept), quote) ?? [])
}

/** Undefined where the text cannot be written inside the open quote. */
function quoted(text: string, quote: Quote): string | undefined {
  if (quote === "'") return text.includes("'") ? undefined : text
  // In double quotes, a backslash before `!` stays.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&')
  return text.replace(/[^\w./:@%+=,\-\u0080-\u{10ffff}]/gu, '\\$&')
}
