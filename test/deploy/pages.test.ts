import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../src/model/errors.ts'
import { checkout } from './build-image.ts'
import { commandsIn, complaintOf } from './parse-command.ts'

const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8')
const pages = readdirSync(join(checkout, 'docs')).filter((name) => name.endsWith('.md'))
const ours = ['operations.md', 'ci.md'] as const

/** A heading as a link names it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const anchorsOf = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

describe('the pages about running it', () => {
  it.each(ours)('%s shows commands that the program knows', async (name) => {
    const inline = [...textOf(`docs/${name}`).matchAll(/`hookdrift ([a-z][^`]*)`/g)].map(([, rest = '']) =>
      rest.split(' '),
    )
    const commands = [...commandsIn(textOf(`docs/${name}`)), ...inline]
    expect(commands.length).toBeGreaterThan(1)
    for (const args of commands) expect({ args, complaint: await complaintOf(args) }).toEqual({ args, complaint: '' })
  })

  it.each(ours)('%s links to what is there', (name) => {
    const links = [...textOf(`docs/${name}`).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const dead = links.filter((link) => {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? `docs/${name}` : join('docs', path)
      if (!existsSync(join(checkout, file))) return true
      return anchor !== undefined && !anchorsOf(file).includes(anchor)
    })
    expect(dead).toEqual([])
    expect(links.length).toBeGreaterThan(1)
  })

  it('say every exit code as the program knows it', () => {
    const [, section = ''] = textOf('docs/operations.md').split('## Exit codes')
    const rows = section.match(/^\| [\d, ]+ \| .*\|$/gm) ?? []
    const codes = rows.flatMap((row) => (row.split('|')[1] ?? '').split(',').map(Number))
    expect(codes).toEqual([...Object.values(exitCodes), 130, 143])
  })

  it('give CI its keys as variables, and no command line any', () => {
    for (const block of textOf('docs/ci.md').match(/(?<=```yaml\n).*?(?=```)/gs) ?? []) {
      const steps = JSON.stringify(parse(block)).match(/"(run|script)":("(?:[^"\\]|\\.)*"|\[[^\]]*\])/g) ?? []
      expect(steps.filter((step) => /KEY|secrets\./.test(step))).toEqual([])
    }
  })

  it('show workflows whose steps are whole', () => {
    const [, github, gitlab] = (textOf('docs/ci.md').match(/(?<=```yaml\n).*?(?=```)/gs) ?? []).map((text) =>
      parse(text),
    )
    const steps: readonly Record<string, unknown>[] = github.jobs.audit.steps
    expect(steps.map((step) => Object.keys(step).filter((key) => key === 'uses' || key === 'run').length)).toEqual(
      steps.map(() => 1),
    )
    const known = ['id', 'if', 'uses', 'run', 'with', 'env']
    expect(steps.flatMap((step) => Object.keys(step)).filter((key) => !known.includes(key))).toEqual([])
    expect(steps.filter(({ uses }) => uses !== undefined && !/^[\w-]+\/[\w/-]+@v\d+$/.test(String(uses)))).toEqual([])
    expect(gitlab.hookdrift.artifacts.reports).toEqual({ junit: 'drift.xml' })
  })
})

describe('the README', () => {
  it('lists every page', () => {
    const linked = [...textOf('README.md').matchAll(/\]\(docs\/([\w-]+\.md)\)/g)].map(([, name]) => name)
    expect(pages.filter((name) => !linked.includes(name))).toEqual([])
  })

  it('links to what is there', () => {
    const links = [...textOf('README.md').matchAll(/\]\(([^)#\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !existsSync(join(checkout, dirname(link), link.split('/').at(-1) ?? '')))).toEqual([])
  })
})
