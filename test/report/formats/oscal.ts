import type { FormatTest, Parsed } from '../format-test.ts'

export const oscal: FormatTest = {
  read(text) {
    const [result]: Parsed = JSON.parse(text)['assessment-results'].results
    const propsOf = ({ props }: Parsed): Parsed =>
      Object.fromEntries(props.map(({ name, value }: Parsed) => [name, value]))
    const observations: Parsed[] = result.observations ?? []
    const violations = observations.filter(({ types }) => types.includes('finding')).map(propsOf)
    return { violations, exitCode: Number(propsOf(result)['exit-code']) }
  },
  damage(text) {
    const values = JSON.stringify(JSON.parse(text)).matchAll(/"value":"((?:[^"\\]|\\.)*)"/g)
    return [...values].map(([, value = '']) => value).filter((value) => !/^\S(.*\S)?$/u.test(value))
  },
}
