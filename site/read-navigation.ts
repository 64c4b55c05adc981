import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pageOf, resolveLink } from './resolve-link.ts'

/** An entry of the navigation, as the generator's theme takes it. */
export interface NavigationEntry {
  readonly text: string
  /** The address of a page, without the base of the site. */
  readonly link?: string
  readonly items?: readonly NavigationEntry[]
}

const index = 'docs/README.md'
const ruleList = '/docs/reference/rules.md'

/**
 * The navigation of the site, by the beginning of the addresses that show it: what the index of the documentation
 * lists, by its headings and rows, then the rules, and the pages about the project. A kind of rules leads
 * to its part of the list of all; next to a rule, its kind has all of its rules.
 */
export function readNavigation(checkout: string): Readonly<Record<string, NavigationEntry[]>> {
  const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8')
  const entryOf = (path: string): NavigationEntry => ({ text: titleOf(path, textOf(path)), link: `/${pageOf(path)}` })
  const pagesIn = (pattern: string) => globSync(pattern, { cwd: checkout }).sort()
  const sections = sectionsOf(textOf(index), (href) => {
    const target = resolveLink(checkout, index, href)
    return target.kind === 'page' ? `/${pageOf(target.path)}` : undefined
  })
  const rules = Map.groupBy(pagesIn('docs/rules/*/*.md'), (path) => path.split('/')[2] ?? '')
  const project = {
    text: 'The project',
    items: pagesIn('{*,docs/design}.md')
      .filter((path) => path !== 'README.md')
      .map(entryOf),
  }

  const navigationIn = (shown: string | undefined): NavigationEntry[] => [
    ...sections.map(({ text, items }) => {
      if (text.startsWith('Reference')) {
        const kinds = [...rules].map(([kind, paths]) =>
          kind === shown ? { text: kind, items: paths.map(entryOf) } : { text: kind, link: `${ruleList}#${kind}` },
        )
        return { text, items: [...items, { text: 'Rules by kind', items: kinds }] }
      }
      return { text, items }
    }),
    project,
  ]
  return {
    '/': navigationIn(undefined),
    ...Object.fromEntries([...rules.keys()].map((kind) => [`/docs/rules/${kind}/`, navigationIn(kind)])),
  }
}

interface Section {
  readonly text: string
  readonly items: readonly NavigationEntry[]
}

/** The sections of the index: a row of a table is a group with the name in its first cell, a list is its links. */
function sectionsOf(text: string, linkOf: (href: string) => string | undefined): readonly Section[] {
  const [, ...sections] = text.split(/^## /m)
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n')
    const items: NavigationEntry[] = []
    let group: NavigationEntry[] = items
    for (const line of lines) {
      const [, name = ''] = /^\| ([^|]+) \|/.exec(line) ?? []
      if (/\w/.test(name)) {
        group = []
        items.push({ text: name, items: group })
      }
      for (const [, title = '', href = ''] of line.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)) {
        const link = linkOf(href)
        if (link !== undefined) group.push({ text: `${title.charAt(0).toUpperCase()}${title.slice(1)}`, link })
      }
    }
    return { text: heading.replace(/:.*$/, ''), items }
  })
}

function titleOf(path: string, text: string): string {
  const [, title = basename(path, '.md')] = /^# (.*)$/m.exec(text) ?? []
  return title.replaceAll('`', '')
}
