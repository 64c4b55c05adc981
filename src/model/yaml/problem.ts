import { AuditError } from '../errors.ts'
import type { NodePath } from './node-values.ts'

/** Something wrong at one position in a file that a person wrote. Lines and columns count from 1; column 0: the text is in no file. */
export interface FileProblem {
  readonly file: string
  /** What it is about; empty for a mistake of the syntax. */
  readonly path: NodePath
  readonly line: number
  readonly column: number
  /** One line: what is wrong, what was expected. */
  readonly text: string
}

const maxShown = 50

/** `file:line:column: text`, which editors and terminals turn into a link. */
export function problemLine({ file, line, column, text }: Omit<FileProblem, 'path'>): string {
  return column === 0 ? `${file}: ${text}` : `${file}:${line}:${column}: ${text}`
}

/** Problems in the order of the file. */
export function inOrder(problems: readonly FileProblem[]): readonly FileProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** The lines of problems in the order of the file, without duplicates. */
export function problemLines(problems: readonly FileProblem[]): readonly string[] {
  return [...new Set(inOrder(problems).map(problemLine))]
}

/** @throws AuditError.usage with a line for each problem; returns if there are none */
export function refuseProblems(problems: readonly FileProblem[], options: { advice?: string } = {}): void {
  if (problems.length === 0) return
  const lines = problemLines(problems)
  const hidden = lines.length - maxShown
  const shownLines = hidden > 0 ? [...lines.slice(0, maxShown), `… and ${hidden} more`] : lines
  throw AuditError.usage(shownLines.join('\n'), options)
}
