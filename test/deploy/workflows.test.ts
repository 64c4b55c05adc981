import { spawnSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkout, textOf } from './build-image.ts'
import { lintWorkflow } from './lint-workflow.ts'

const docs = readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
const blocks = docs
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(checkout, 'docs', name), 'utf8').matchAll(/(?<=^```yaml\n).*?(?=^```)/gms)].map(([text]) => ({
      name,
      text,
    })),
  )
/** A list of steps, as a page shows a part of a workflow, or a whole workflow. */
const workflows = blocks.flatMap(({ name, text }) => {
  const value = parse(text)
  if (value?.jobs !== undefined) return [{ name, text }]
  if (!Array.isArray(value) || !value.some((step) => 'uses' in step || 'run' in step)) return []
  const steps = text.replace(/^/gm, '      ')
  return [{ name, text: `on: push\njobs:\n  audit:\n    runs-on: ubuntu-latest\n    steps:\n${steps}` }]
})

describe('workflows in the documentation', () => {
  it.each(workflows)('$name shows one that actionlint accepts', async ({ text }) => {
    expect(await lintWorkflow(text)).toEqual([])
  })

  it('are found', () => {
    expect(new Set(workflows.map(({ name }) => name))).toContain('how-to/run-in-ci.md')
  })

  it('keep the history of each attempt, with what a killed audit left in its log', () => {
    const steps = workflows.flatMap(({ text }) =>
      Object.values<{ steps: { uses?: string; with?: Record<string, string> }[] }>(parse(text).jobs).flatMap(
        (job) => job.steps,
      ),
    )
    const caches = steps.filter(({ uses = '' }) => uses.startsWith('actions/cache/')).map((step) => step.with)
    expect(caches).toHaveLength(2)
    for (const given of caches) {
      expect(given?.path).toMatch(/^(\S+\.db)\n\1-wal\n$/)
      expect(given?.key).toContain('github.run_attempt')
    }
  })

  it('skip no scheduled audit where they skip those of forks', () => {
    const page = textOf('docs/how-to/run-in-ci.md')
    const template = textOf('deploy/init/github/workflow.yml')
    const [, condition = ''] = /^ +if: (.*head\.repo\.full_name.*)$/m.exec(template) ?? []
    expect(condition).toMatch(/^github\.event_name != 'pull_request' \|\| /)
    expect(page).toContain(`\`if: ${condition}\``)
  })

  it('pass keys as variables of a step, and give no job more rights than it needs', () => {
    for (const { text } of workflows.filter(({ text }) => text.includes('secrets.'))) {
      const { jobs, permissions } = parse(text)
      const written = Object.keys(permissions).filter((name) => permissions[name] !== 'read')
      expect(written.filter((name) => !['pull-requests', 'security-events'].includes(name))).toEqual([])
      for (const { steps } of Object.values<{ steps: readonly { run?: string }[] }>(jobs))
        expect(steps.filter(({ run }) => run?.includes('secrets.'))).toEqual([])
    }
  })
})

describe('docs/how-to/run-in-ci.md', () => {
  const page = textOf('docs/how-to/run-in-ci.md')
  /** What is in code in the first cells of a table. */
  const firstCells = (head: string) => {
    const [, table = ''] = new RegExp(`^\\| ${head} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? []
    return table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  }

  it('lists every input and output of the action', () => {
    const { inputs, outputs } = parse(textOf('action.yml'))
    expect(firstCells('input').toSorted()).toEqual(Object.keys(inputs).toSorted())
    expect(firstCells('output').toSorted()).toEqual(Object.keys(outputs).toSorted())
  })
})

/** Debian's package; without it this test is skipped, and says so. */
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

describe('the shell scripts', () => {
  const scripts = globSync('deploy/**/*.sh', { cwd: checkout })

  it.skipIf(!hasShellcheck).each(scripts)('%s passes shellcheck', (name) => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', join(checkout, name)], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('end at the first failed command and at an unknown variable', () => {
    expect(scripts.length).toBeGreaterThan(4)
    for (const name of scripts) expect(textOf(name)).toMatch(/^#!\/bin\/sh\n(#.*\n)+set -eu$/m)
  })
})
