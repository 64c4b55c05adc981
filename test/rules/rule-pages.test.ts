import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { howWeKnow, knownForm } from '../../scripts/reference/how-we-know.ts'
import { remediationOf } from '../../src/rules/rule-page.ts'
import { rules } from '../../src/rules/rules.ts'
import { withHeader } from './rule-header.ts'

const pages = join(import.meta.dirname, '../../docs/rules')
const { UPDATE_PAGES: update } = process.env

describe('pages of rules', () => {
  it('are there for every rule and for nothing else', () => {
    const found = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
    const wanted = rules.map(({ id }) => `${id}.md`)
    expect(found.sort()).toEqual(wanted.sort())
  })

  it.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s has a current header (UPDATE_PAGES=1 rewrites it), the five sections, and says how we know what it claims',
    (id, rule) => {
      const file = join(pages, `${id}.md`)
      const page = existsSync(file) ? readFileSync(file, 'utf8') : ''
      const current = withHeader(page, rule)
      if (update !== undefined) writeFileSync(file, current)
      else expect(page).toBe(current)
      expect(page.match(/^## .*/gm)).toEqual([
        ...['## What', '## Why', '## How we know', '## How to fix', '## When to waive'],
      ])
      const known = howWeKnow(page)
      expect(known.length).toBeGreaterThan(0)
      expect(known.filter((sentence) => !knownForm.test(sentence))).toEqual([])
    },
  )

  it('say in one line what to do, as reports show it', () => {
    const lines = rules.map(({ id }) => remediationOf(id))
    expect(lines.filter((line) => !/^(1\. |- )?["A-Z`].{10,}[.)]$/.test(line))).toEqual([])
    expect(remediationOf('endpoint/no-such-rule')).toBe('')
  })
})
