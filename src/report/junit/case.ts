import { element, type Xml } from './xml.ts'

/** A test case with its outcome, for the totals. */
export interface Case {
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'error'
  readonly xml: string
}

export function testCase(
  outcome: Case['outcome'],
  attributes: Readonly<Record<string, string | number>>,
  children: readonly Xml[],
): Case {
  return { outcome, ...element('testcase', attributes, children) }
}
