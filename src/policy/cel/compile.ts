import type { Context } from '@marcbachmann/cel-js'
import type { Kind } from '../../model/resource.ts'
import { cel } from './cel.ts'
import { describeMistake } from './describe-mistake.ts'
import { guarded } from './guard.ts'
import { inspect, type Mistake, type Uses } from './inspect.ts'
import { fieldsOf, type Language, otherVariables } from './language.ts'

/** A compiled expression. */
export interface Compiled {
  readonly uses: Uses
  /** @throws Error when the evaluation fails */
  evaluate(context: Context): unknown
}

export interface CompileOptions {
  readonly language: Language
  readonly kind: Kind
  /** The type of its result, and how messages name it. */
  readonly types: readonly string[]
  readonly expected: string
  readonly isMessage?: boolean
}

const maxCharacters = 2000

/** Parses, checks and compiles an expression, or returns all mistakes in it. */
export function compile(
  text: string,
  wanted: CompileOptions,
): { readonly compiled: Compiled } | { readonly mistakes: readonly Mistake[] } {
  const { language, isMessage = false } = wanted
  if (text.length > maxCharacters) {
    return { mistakes: [{ offset: 0, text: `an expression of more than ${maxCharacters} characters, the limit` }] }
  }
  try {
    const parsed = language.environment.parse(text)
    const { uses, mistakes } = inspect(parsed.ast, { isMessage, volatile: volatileFields(wanted.kind) })
    if (mistakes.length > 0) return { mistakes }
    const { valid, type = '', error } = parsed.check()
    if (!valid && error !== undefined) return { mistakes: [describeMistake(error, language)] }
    if (!wanted.types.includes(type)) {
      return { mistakes: [{ offset: 0, text: `the expression gives ${plainType(type)}, expected ${wanted.expected}` }] }
    }
    const program = programEnvironment(language).parse(guarded(parsed.ast))
    const { valid: isProgram, error: fault } = program.check()
    if (!isProgram) throw new Error(`an expression changed its type when it was guarded: ${fault?.message}`)
    return { compiled: { uses, evaluate: (context) => program(context) } }
  } catch (error) {
    const { ParseError, TypeError: CelTypeError } = cel()
    if (!(error instanceof ParseError || error instanceof CelTypeError)) throw error
    return { mistakes: [describeMistake(error, language)] }
  }
}

const programs = new WeakMap<Language, Language['environment']>()

/** Without the limits for users' expressions: guards and brackets make them longer. */
function programEnvironment(language: Language): Language['environment'] {
  const known =
    programs.get(language) ?? language.environment.clone({ limits: { maxAstNodes: 100_000, maxDepth: 1000 } })
  programs.set(language, known)
  return known
}

/** Members of the resource or a related one that change by themselves. */
export function volatileFields(kind: Kind): ReadonlySet<string> {
  const kinds: readonly Kind[] = 'endpoint' in otherVariables(kind) ? [kind, 'endpoint', 'source'] : [kind]
  return new Set(
    kinds.flatMap((each) =>
      Object.entries(fieldsOf(each)).flatMap(([name, { presence }]) => (presence === 'volatile' ? [name] : [])),
    ),
  )
}

function plainType(type: string): string {
  return type === 'Secret' ? 'a secret' : `\`${type}\``
}
