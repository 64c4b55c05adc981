import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { coverageCauses, coverageStatuses } from '../../src/model/coverage.ts'
import { noticeScopes } from '../../src/model/notice.ts'
import { checkout } from './build-image.ts'

const page = readFileSync(join(checkout, 'docs/reference/coverage.md'), 'utf8')

/** The first two cells of each row below a header, in the part of the page from one text to another. */
function rowsBetween(from: string, to: string): readonly (readonly string[])[] {
  const part = page.slice(page.indexOf(from), page.indexOf(to))
  const rows = [...part.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, code = '', next = '']) => [code, next])
  return rows.slice(1)
}
const codesBetween = (from: string, to: string) => rowsBetween(from, to).map(([code]) => code)

describe('docs/reference/coverage.md', () => {
  it('lists every status of a walk', () => {
    expect(codesBetween('| `status` |', '<!-- causes -->')).toEqual([...coverageStatuses])
  })

  it('lists every cause of a walk that is not complete', () => {
    expect(codesBetween('<!-- causes -->', '<!-- /causes -->')).toEqual([...coverageCauses])
  })

  it('lists every code of a notice, with what the notice is about', () => {
    const scopes = rowsBetween('<!-- notices -->', '<!-- /notices -->').map(([code, about = '']) => [
      code,
      about.replace(/^(a|the) /, ''),
    ])
    expect(scopes).toEqual(Object.entries(noticeScopes))
  })
})
