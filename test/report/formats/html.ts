import type { FormatTest } from '../format-test.ts'

export const html: FormatTest = {
  isWhole: true,
  read(text) {
    const element = /data-rule="([^"]*)" data-severity="([^"]*)" data-project="([^"]*)" data-state="([^"]*)"/g
    const violations = [...text.matchAll(element)].map(([, rule = '', severity = '', project = '', state = '']) => {
      return { severity, rule, project, state }
    })
    return { violations, exitCode: Number(/<dt>Exit code<\/dt><dd>(\d+)</.exec(text)?.[1]) }
  },
  damage(text, { notes }) {
    const acting = /<(?:script|img|iframe|!--|!\[CDATA)|<a (?!class="(?:skip|chip \w+)" href="#|href="#)[^>]*| on\w+=/g
    const found = (text.match(acting) ?? []).filter((match) => match.startsWith('<'))
    // What a person referred to in a note is a link.
    const isReferred = notes.some(({ ref }) => /^https?:\/\//.test(ref ?? ''))
    return found.filter((match) => !(isReferred && /^<a href="https?:\/\/[^"]*" rel="noreferrer"$/.test(match)))
  },
}
