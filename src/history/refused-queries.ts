import { AuditError, messageOf } from '../model/errors.ts'

const allowed = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'] as const

/**
 * Refuses a query by its first word, in capitals.
 * @throws AuditError.usage
 */
export function refuseOtherWords(word: string): void {
  if (word === '') throw refusedQuery('it is empty')
  if (!allowed.some((each) => each === word)) throw refusedQuery(`it begins with ${word}`)
}

export function refusedQuery(reason: string): AuditError {
  return AuditError.usage(`the query was refused: ${reason}, expected one statement that reads`, {
    advice: `begin with ${allowed.join(', ')}; \`hookdrift query --views\` lists the views`,
  })
}

/** For an error that the query caused. */
export function failedQuery(error: unknown): AuditError {
  return AuditError.usage(`the query failed: ${messageOf(error)}`, {
    advice: '`hookdrift query --views` lists the views and their columns',
    cause: error,
  })
}

export function slowQuery(timeoutMs: number): AuditError {
  return AuditError.usage(`the query was cut: it took more than ${timeoutMs / 1000} s`, {
    advice: 'ask for less: one run, one project, a LIMIT',
  })
}

export function largeQuery(characters: number): AuditError {
  return AuditError.usage(`the query was cut: its rows take more than ${characters} characters`, {
    advice: 'ask for fewer columns or rows',
  })
}

/** Column names; a repeated one gets a number. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let own = name
    for (let number = 2; taken.has(own); number += 1) own = `${name}_${number}`
    taken.add(own)
    return own
  })
}
