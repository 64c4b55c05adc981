import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { llmsText } from '../../site/llms.ts'
import { type NavigationEntry, readNavigation } from '../../site/read-navigation.ts'
import { pageOf } from '../../site/resolve-link.ts'
import { rules } from '../../src/rules/rules.ts'
import { checkout } from '../deploy/build-image.ts'

const navigation = readNavigation(checkout)
const linksIn = (entries: readonly NavigationEntry[]): readonly string[] =>
  entries.flatMap(({ link, items = [] }) => [...(link === undefined ? [] : [link]), ...linksIn(items)])
const addressesOf = (...patterns: readonly string[]) =>
  globSync(patterns, { cwd: checkout })
    .filter((path) => !path.endsWith('README.md'))
    .map((path) => `/${pageOf(path)}`)
    .sort()

describe('the navigation of the site', () => {
  it('is what llms.txt offers assistants: pages that are there, below the folder of the site', () => {
    const links = [...llmsText(checkout, '/hookdrift/').matchAll(/\/hookdrift\/(docs\/[^)#\s]+|[A-Z]+)\.html/g)]
    expect(links.length).toBeGreaterThan(40)
    const missing = links.filter(([, path]) => !existsSync(join(checkout, `${path}.md`)))
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it('has the four kinds of pages, and the project', () => {
    const names = ['Tutorial', 'How-to guides', 'Reference', 'Explanation', 'The project']
    for (const entries of Object.values(navigation)) expect(entries.map(({ text }) => text)).toEqual(names)
  })

  it('lists every page once, and the kinds of rules', () => {
    const kinds = [...new Set(rules.map(({ id }) => `/docs/reference/rules.md#${id.split('/')[0]}`))]
    const pages = addressesOf('docs/*.md', 'docs/!(rules)/*.md', '*.md')
    expect(linksIn(navigation['/'] ?? []).toSorted()).toEqual([...pages, ...kinds].sort())
  })

  it('lists next to a rule all rules of its kind, with their ids', () => {
    const shown = Object.entries(navigation).flatMap(([folder, entries]) => {
      const reference = entries.find(({ text }) => text === 'Reference')
      const kinds = reference?.items?.find(({ text }) => text === 'Rules by kind')?.items ?? []
      return kinds.flatMap(({ text: kind, items = [] }) =>
        items.map(({ text, link }) => ({ folder, kind, text, link })),
      )
    })
    const expected = rules.map(({ id }) => {
      const kind = id.split('/')[0]
      return { folder: `/docs/rules/${kind}/`, kind, text: id, link: `/docs/rules/${id}.md` }
    })
    const byText = (one: { text: string }, other: { text: string }) => (one.text < other.text ? -1 : 1)
    expect(shown.toSorted(byText)).toEqual(expected.toSorted(byText))
  })
})
