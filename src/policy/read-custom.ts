import type { Kind } from '../model/resource.ts'
import type { Rule } from '../rules/engine/rule.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { type CustomSource, compileCustomRule } from './cel/custom-rule.ts'
import type { Language } from './cel/language.ts'
import type { Steps } from './steps.ts'

/** A custom rule of a policy file. */
export interface CustomRule {
  readonly rule: Rule
  /** `file:line:column` */
  readonly at: string
}

/**
 * Compiles the custom rules of a file, after those of the files that it extends, one step each; and every mistake in
 * them, each at its place within the expression.
 */
export function* readCustom(
  file: string,
  { value, at, problem, problemWithin }: ReadDocument<{ readonly custom: readonly CustomSource[] }>,
  before: readonly CustomRule[],
): Steps<{ readonly custom: readonly CustomRule[]; readonly problems: readonly FileProblem[] }> {
  const problems: FileProblem[] = []
  const found: CustomRule[] = []
  const languages = new Map<Kind, Language>()
  for (const [index, source] of value.custom.entries()) {
    yield
    const { line, column } = at(['custom', index, 'id'])
    const twin = [...before, ...found].find(({ rule }) => rule.id === source.id)
    if (twin !== undefined) {
      problems.push(problem(['custom', index, 'id'], `\`${source.id}\` is defined already, in ${twin.at}`))
      continue
    }
    const result = compileCustomRule(source, languages)
    if ('rule' in result) found.push({ rule: result.rule, at: `${file}:${line}:${column}` })
    else {
      for (const { member, offset, text } of result.mistakes) {
        problems.push(problemWithin(['custom', index, member], offset, text))
      }
    }
  }
  return { custom: found, problems }
}

/** A file that is extended in two ways defines its rules once. */
export function uniqueCustom(all: readonly CustomRule[]): readonly CustomRule[] {
  return [...new Map(all.map((each) => [`${each.rule.id} ${each.at}`, each])).values()]
}

/** Rules of one name from different places. */
export function twins(custom: readonly CustomRule[]): (readonly [CustomRule, CustomRule])[] {
  const first = new Map<string, CustomRule>()
  return custom.flatMap((each) => {
    const known = first.get(each.rule.id)
    if (known === undefined) first.set(each.rule.id, each)
    return known === undefined ? [] : [[known, each] as const]
  })
}
