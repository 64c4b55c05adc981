const blanks = /(?:\s+|--[^\r\n]*)/y
const letters = /[A-Za-z]*/y

/** The first word behind blanks and comments, in capitals. PostgreSQL's comments nest, and any line end ends one. */
export function firstWord(sql: string): string {
  let at = 0
  for (;;) {
    blanks.lastIndex = at
    if (blanks.test(sql)) at = blanks.lastIndex
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at)
    else break
  }
  letters.lastIndex = at
  return letters.exec(sql)?.[0].toUpperCase() ?? ''
}

function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (const { 0: mark, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return start + index + mark.length
  }
  return sql.length
}
