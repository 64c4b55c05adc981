import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openRepository, sealKey } from './action-repository.ts'
import { checkout, textOf } from './build-image.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info']

describe('the action', () => {
  it('audits, reports, keeps the history, and fails the job with the exit code of the audit', async () => {
    await using repository = await openRepository()
    const first = await repository.audit({ inputs: { 'upload-sarif': 'true' } })
    expect(first).toMatchObject({ code: 1, outputs: { 'exit-code': '1', verdict: 'failed', run: '1' } })
    expect(first.log).toContain(`::error title=hookdrift::${first.outputs.text}`)
    const { violations, verdict } = JSON.parse(readFileSync(first.outputs.json ?? '', 'utf8'))
    expect(severities.map((name) => Number(first.outputs[name]))).toEqual(
      severities.map((name) => verdict.violations[name]),
    )
    expect(Number(first.outputs.opened)).toBe(violations.length)
    expect(first.summary).toBe(readFileSync(first.outputs.markdown ?? '', 'utf8'))
    for (const name of ['html', 'junit']) expect(readFileSync(first.outputs[name] ?? '', 'utf8')).not.toBe('')
    expect(repository.forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining(first.summary)])
    expect(repository.used.map(({ action }) => action)).toEqual([
      'actions/setup-node',
      'actions/cache/restore',
      'actions/cache/save',
      'github/codeql-action/upload-sarif',
    ])
    expect(repository.used.at(-1)?.given).toEqual({ sarif_file: first.outputs.sarif, category: 'hookdrift' })
    const sarif = JSON.parse(readFileSync(first.outputs.sarif ?? '', 'utf8'))
    expect(sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('webhooks/hookdrift.yaml')

    // The second job continues the history of the first.
    const second = await repository.audit({ inputs: { 'fail-on': 'new' } })
    expect(second).toMatchObject({ code: 0, outputs: { 'exit-code': '0', verdict: 'passed', run: '2', opened: '0' } })
    expect(repository.forge.comments).toHaveLength(1)
    for (const { log } of [first, second]) {
      expect(log).not.toContain(repository.fleet.personalKey)
      expect(log).not.toContain(sealKey)
    }
  })

  it('leaves resolved and waived violations out of the upload', async () => {
    await using repository = await openRepository()
    const { outputs } = await repository.audit()
    const whole = (outputs.json ?? '').replace(/json$/, 'sarif')
    const { runs } = JSON.parse(readFileSync(whole, 'utf8'))
    const [one, other] = runs[0].results
    one.baselineState = 'absent'
    other.suppressions = [{ kind: 'external' }]
    writeFileSync(whole, JSON.stringify({ runs }))
    const args = [join(checkout, 'deploy/ci/read-report.mjs'), join(whole, '..'), '1']
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    const uploaded = JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8')).runs[0].results
    expect(uploaded).toHaveLength(runs[0].results.length - 2)
  })

  it('uploads the path of the configuration in the checkout as a URI', async () => {
    await using repository = await openRepository()
    const { outputs } = await repository.audit({ inputs: { 'working-directory': 'web hooks' } })
    const { runs } = JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8'))
    expect(runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('web%20hooks/hookdrift.yaml')
  })

  it('uploads nothing after an incomplete scan, and still keeps the history and comments', async () => {
    await using repository = await openRepository()
    const { code, outputs } = await repository.audit({
      inputs: { 'upload-sarif': 'true' },
      env: { ACME_KEY: 'CO.not-a-real-key' },
    })
    expect({ code, outputs }).toMatchObject({
      code: 3,
      outputs: { 'exit-code': '3', verdict: 'incomplete', sarif: '' },
    })
    expect(repository.used.map(({ action }) => action)).not.toContain('github/codeql-action/upload-sarif')
    expect(repository.used.map(({ action }) => action)).toContain('actions/cache/save')
    expect(repository.forge.comments).toHaveLength(1)
  })

  it('says in the comment and in the summary when it could not audit', async () => {
    await using repository = await openRepository()
    const { code, outputs, summary, log } = await repository.audit({ env: { HOOKDRIFT_SEAL_KEY: '' } })
    expect({ code, verdict: outputs.verdict, run: outputs.run }).toEqual({ code: 2, verdict: 'error', run: '' })
    expect(log).toContain('HOOKDRIFT_SEAL_KEY is not set')
    expect(summary).toContain('could not audit')
    expect(repository.forge.comments[0]?.body).toContain('could not audit')
    expect(repository.used.map(({ action }) => action)).not.toContain('actions/cache/save')
  })

  it('writes no comment outside a pull request or when it is switched off', async () => {
    await using repository = await openRepository()
    const env = { HOOKDRIFT_SEAL_KEY: '' }
    const { log } = await repository.audit({ env, github: { 'event.pull_request.number': '' } })
    expect(log).toContain('no comment: this job is not of a pull or merge request')
    await repository.audit({ env, inputs: { comment: 'false' } })
    expect(repository.forge.requests).toEqual([])
  })

  it('builds its own checkout, or installs a tarball, and never asks a registry for hookdrift', async () => {
    await using repository = await openRepository()
    await repository.audit({ inputs: { projects: 'acme/nowhere' } })
    expect(repository.npm()).toEqual([
      'npm ci --ignore-scripts',
      'npm run -s build',
      'npm pack --pack-destination /job-1/hookdrift/hookdrift/program ./package',
      'npm install --prefix /job-1/hookdrift/hookdrift/program --omit=dev --ignore-scripts --no-save /job-1/hookdrift/hookdrift/program/hookdrift-0.1.0.tgz',
    ])
    for (const given of ['hookdrift', 'hookdrift@latest', 'missing.tgz']) {
      const { code, log } = await repository.audit({ inputs: { package: given } })
      expect(code).not.toBe(0)
      expect(log).toContain('::error title=hookdrift::The input "package"')
    }
    expect(repository.npm()).toHaveLength(4)
  })

  it('hands what a person writes to the programs as it is', async () => {
    await using repository = await openRepository()
    const { code, log } = await repository.audit({
      inputs: { projects: 'acme/* $(touch hit)', 'fail-on': '`touch hit`' },
    })
    expect({ code, log }).toMatchObject({ code: 2, log: expect.stringContaining('touch hit') })
    for (const name of ['../x', 'a b', '$(id)', '']) {
      const refused = await repository.audit({ inputs: { name } })
      expect(refused.log).toContain('::error title=hookdrift::The input "name"')
    }
  })
})

describe('action.yml', () => {
  const { inputs, outputs, runs } = parse(textOf('action.yml'))

  it('describes each input and output', () => {
    for (const { description } of Object.values<{ description: string }>({ ...inputs, ...outputs }))
      expect(description).toMatch(/^[A-Z].*\.$/s)
  })

  it('has no expression in a script', () => {
    const scripts = runs.steps.flatMap(({ run }: { run?: string }) => (run === undefined ? [] : [run]))
    expect(scripts.length).toBeGreaterThan(4)
    expect(scripts.filter((script: string) => script.includes('${{'))).toEqual([])
  })

  it('uses only the actions of GitHub, each by its commit', () => {
    const used = runs.steps.flatMap(({ uses }: { uses?: string }) => (uses === undefined ? [] : [uses]))
    expect(used.filter((name: string) => !/^(actions|github)\/[\w/-]+@[0-9a-f]{40}$/.test(name))).toEqual([])
  })
})
