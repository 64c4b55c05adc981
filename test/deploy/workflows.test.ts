import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkout, textOf } from './build-image.ts'
import { documentedWorkflows as workflows } from './documented-workflows.ts'
import { lintWorkflow } from './lint-workflow.ts'
import { workflowFaults } from './workflow-faults.ts'

interface Job {
  readonly permissions: Readonly<Record<string, string>>
  readonly steps: readonly { readonly run?: string }[]
}

const template = { name: 'deploy/init', text: textOf('deploy/init/github/workflow.yml') }

describe('workflows in the documentation', () => {
  it.each(workflows)('$name shows one that actionlint accepts', async ({ text }) => {
    expect(await lintWorkflow(text)).toEqual([])
  })

  it.each([...workflows.filter(({ isWhole }) => isWhole), template])(
    '$name gives a stranger nothing to use',
    ({ text }) => {
      expect(workflowFaults(text)).toEqual([])
    },
  )

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
      const { jobs } = parse(text)
      for (const { permissions, steps } of Object.values<Job>(jobs)) {
        const written = Object.keys(permissions).filter((name) => permissions[name] !== 'read')
        expect(written.filter((name) => !['pull-requests', 'security-events'].includes(name))).toEqual([])
        expect(steps.filter(({ run }) => run?.includes('secrets.'))).toEqual([])
      }
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
