import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { widthOf } from '../../src/model/text/columns.ts'
import { type Column, layTable } from '../../src/model/text/table.ts'
import { stateForm } from '../../src/questions/state.ts'
import type { Answer, AnswerView } from '../../src/report/answer.ts'
import { writeAnswer } from '../../src/report/show-answer.ts'
import { anyCharacter } from '../any-character.ts'

interface Row {
  readonly name: string
  readonly n: number
}

const columns: Column<Row>[] = [
  { name: 'name', value: ({ name }) => name, breaks: true },
  { name: 'n', value: ({ n }) => n, align: 'right' },
]

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe('a table', () => {
  it('is as wide as its cells, with numbers to the right', () => {
    const rows = [
      { name: 'a', n: 7 },
      { name: 'longer', n: 1234 },
    ]
    expect(layTable(columns, rows, 80)).toEqual([['name       n'], ['a          7'], ['longer  1234']])
  })

  it('goes on in the next line on a narrow terminal, between words and after separators in names', () => {
    expect(layTable(columns, [{ name: 'much too long', n: 12345678 }], 20)).toEqual([
      ['name               n'],
      ['much too    12345678', '  long'],
    ])
    expect(layTable(columns, [{ name: 'acme/orders-2026-11-27', n: 12345678 }], 30)).toEqual([
      ['name                         n'],
      ['acme/                 12345678', '  orders-2026-11-27'],
    ])
  })

  it('breaks no word of a column that has no names', () => {
    const ids: Column<Row>[] = [...columns.slice(1), { name: 'id', value: ({ name }) => name }]
    expect(layTable(ids, [{ name: 'acme/orders', n: 12345678 }], 20)).toEqual([[], ['n   12345678', 'id  acme/orders']])
  })

  it('has a line for each column where not even the words fit', () => {
    const rows = [
      { name: 'much too long', n: 12345678 },
      { name: 'b', n: 2 },
    ]
    expect(layTable(columns, rows, 10)).toEqual([
      [],
      ['name  much too', '      long', 'n     12345678'],
      ['', 'name  b', 'n     2'],
    ])
  })

  it('keeps to the width and contains no terminal control', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 80 }), fc.integer({ min: 20, max: 60 }), (name, width) => {
        const lines = layTable(columns, [{ name, n: 1 }], width)
        expect(lines).toHaveLength(2)
        for (const line of lines.flat()) {
          expect(widthOf(line)).toBeLessThanOrEqual(width)
          expect(line).not.toMatch(unseen)
        }
      }),
    )
  })
})

describe('an answer', () => {
  const run = {
    number: 7,
    started_at: '2026-11-21T03:00:00.000Z',
    finished_at: '2026-11-21T03:01:00.000Z',
    state: 'committed',
  } as const
  const walk = {
    project: 'acme/a',
    listing: 'endpoints',
    status: 'complete',
    cause: null,
    reason: null,
    filter: null,
    run: 7,
  } as const
  const figures = { pages: 1, items: 2, requests: 1, retries: 0, duration_ms: 5 }
  const answer: Answer<Row> = {
    form: stateForm,
    run,
    coverage: [{ ...walk, ...figures }],
    rows: [{ name: 'a', n: 1 }],
    omitted: 3,
  }
  const face: AnswerView<Row> = { columns, nothing: 'There are none.' }
  const options = { colour: false, width: 80, tableWidth: 80 }

  it('as text names its run, the scanned projects, and how to see the rest', () => {
    expect(writeAnswer('text', answer, face, options)).toBe(
      'As of run 7, 2026-11-21 03:00 UTC.\nScanned acme/a completely.\n\nname  n\na     1\n\n… and 3 more; --limit all shows them\n',
    )
  })

  it('as text begins with incomplete walks', () => {
    const partial = { ...walk, ...figures, status: 'partial', reason: 'page 2: \x1b[31mHTTP 500' } as const
    const elsewhere = { ...walk, ...figures, project: 'acme/b', run: 3 }
    const text = writeAnswer('text', { ...answer, coverage: [partial, elsewhere], rows: [] }, face, options)
    expect(text).toContain('INCOMPLETE SCAN: 1 of 2 listings not complete.\n')
    expect(text).toContain('  acme: \\x1b[31mHTTP 500 (acme/a endpoints PARTIAL; 2 resources seen)\n')
    expect(text).toContain('  acme/b was last scanned by run 3\n')
    expect(text).toContain('\nThere are none.\n')
  })

  it('as JSON is one object with schema, run, coverage and rows', () => {
    const document: Json = JSON.parse(writeAnswer('json', answer, face, options))
    expect(document).toEqual({
      schema: 'hookdrift.state/3',
      run,
      coverage: [{ ...walk, ...figures }],
      rows: [{ name: 'a', n: 1 }],
      omitted: 3,
    })
    expect(
      JSON.parse(writeAnswer('json', { form: stateForm, run: null, rows: [], omitted: 0 }, face, options)),
    ).toEqual({
      schema: 'hookdrift.state/3',
      run: null,
      rows: [],
    })
  })

  it('as CSV is a record for each row, lists and objects as JSON', () => {
    const listed: AnswerView<Row> = { ...face, columns: [...columns, { name: 'list', value: ({ n }) => [n] }] }
    expect(writeAnswer('csv', answer, listed, options)).toBe('name,n,list\r\na,1,[1]\r\n')
  })
})
