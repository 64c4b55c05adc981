import { readLocation, urlScheme } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { referenceForms, withoutReferences } from './expand-references.ts'

/** Finds what is wrong with the URL of a history on a server. The problems quote no part of it that may be secret. */
export function* findHistoryFaults(
  document: Pick<ReadDocument<{ readonly history: string }>, 'value' | 'problem' | 'written'>,
): Generator<FileProblem> {
  const { history } = document.value
  if (urlScheme(history) === undefined) return
  // What the file itself says, without the values of references.
  const literal = withoutReferences(document.written(['history']) ?? '')
  if (/:[^@/?#]{1,4096}@/.test(literal)) {
    const text = `the file contains the password of the history: use ${referenceForms} in its place, PGPASSWORD or a password file`
    yield document.problem(['history'], text)
    return
  }
  try {
    readLocation(history, '.')
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    yield document.problem(['history'], [error.message, error.advice].filter(Boolean).join(': '))
  }
}
