import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Answers, strictnesses, type Target, targets } from '../../src/cli/init/interview.ts'
import { checkFiles, planFiles } from '../../src/cli/init/plan-files.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout } from '../deploy/build-image.ts'
import { composeFaults, manifestFaults } from '../deploy/file-schemas.ts'
import { lintWorkflow } from '../deploy/lint-workflow.ts'
import { complaintOf } from '../deploy/parse-command.ts'

const version = '0.1.0'
const readPackageFile = (path: string) => readFileSync(join(checkout, path), 'utf8')
const all = { name: 'acme', url: 'https://hooks.example.com', organisation: '01KZ2EQ400', projects: 'all' } as const
const someAnswers: Answers = {
  service: all,
  keyVariable: 'ACME_KEY',
  strictness: 'recommended',
  target: 'none',
  waivers: undefined,
}

function planned(change: Partial<Answers>) {
  const plan = planFiles({ ...someAnswers, ...change }, { version, readPackageFile })
  const textOf = (path: string) => plan.files.find((file) => file.path === path)?.text ?? ''
  return { plan, textOf, paths: plan.files.map(({ path }) => path) }
}

const check = (change: Partial<Answers>) =>
  checkFiles(planned(change).plan, { directory: '/nowhere', keyVariable: 'ACME_KEY', now: 0 })

