import type { AnswerView } from '../report/show-answer.ts'
import type { TextPage } from '../report/text/page.ts'
import { shorten } from '../report/text/shorten.ts'
import { showFields } from '../report/text/show-drift.ts'
import { showResource } from '../report/text/show-resource.ts'
import { wrapPieces, wrapProse } from '../text/columns.ts'
import { neutralise } from '../text/neutralise.ts'
import type { ComparedRow, Relation } from './compared-row.ts'

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
  columns: [
    ...identifying.map((name) => ({ name, value: (row: ComparedRow) => row[name] })),
    ...['path', 'before', 'after'].map((name) => ({ name, value: () => null })),
  ],
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
    ...(row.change === 'same_secret' ? showPlaces(row, page) : showFields(row.fields, page)),
    ...reason.map((line) => page.paint('aside', `${indent}${line}`)),
  ]
}

/** Where the secret is: its seal says nothing to people. */
function showPlaces({ fields }: ComparedRow, page: TextPage): string[] {
  const paths = fields.map(({ path }) => shorten(neutralise(path), 120))
  return wrapPieces(paths, page.width - indent.length).map((line) => `${indent}${line}`)
}
