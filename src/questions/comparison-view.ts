import { pointerStep } from '../model/json.ts'
import type { Answer, AnswerView } from '../report/answer.ts'
import type { TextPage } from '../report/text/page.ts'
import { shorten } from '../report/text/shorten.ts'
import { showFields } from '../report/text/show-drift.ts'
import { showResource } from '../report/text/show-resource.ts'
import { wrapPieces, wrapProse } from '../text/columns.ts'
import { count, countEach } from '../text/count.ts'
import { neutralise } from '../text/neutralise.ts'
import type { ComparedRow, CompareQuery, ComparisonGap, Relation, UncomparedField } from './compared-row.ts'
import type { ComparedSide } from './compared-side.ts'

const labels = {
  modified: { label: '~ modified', style: 'modified' },
  only_in_a: { label: '- only in A', style: 'removed' },
  only_in_b: { label: '+ only in B', style: 'added' },
  ambiguous: { label: '? ambiguous', style: 'modified' },
  unknown: { label: '? unknown', style: 'alarm' },
  same_secret: { label: '! same secret', style: 'high' },
} as const satisfies Record<Relation, { label: string; style: string }>

const labelWidth = '! same secret'.length
const indent = '    '
const identifying = ['project', 'kind', 'uid', 'other_uid', 'name', 'change', 'reason'] as const

export const comparisonView: AnswerView<ComparedRow> = {
  columns: [...identifying, ...['path', 'before', 'after'].map((name) => ({ name, value: () => null }))],
  records(row) {
    const who = identifying.map((name) => row[name])
    if (row.fields.length === 0) return [[...who, null, null, null]]
    return row.fields.map(({ path, before, after }) => [...who, path, before, after])
  },
  lines: ({ rows }, page) => rows.flatMap((row) => showRow(row, page)),
  nothing: 'Nothing differs.',
}

function showRow(row: ComparedRow, page: TextPage): string[] {
  const { label, style } = labels[row.change]
  const { change, other_uid: uid } = row
  const other = change === 'modified' && uid !== null ? ['and', shorten(neutralise(uid), 64)] : []
  const [first = '', ...rest] = wrapPieces([...showResource(row), ...other], page.width - labelWidth - 2)
  const reason = row.reason === null ? [] : wrapProse(neutralise(shorten(row.reason, 300)), page.width - indent.length)
  return [
    `${page.paint(style, label.padEnd(labelWidth))}  ${first}`,
    ...rest.map((line) => `${' '.repeat(labelWidth + 2)}${line}`),
    ...(row.change === 'same_secret' ? showSecretPaths(row, page) : showFields(row.fields, page)),
    ...reason.map((line) => page.paint('aside', `${indent}${line}`)),
  ]
}

/** Where the secret is: its seal says nothing to people. */
function showSecretPaths({ fields }: ComparedRow, page: TextPage): string[] {
  const paths = fields.map(({ path }) => shorten(neutralise(path), 120))
  return wrapPieces(paths, page.width - indent.length).map((line) => `${indent}${line}`)
}

const mostListed = 8

interface ComparisonFacts {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly query: Pick<CompareQuery, 'matching' | 'ignored'>
  readonly gaps: readonly ComparisonGap[]
  readonly unreadFields: readonly ComparisonGap[]
  readonly areSecretsComparable: boolean
  readonly uncompared: readonly UncomparedField[]
}

/** Sentences about what was compared, and about what is unknown. */
export function describeComparison(facts: ComparisonFacts): Required<Pick<Answer<never>, 'remarks' | 'unknown'>> {
  const { a, b, query, gaps, unreadFields, areSecretsComparable, uncompared } = facts
  const { matching, ignored } = query
  const pointers = ignored.map((steps) => `/${steps.map(pointerStep).join('/')}`)
  const fields = uncompared.map(({ kind, path, resources }) => `${kind} ${path} (${resources})`)
  const unknown = [
    ...gaps.map(({ project, kind, reason }) => {
      const what = kind === 'project' ? `the settings of ${project}` : `every ${kind} that ${project} seems to lack`
      return `UNKNOWN: ${what}: ${reason}.`
    }),
    ...unreadFields.map(({ project, reason }) => `UNKNOWN: ${project}: ${reason}.`),
    ...(fields.length === 0 ? [] : [`Not compared, because a value or a counterpart is unknown: ${listed(fields)}.`]),
    ...(areSecretsComparable ? [] : ['Secrets were sealed under several keys: which of them are the same is unknown.']),
  ]
  return {
    remarks: [
      `A is ${a.project.name}, B is ${b.project.name}. Values are A → B, matched by ${matching}.`,
      ...(pointers.length === 0 ? [] : [`Ignored: ${listed(pointers)}.`]),
      ...unknown,
    ],
    unknown,
  }
}

/** How many resources are equal, how many are not, and who has the secrets of the other. */
export function concludeComparison(counts: Readonly<Record<Relation, number>>, equal: number): string[] {
  const { same_secret: shared } = counts
  const differing = countEach(['modified', 'only_in_a', 'only_in_b', 'ambiguous', 'unknown'], counts)
  const unequal = differing.replace('only_in_a', 'only in A').replace('only_in_b', 'only in B')
  return [
    `${count(equal, 'resource')} equal${unequal === '' ? '' : `, ${unequal}`}.`,
    ...(shared === 0 ? [] : [`${count(shared, 'resource')} of A with a secret that B has too: give each its own.`]),
  ]
}

function listed(texts: readonly string[]): string {
  const omitted = texts.length - mostListed
  return `${texts.slice(0, mostListed).join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}`
}