describe('the files of a set-up', () => {
  it.each(targets)('for %s: hookdrift reads its configuration and its policy', (place) => {
    for (const strictness of strictnesses) expect(() => check({ target: place, strictness })).not.toThrow()
    const named = [
      { id: '01M7XVZ2T417WGWM74AAK885VQ', name: 'payments' },
      { id: '0123', name: '1e5' },
    ]
    expect(() => check({ target: place, service: { ...all, organisation: undefined, projects: named } })).not.toThrow()
  })

  it.each(targets)('for %s: an editor finds the schemas that the files name', (place) => {
    const { plan, textOf, paths } = planned({ target: place })
    for (const file of [plan.configuration, plan.policy]) {
      const [, schema = ''] = /^# yaml-language-server: \$schema=(.*)$/m.exec(textOf(file)) ?? []
      expect(paths).toContain(join(file, '..', schema))
      expect(textOf(join(file, '..', schema))).toContain('"$schema": "https://json-schema.org/')
    }
  })

  it.each(targets)('for %s: each command that is run next and is of hookdrift exists', async (place) => {
    const { plan } = planned({ target: place })
    const own = plan.next.flatMap(({ command }) =>
      [...command.matchAll(/\bhookdrift ((?:audit|status)\b.*)$/g)].map(([, rest]) => rest),
    )
    for (const rest of own) expect(await complaintOf((rest ?? '').split(' '))).toBe('')
    expect(plan.next.length).toBeGreaterThan(1)
  })

  it('make no empty key where the variable is not set, as after a key that was typed', () => {
    using directory = openDirectory()
    mkdirSync(join(directory.path, 'keys'))
    const [compose, kubernetes] = (['compose', 'kubernetes'] as const).map(
      (target) => planned({ target }).plan.next[0]?.command ?? '',
    )
    const run = (command = '') =>
      spawnSync('sh', ['-c', command], { cwd: directory.path, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' })
    const { status, stderr } = run(compose)
    expect(status).not.toBe(0)
    expect(stderr).toContain('ACME_KEY')
    expect(readdirSync(join(directory.path, 'keys'))).toEqual([])
    expect(run(kubernetes?.replace(/\|.*/, '')).status).not.toBe(0)
  })

  it.each(targets)('for %s: the key is a reference, and the history is not among the committed files', (place) => {
    const { plan, textOf, paths } = planned({ target: place })
    expect(parse(textOf(plan.configuration)).services[0].key).toMatch(/^\$\{(?:ACME_KEY|file:[\w./-]*\/acme)\}$/)
    const { history = '' } = parse(textOf(plan.configuration))
    if (history.startsWith('./')) expect(paths).toContain(join(history, '../.gitignore'))
  })

  it('say what was chosen', () => {
    const { plan, textOf } = planned({})
    expect(parse(textOf(plan.configuration))).toEqual({
      history: './history/hookdrift.db',
      policy: './policy.yaml',
      services: [
        {
          name: 'acme',
          url: 'https://hooks.example.com',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference
          key: '${ACME_KEY}',
          organisation: '01KZ2EQ400',
          projects: 'all',
        },
      ],
    })
    expect(parse(textOf(plan.policy))).toEqual({ extends: ['recommended'] })
  })

  it('turn rules off that are neither critical nor high, where only these are wanted', () => {
    const { textOf } = planned({ strictness: 'dangerous' })
    const { rules } = parse(textOf('policy.yaml'))
    expect(new Set(Object.values(rules))).toEqual(new Set(['off']))
    expect(rules).toMatchObject({ 'drift/rate-limit-lost': 'off', 'subscription/at-most-once': 'off' })
    for (const kept of ['endpoint/url-not-https', 'drift/authentication-lost', 'waiver/expired'])
      expect(rules).not.toHaveProperty([kept])
  })

  it('refuse a policy that hookdrift would refuse', () => {
    expect(() => check({ waivers: 'waivers: [{ rule: endpoint/none }]\n' })).toThrow(
      /init made a file that hookdrift refuses/,
    )
  })
})

describe('a place', () => {
  const of = (place: Target) => planned({ target: place, keyVariable: 'MY_KEY' })

  it('on GitHub gets a workflow that actionlint accepts, which runs the package in the repository', async () => {
    const workflow = of('github').textOf('.github/workflows/hookdrift.yml')
    expect(await lintWorkflow(workflow)).toEqual([])
    expect(await lintWorkflow(workflow.replace('package:', 'packag:'))).toEqual(['action.yml has no input "packag"'])
    const { steps } = parse(workflow).jobs.audit
    expect(steps.at(-1)).toMatchObject({ with: { package: 'hookdrift-0.1.0.tgz' } })
    expect(Object.keys(steps.at(-1).env)).toEqual(['MY_KEY', 'HOOKDRIFT_SEAL_KEY'])
    expect(workflow).not.toMatch(/ACME|0\.0\.0/)
  })

  it('on GitLab gets the component as a job, without an input left', () => {
    const text = of('gitlab').textOf('.gitlab/hookdrift.yml')
    const { hookdrift } = parse(text)
    expect(text).not.toContain('$[[')
    expect(hookdrift.variables).toMatchObject({
      AUDIT_PACKAGE: 'hookdrift-0.1.0.tgz',
      AUDIT_FAIL_ON: 'medium',
      AUDIT_CONFIG: '',
    })
    expect(hookdrift.image.name).toBe('node:24-bookworm-slim')
  })

  it('with Compose gets a worker alone, which follows the specification', () => {
    const compose = parse(of('compose').textOf('compose.yaml'), { merge: true })
    expect(composeFaults(compose)).toBe(null)
    expect(Object.keys(compose.services)).toEqual(['worker'])
    expect(compose.services.worker).toMatchObject({
      image: 'hookdrift:0.1.0',
      read_only: true,
      cap_drop: ['ALL'],
      secrets: ['acme'],
      volumes: ['./conf:/etc/hookdrift:ro', 'history:/var/lib/hookdrift'],
    })
    expect(compose.services.worker).not.toHaveProperty('build')
    expect(compose.secrets).toEqual({ acme: { file: './keys/acme' } })
  })

  it('in a cluster gets manifests that follow their schemas, and a kustomization that names them', () => {
    const { textOf, paths } = of('kubernetes')
    const kustomization = parse(textOf('kustomization.yaml'))
    const files = [...kustomization.resources, ...kustomization.configMapGenerator[0].files]
    expect(files.filter((file) => !paths.includes(file))).toEqual([])
    for (const file of kustomization.resources) expect(manifestFaults(parse(textOf(file)))).toEqual([])
    const { containers, volumes } = parse(textOf('deployment.yaml')).spec.template.spec
    expect(volumes).toContainEqual({ name: 'keys', secret: { secretName: 'hookdrift-keys', defaultMode: 288 } })
    expect(kustomization.images).toEqual([
      { name: containers[0].image, newName: 'registry.example.com/hookdrift', newTag: '0.1.0' },
    ])
  })

  it('with systemd gets the unit of the package', () => {
    const unit = of('systemd').textOf('hookdrift-worker.service')
    expect(unit).toBe(readPackageFile('deploy/systemd/hookdrift-worker.service'))
  })
})
