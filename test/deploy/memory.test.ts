import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfiguration } from '../../src/config/read-configuration.ts'

const root = resolve(import.meta.dirname, '../..')
const mib = 1024 * 1024
const units: Readonly<Record<string, number>> = { Mi: mib, Gi: 1024 * mib }

/** What an audit takes before a page is large: `npm run bench -- largest-page` measures both figures. */
const ordinaryBytes = 192 * mib
const timesOfPage = 6

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly resources: { readonly limits: { readonly memory: string } }
}

function containerIn(file: string): Container {
  const manifest = parse(readFileSync(resolve(root, file), 'utf8'))
  const { spec } = manifest.kind === 'CronJob' ? manifest.spec.jobTemplate : manifest
  return spec.template.spec.containers[0]
}

/** Of a configuration that says nothing about them. */
function defaults() {
  const yaml = 'services: [{ name: a, url: https://hooks.example.com, key: not-a-real-key, projects: [{ id: p }] }]'
  const sources = { env: {}, readFile: () => yaml }
  const { concurrency, services } = readConfiguration('/etc/hookdrift.yaml', sources, {
    findTimetableFault: () => undefined,
  })
  return { concurrency, maxBodyBytes: services[0]?.settings.limits.maxBodyBytes ?? Number.NaN }
}

describe.each(['deploy/kubernetes/worker/deployment.yaml', 'deploy/kubernetes/cronjob/cronjob.yaml'])('%s', (file) => {
  const { env, resources } = containerIn(file)
  const [, amount = '', unit = ''] = /^(\d+)(\w+)$/.exec(resources.limits.memory) ?? []
  const limitBytes = Number(amount) * (units[unit] ?? Number.NaN)
  const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? ''
  const option = (name: string) => Number(new RegExp(`--${name}=(\\d+)`).exec(options)?.[1]) * mib

  it('leaves an audit room for the largest page in as many projects as are read at once', () => {
    const { concurrency, maxBodyBytes } = defaults()
    expect(ordinaryBytes + concurrency * timesOfPage * maxBodyBytes).toBeLessThanOrEqual(limitBytes)
  })

  it('keeps heap and page bytes within the limit, so that garbage is collected before it is reached', () => {
    const { concurrency, maxBodyBytes } = defaults()
    // The young generation has three parts; a body exists twice while it is put together.
    const heap = option('max-old-space-size') + 3 * option('max-semi-space-size')
    expect(heap + concurrency * 2 * maxBodyBytes).toBeLessThan(limitBytes)
    // Objects of one page at a time, and the text that they are made of.
    expect(option('max-old-space-size')).toBeGreaterThan(ordinaryBytes + timesOfPage * maxBodyBytes)
  })

  it('is on the page about sizing', () => {
    const page = readFileSync(resolve(root, 'docs/how-to/install.md'), 'utf8')
    expect(page).toContain(`The limit of ${resources.limits.memory} holds four projects at once`)
  })
})
