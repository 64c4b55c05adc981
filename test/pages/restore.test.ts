import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { noPlan } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import { gatewayOf } from '../../src/questions/restore.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openDemoSite } from './demo-site.ts'
import { openSiteOver } from './story-site.ts'

const demo = await openDemoSite()
const open = (await demo.json('violations --open')).rows
const { uid, fingerprint } = open.find(({ rule }) => rule === 'drift/authentication-lost')
afterAll(() => demo[Symbol.asyncDispose]())

const directory = dirname(demo.file)
const config = join(directory, 'hookdrift.yaml')
const terminal = { cwd: () => directory, env: {} }
const configured = createSite({
  ...demo.options,
  plan: { ...noPlan, gatewayOf: (project) => gatewayOf(project, { config }, terminal) },
})

/** The commands that a page shows, as a person copies them. */
async function commandsOn(site: typeof configured, path: string) {
  const answer = await site.request(`http://localhost${path}`)
  expect([path, answer.status]).toEqual([path, 200])
  return [...(await answer.text()).matchAll(/<pre class="command">(.*?)<\/pre>/gs)].map(([, lines = '']) =>
    lines
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&')
      .trim(),
  )
}

const paths = [`/resources/${uid}`, `/violations/${fingerprint}`]

it.each(paths)('%s shows the request as the command prints it, with the configured address and key', async (path) => {
  const { url } = /url: (?<url>http\S+)/.exec(readFileSync(config, 'utf8'))?.groups ?? {}
  const { stdout } = await demo.command(`restore ${uid}`)
  const commands = await commandsOn(configured, path)
  expect(commands).not.toEqual([])
  for (const command of commands) {
    expect(stdout).toContain(command)
    expect(command).toContain(`${url}/api/v1/`)
    expect(command).toContain(`Bearer '"\${${'DEMO_KEY'}:?}"`)
  }
})

it('shows an address that is not configured as a variable, never with the key of another service', async () => {
  const unknown = await commandsOn(demo.site, paths[0] ?? '')
  expect(unknown.join()).toMatch(/\$\{DEMO_URL/)
  const written = readFileSync(config, 'utf8')
  const unset = 'NOT_SET'
  try {
    const renamed = written.replace('name: demo', 'name: another').replace('DEMO_KEY', 'ANOTHER_KEY')
    writeFileSync(config, renamed)
    expect(await commandsOn(configured, paths[0] ?? '')).toEqual(unknown)
    writeFileSync(config, written.replace(/url: http\S+/, `url: \${${unset}}`))
    expect(await commandsOn(configured, paths[0] ?? '')).toEqual(unknown)
  } finally {
    writeFileSync(config, written)
  }
})

it('leads to the command where the policy decides the value, and does not say that a person must', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  const uid = made.fixture.set({ http_timeout: 500 })
  const report = await made.fixture.audit({ policy: policyOf('extends: [recommended]') })
  const { fingerprint } = report.violations.find(({ rule }) => rule === 'endpoint/timeout-high') ?? {}
  await using site = await openSiteOver(made)
  const command = `hookdrift restore ${uid} --project acme/payments --kind endpoint`
  const textOf = async (path: string) => (await site.read(path)).replace(/<[^>]*>/g, '')
  const violation = await textOf(`/violations/${fingerprint}`)
  expect(violation).toContain(
    `The value is an option of the policy, which these pages do not read: ${command} --rule endpoint/timeout-high prints`,
  )
  expect(violation).not.toContain('a person decides')
  const resource = await textOf(`/resources/${uid}`)
  expect(resource).toContain(
    'Left to you: /http_timeout. endpoint/timeout-high needs the option max_seconds of the policy',
  )
  expect(resource).toContain(`${command} reads the policy, too.`)
})
