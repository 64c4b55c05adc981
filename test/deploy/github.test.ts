import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { codeOwners } from '../../scripts/release/owner.ts'
import { checkout, textOf } from './build-image.ts'
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

describe('the check of workflows', () => {
  const pin = 'actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2'
  const workflow = ({
    on = 'on: push',
    top = 'permissions: {}\nconcurrency: x',
    job = 'timeout-minutes: 5\n    permissions: { contents: read }',
    step = 'run: echo',
  }) => `${on}\n${top}\njobs:\n  one:\n    runs-on: ubuntu-24.04\n    ${job}\n    steps:\n      - ${step}\n`
  const tagged = 'on: { push: { tags: [v1] } }'
  const node = 'actions/setup-node@395ad3262231945c25e8478fd5baf05154b1d79f # v6.1.0'
  const expression = `$\{{ github.head_ref }}`

  it('accepts one without a fault', () => {
    expect(workflowFaults(workflow({}))).toEqual([])
    const safe = `uses: ${pin}\n        with: { persist-credentials: false }`
    expect(workflowFaults(workflow({ on: tagged, step: safe }))).toEqual([])
    const noCache = `uses: ${node}\n        with: { package-manager-cache: false }`
    expect(workflowFaults(workflow({ on: tagged, step: noCache }))).toEqual([])
    expect(workflowFaults(workflow({ step: `uses: ${node}` }))).toEqual([])
  })

  it.each([
    [{ on: 'on: pull_request_target' }, 'dangerous-triggers: pull_request_target'],
    [{ on: 'on: { workflow_run: { workflows: [x] } }' }, 'dangerous-triggers: workflow_run'],
    [{ on: 'on: [push, workflow_run]' }, 'dangerous-triggers: workflow_run'],
    [{ top: 'concurrency: x' }, 'excessive-permissions: the workflow does not begin with none (permissions: {})'],
    [{ top: 'permissions: {}' }, 'concurrency-limits: two runs may meet'],
    [{ job: 'timeout-minutes: 5' }, 'excessive-permissions: one does not list what it needs'],
    [
      { job: 'timeout-minutes: 5\n    permissions: write-all' },
      'excessive-permissions: one does not list what it needs',
    ],
    [{ job: 'permissions: {}' }, 'timeout: one may run for hours'],
    [{ job: 'timeout-minutes: 5\n    permissions: {}\n    secrets: inherit' }, 'secrets-inherit: one'],
    [{ step: `uses: ${pin}` }, 'artipacked: one leaves its token in the checkout'],
    [{ step: 'uses: acme/x@v1' }, 'unpinned-uses: acme/x@v1'],
    [
      { step: 'uses: acme/x@de0fac2e4500dabe0009e67214ff5f5447ce83dd' },
      'unpinned-uses: acme/x@de0fac2e4500dabe0009e67214ff5f5447ce83dd',
    ],
    [{ step: `run: echo ${expression}` }, `template-injection: one runs echo ${expression}`],
    [{ on: tagged, step: `uses: ${node}` }, `cache-poisoning: one takes ${node.replace(/ #.*/, '')}`],
    [{ on: 'on: release', step: 'run: docker buildx build --cache-from x' }, 'cache-poisoning: one takes a cache'],
  ])('finds the fault of %j', (change, fault) => {
    expect(workflowFaults(workflow(change))).toEqual([fault])
  })
})

/** A program of its own, which npm does not carry: https://docs.zizmor.sh. Without it this test is skipped. */
const hasZizmor = spawnSync('zizmor', ['--version']).status === 0

describe.runIf(hasZizmor)('zizmor', () => {
  it('has no finding', () => {
    const args = ['--offline', '--no-progress', '.github', 'action.yml']
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
