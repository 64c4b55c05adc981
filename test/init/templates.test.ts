import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { strictnesses, targets } from '../../src/cli/init/interview.ts'
import { pathsOf, planFiles } from '../../src/cli/init/plan-files.ts'
import { checkout } from '../deploy/build-image.ts'

const service = { name: 'null', url: 'https://hooks.example.com', organisation: undefined, projects: [] }

/** A set-up with answers that are other types in YAML, and the files of the package that it read. */
function plan(target: (typeof targets)[number], strictness: (typeof strictnesses)[number] = 'recommended') {
  const read: string[] = []
  const source = {
    version: '0.1.0',
    readPackageFile: (path: string) => {
      read.push(path)
      return readFileSync(join(checkout, path), 'utf8')
    },
  }
  const answers = { service, keyVariable: 'NULL', strictness, target, waivers: undefined }
  const { files, next } = planFiles(answers, source)
  return { files, next, read, source, textOf: (path: string) => files.find((file) => file.path === path)?.text ?? '' }
}

describe('the templates of a set-up', () => {
  it('are all used, and all in the package', () => {
    const used = new Set(targets.flatMap((target) => strictnesses.flatMap((each) => plan(target, each).read)))
    const all = globSync('deploy/init/**/*', { cwd: checkout, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = all.map(({ parentPath, name }) => join(parentPath, name).slice(checkout.length + 1))
    expect(paths.filter((path) => !used.has(path))).toEqual([])
    const { files }: { files: string[] } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    expect([...used].filter((path) => !files.some((each) => path.startsWith(`${each}/`)))).toEqual([])
  })

  it.each(targets)('for %s: the paths are known before the answers', (target) => {
    const { files, source } = plan(target)
    expect(pathsOf(target, source)).toEqual(files.map(({ path }) => path))
  })

  it.each(targets)('for %s: nothing is left to fill in', (target) => {
    const { files, next } = plan(target)
    expect(JSON.stringify([files, next])).not.toMatch(/__[a-z_]+__/)
  })

  it('keep names that YAML would read as another type', () => {
    const workflow = parse(plan('github').textOf('.github/workflows/hookdrift.yml'))
    expect(workflow.jobs.audit.steps.at(-1).env).toHaveProperty('NULL', `$\{{ secrets.NULL }}`)
    const compose = parse(plan('compose').textOf('compose.yaml'))
    expect(compose.services.worker.secrets).toEqual(['null'])
    expect(compose.secrets).toEqual({ null: { file: './keys/null' } })
  })

  it('have the worker of the package’s compose.yaml, but for where it finds its files', () => {
    const workerIn = (text: string) => {
      const { image, build, depends_on, secrets, volumes, healthcheck, ...rest } = parse(text, { merge: true }).services
        .worker
      const { test, ...health } = healthcheck
      return { ...rest, health, data: volumes.at(-1), test: test.slice(0, -1) }
    }
    const own = readFileSync(join(checkout, 'compose.yaml'), 'utf8')
    expect(workerIn(plan('compose').textOf('compose.yaml'))).toEqual(workerIn(own))
  })

  it('have the kustomization of the package’s base, and its images', () => {
    const kustomization = (path: string) => parse(readFileSync(join(checkout, 'deploy', path), 'utf8'))
    const { resources, images, ...rest } = kustomization('init/kubernetes/kustomization.yaml')
    expect(rest).toEqual(kustomization('kubernetes/base/kustomization.yaml'))
    const [own] = kustomization('kubernetes/worker/kustomization.yaml').images
    expect(images).toEqual([{ name: own.name, newName: own.newName, newTag: '__version__' }])
  })
})
