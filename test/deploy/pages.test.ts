import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { referencePages } from '../../scripts/reference/pages.ts'
import { coverageCauses, coverageStatuses } from '../../src/model/coverage.ts'
import { exitCodes } from '../../src/model/errors.ts'
import { gapCauses } from '../../src/model/gap.ts'
import { noticeScopes } from '../../src/model/notice.ts'
import { checkout, textOf } from './build-image.ts'
import { commandsIn, complaintOf, knownOptions, wordsIn } from './parse-command.ts'

/** Without its blocks. */
const proseOf = (path: string) => textOf(path).replace(/^```[\s\S]*?^```/gm, '')
const pages = readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
/** What is for who changes hookdrift lies next to the code. */
const nextToCode = globSync(['src/**/README.md', '{bench,config,prove,release,scripts,test}/README.md'], {
  cwd: checkout,
})
const everyPage = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...pages, ...nextToCode]
const speaking = everyPage.filter((path) => /`hookdrift [a-z]|\$ hookdrift/.test(textOf(path)))

/** A heading as a link names it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const anchorsOf = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Those of Docker. */
const othersOptions: ReadonlySet<string> = new Set([
  ...['--health-cmd', '--token', '--allow-git'],
  // Of `npm run try:claims`.
  ...['--receiver', '--only', '--at-once', '--fixes'],
])
const isBrief = (complaint: string) => complaint === '' || /missing|runs nothing/.test(complaint)

describe('every page', () => {
  it.each(speaking)('%s shows commands that the program knows', async (path) => {
    const mentioned = [...proseOf(path).matchAll(/`hookdrift ([a-z][^`]*)`/g)].map(([, rest = '']) => wordsIn(rest))
    const shown = commandsIn(textOf(path))
    expect(shown.length + mentioned.length).toBeGreaterThan(0)
    for (const args of shown) expect({ args, complaint: await complaintOf(args) }).toEqual({ args, complaint: '' })
    for (const args of mentioned) {
      // A sentence may name a command without what it takes.
      expect({ args, complaint: await complaintOf(args) }).toEqual({ args, complaint: expect.toSatisfy(isBrief) })
    }
  })

  it.each(speaking)('%s names options that some command has', (path) => {
    const named = [...proseOf(path).matchAll(/`(--[a-z][a-z-]*)/g)].map(([, option = '']) => option)
    const unknown = named.filter((option) => !knownOptions.has(option) && !othersOptions.has(option))
    expect(unknown).toEqual([])
  })

  it('links to existing pages and headings', () => {
    const dead = everyPage.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#')
          const file = path === '' ? page : join(dirname(page), path)
          if (!existsSync(join(checkout, file))) return true
          return anchor !== undefined && !anchorsOf(file).includes(anchor)
        })
        .map((link) => `${page}: ${link}`),
    )
    expect(dead).toEqual([])
  })
})

describe('the pages about operation', () => {
  it('list every exit code of the program', () => {
    const [, section = ''] = textOf('docs/reference/errors.md').split('## Exit codes')
    const rows = section.match(/^\| [\d, ]+ \| .*\|$/gm) ?? []
    const codes = rows.flatMap((row) => (row.split('|')[1] ?? '').split(',').map(Number))
    expect(codes).toEqual([...Object.values(exitCodes), 130, 143])
  })

  it('pass keys to CI as variables and never on a command line', () => {
    for (const block of textOf('docs/how-to/run-in-ci.md').match(/(?<=```yaml\n).*?(?=```)/gs) ?? []) {
      const steps = JSON.stringify(parse(block)).match(/"(run|script)":("(?:[^"\\]|\\.)*"|\[[^\]]*\])/g) ?? []
      expect(steps.filter((step) => /KEY|secrets\./.test(step))).toEqual([])
    }
  })
})

/** Of one of the four kinds, by its place; rules are reference. */
const kinds =
  /^docs\/(README\.md|tutorial\.md|how-to\/[\w-]+\.md|(reference|rules\/\w+)\/[\w-]+\.md|(design|explanation\/[\w-]+)\.md)$/

describe('the index', () => {
  it('lists every page except rules, which have a list of their own, and the design', () => {
    const linked = [...textOf('docs/README.md').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path]) => `docs/${path}`)
    const listed = pages.filter((path) => !/^docs\/(rules\/|design|README)/.test(path))
    expect(linked.toSorted()).toEqual(listed.toSorted())
  })

  it('lists each page under one of the four kinds', () => {
    expect(pages.filter((path) => !kinds.test(path))).toEqual([])
  })
})

describe('lines of Markdown', () => {
  it('break no table with an empty line', () => {
    // Rows after one are text to readers of Markdown, unless they begin a table with a head of its own.
    const broken = /^\|.*\|\n\n(\|.*\|)\n(?!\|[-:| ]{1,200}\|\n)/gm
    expect(everyPage.flatMap((path) => [...textOf(path).matchAll(broken)].map(([, row]) => `${path}: ${row}`))).toEqual(
      [],
    )
  })

  it.each(everyPage)('%s ends its lines at 120 columns', (path) => {
    const long = textOf(path)
      .split('\n')
      .flatMap((line, index) => (line.length > 120 ? [`${path}:${index + 1}`] : []))
    expect(long).toEqual([])
  })
})

describe('generated pages', () => {
  it.each(Object.entries(referencePages))('%s is current (`npm run reference` rewrites it)', async (path, page) => {
    const file = join(checkout, path)
    if (process.env.UPDATE_PAGES !== undefined) writeFileSync(file, await page())
    else expect(readFileSync(file, 'utf8')).toBe(await page())
  })

  it('list every package of others that the source imports', () => {
    const rows = [...textOf('scripts/README.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    const files = readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' })
    const names = files.flatMap((file) => (file.endsWith('.ts') ? packagesOf(textOf(join('src', file))) : []))
    expect(rows).toEqual([...new Set(names)].sort())
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json'))
    expect(Object.keys(dependencies)).toEqual(rows)
    expect(rows.filter((name) => name !== undefined && name in devDependencies)).toEqual([])
  })
})

/** The packages that a text imports, except for types. */
function packagesOf(text: string) {
  const imports =
    /(?:^import (?!type )[^;]*? from |import\(|createRequire\(import\.meta\.url\)\()'((?:@[^/']+\/)?[^/'.][^/']*)/gm
  return [...text.matchAll(imports)].flatMap(([, name = '']) => (isBuiltin(name) || name === '' ? [] : [name]))
}

const page = textOf('docs/reference/coverage.md')

/** The first two cells of each row below a header, in the part of the page from one text to another. */
function rowsBetween(from: string, to: string) {
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
    expect(codesBetween('<!-- gaps -->', '<!-- /gaps -->')).toEqual(Object.keys(gapCauses))
  })

  it('lists every code of a notice, with what the notice is about', () => {
    const scopes = rowsBetween('<!-- notices -->', '<!-- /notices -->').map(([code, about = '']) => [
      code,
      about.replace(/^(a|the) /, ''),
    ])
    expect(scopes).toEqual(Object.entries(noticeScopes))
  })
})
