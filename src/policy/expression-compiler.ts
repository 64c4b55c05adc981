import type { compileCustomRule } from './cel/custom-rule.ts'
import type { expectExpression } from './cel/payload-expression.ts'
import type { Steps } from './steps.ts'

/** Compiles what a policy says in CEL. */
export interface ExpressionCompiler {
  readonly compileCustomRule: typeof compileCustomRule
  readonly expectExpression: typeof expectExpression
}

/** Gives the compiler at once, or later. */
export type LoadCompiler = () => ExpressionCompiler | Promise<ExpressionCompiler>

/** Loads the compiler: most policies have no expression and never ask for it. */
export async function importCompiler(): Promise<ExpressionCompiler> {
  const { compileCustomRule } = await import('./cel/custom-rule.ts')
  const { expectExpression } = await import('./cel/payload-expression.ts')
  return { compileCustomRule, expectExpression }
}

/** The compiler, after a step that waits for it where it is not at hand. */
export function* compilerFrom(load: LoadCompiler): Steps<ExpressionCompiler> {
  const given = load()
  if (!(given instanceof Promise)) return given
  let loaded: ExpressionCompiler | undefined
  yield given.then((compiler) => {
    loaded = compiler
  })
  if (loaded === undefined) throw new Error('a step went on before what it waits for was there')
  return loaded
}
