import type { Dialect } from './dialect.ts'

/** The dialect's patterns, compiled once. All ignore case: the service writes one message in several ways. */
export interface DialectMatchers {
  isTransient(status: number, message: string): boolean
  isProjectNotFound(message: string): boolean
  isFunctionNotTried(message: string): boolean
  /** In lower case. */
  readonly requestIdHeader: string
}

/** @throws SyntaxError when a pattern is not a regular expression; the configuration checks that earlier */
export function compileDialect(dialect: Dialect): DialectMatchers {
  const transient = dialect.transient.map(({ status, message }) => ({ status, pattern: new RegExp(message, 'i') }))
  const projectNotFound = new RegExp(dialect.projectNotFound, 'i')
  const functionNotTried = new RegExp(dialect.functionNotTried, 'i')
  return {
    isTransient: (status, message) => transient.some((fault) => fault.status === status && fault.pattern.test(message)),
    isProjectNotFound: (message) => projectNotFound.test(message),
    isFunctionNotTried: (message) => functionNotTried.test(message),
    requestIdHeader: dialect.requestIdHeader.toLowerCase(),
  }
}
