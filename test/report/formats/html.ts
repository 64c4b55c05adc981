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
  damage: (text) =>
    (
      text.match(/<(?:script|img|iframe|!--|!\[CDATA)|<a (?!class="(?:skip|chip \w+)" href="#|href="#)| on\w+=/g) ?? []
    ).filter((match) => match.startsWith('<')),
}
