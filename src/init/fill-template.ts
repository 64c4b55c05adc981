import type { Json } from '../model/json.ts'
import { writeYaml } from '../yaml/write-yaml.ts'

/**
 * `__name__` is a name in YAML, shell, Compose and expressions of GitHub: a template is a valid file of its format. It
 * is all of a member's value, a key or the only item of a list, or a part of some text.
 */
const placeholder =
  /^( {0,20}(?:- )?)(\w{1,40}): __([a-z_]{1,40})__\n|(?<=^ {0,20}|\[ )__([a-z_]{1,40})__(?=:| \])|__([a-z_]{1,40})__/gm

/**
 * Fills a template. A member's value may be anything, and undefined leaves the member out. Elsewhere a value must be a
 * word: it needs no escape in text, in a shell, in a path and in a comment. As a key or an item it is quoted where YAML
 * would read another type.
 * @throws Error for a name without a value, and for a value that is not a word where it must be one
 */
export function fillTemplate(template: string, values: Readonly<Record<string, Json | undefined>>): string {
  const read = (name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`a template names ${name}, which has no value`)
    return values[name]
  }
  const readWord = (name: string) => {
    const value = read(name)
    if (typeof value === 'string' && /^[\w.-]{1,200}$/.test(value)) return value
    throw new Error(`a template has ${name} in a text, and its value is not a word`)
  }
  return template.replace(
    placeholder,
    (_, indent: string, member: string, all: string | undefined, item: string | undefined, part: string) => {
      if (item !== undefined) return writeYaml(readWord(item)).trimEnd()
      if (all === undefined) return readWord(part)
      const value = read(all)
      if (value === undefined) return ''
      return indent + writeYaml({ [member]: value }).replace(/\n(?=.)/g, `\n${' '.repeat(indent.length)}`)
    },
  )
}
