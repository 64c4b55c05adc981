const longest = 200

/** The first step, choice or sentence of a remediation on one line: what a chat has room for. Empty for none. */
export function firstStep(remediation: string): string {
  const text = remediation
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\[([^\]]{1,200})\]\([^)]{1,300}\)/g, '$1')
  const [step = ''] = text.startsWith('1. ') ? text.slice(3).split(' 2. ') : text.replace(/^- /, '').split(' - ')
  const end = sentenceEnd(step)
  const sentence = end === undefined ? step : step.slice(0, end)
  return sentence.length <= longest
    ? sentence
    : closed(`${sentence.slice(0, longest - 1).replace(/ [^ ]{0,199}$/, '')}…`)
}

/** Behind the first full stop that a blank follows, outside of code. */
function sentenceEnd(text: string): number | undefined {
  let isCode = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '`') isCode = !isCode
    if (
      !isCode &&
      '.!?'.includes(text[at] ?? ' ') &&
      text[at + 1] === ' ' &&
      /^[A-Z]/.test(text.slice(at + 2, at + 3))
    ) {
      return at + 1
    }
  }
  return undefined
}

/** A cut may have left code open. */
function closed(text: string): string {
  return text.split('`').length % 2 === 1 ? text : `${text.slice(0, -1)}\`…`
}
