/** Of the world: full, locked, damaged, read-only. What remains (a constraint, a syntax error) is a bug of ours. */
export const outsideCauses = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|LOCKED|PROTOCOL|NOMEM)/

/** Whether the place where the history is kept failed: no project is to blame, and nothing more can be written. */
export function isHistoryFault(thrown: unknown): boolean {
  return (
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && outsideCauses.test(thrown.code)
  )
}
