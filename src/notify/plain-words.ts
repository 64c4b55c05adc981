/** A part of a sentence: words that no chat can read as markup, or anything else. */
interface Part {
  readonly text: string
  readonly isPlain: boolean
}

/** Splits a sentence so that neighbouring words of one sort are one part. Joined with blanks, the parts are the sentence. */
export function splitPlainWords(sentence: string): readonly Part[] {
  const parts: { text: string; isPlain: boolean }[] = []
  for (const word of sentence.split(' ')) {
    const isPlain = isPlainWord(word)
    const last = parts.at(-1)
    if (last === undefined || last.isPlain !== isPlain) parts.push({ text: word, isPlain })
    else last.text += ` ${word}`
  }
  return parts
}

/** Letters or digits, with a hyphen or an apostrophe inside and a mark of the sentence behind. */
function isPlainWord(word: string): boolean {
  return /^[\p{L}\p{M}\p{Nd}]{0,60}(?:['’-][\p{L}\p{M}\p{Nd}]{1,60}){0,4}[,.;:]?$/u.test(word)
}
