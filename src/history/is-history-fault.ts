/** Faults from outside: full, locked, damaged, read-only. All others (a constraint, a syntax error) are bugs. */
export const outsideCauses = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|LOCKED|PROTOCOL|NOMEM)/

/** Whether the history's storage failed. No project caused it, and the run cannot write on. */
export function isHistoryFault(thrown: unknown): boolean {
  return (
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && outsideCauses.test(thrown.code)
  )
}
