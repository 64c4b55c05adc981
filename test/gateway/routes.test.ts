import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { updateSource } from '../../src/demo/edits.ts'
import { routes } from '../../src/gateway/routes.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { openSetUp } from '../cli/init-fixture.ts'
import { command } from '../cli/run-in-process.ts'

interface Asked {
  readonly method: string
  readonly path: string
}

/** The route of a request, as a line of the list; the request itself where the list has none for it. */
function lineOf({ method, path }: Asked): string {
  const asked = path.replace(/\?.*/, '')
  const route = Object.values(routes).find((one) => {
    const form = one.path.replace('{api}', '/api/v1').replaceAll('{id}', '[^/]+')
    return method === one.method && new RegExp(`^${form}$`).test(asked)
  })
  return route === undefined ? `not in the list: ${method} ${asked}` : lineIn(route)
}

const lineIn = (route: Asked) => `${route.method} ${route.path}`
const linesOf = (requests: readonly Asked[]) => [...new Set(requests.map(lineOf))].sort()

describe('routes', () => {
  it('are all that audits, doctor, init, probes and `impact` send, and each of them is sent', async () => {
    const incoming = { incomingEvery: 2, sourcesPerProject: 2 }
    await using cli = await openCliFixture(incoming, 'policy: policy.yaml\n')
    await using setUp = await openSetUp()
    const { uid: project } = at(
      cli.fleet.projects().filter(({ type }) => type === 'incoming'),
      0,
    )
    const { uid } = at(cli.fleet.open(project).sources, 0)
    updateSource(cli.fleet, { project, uid }, { body_function: 'function transform(p) { return p }' })
    cli.directory.write('order.json', '{}')
    const probe = `{ name: orders, match: { uid: ${uid} }, function: body, payload: order.json }`
    cli.directory.write('policy.yaml', `extends: [all]\nprobes: [${probe}]\n`)
    for (const line of ['audit', 'doctor', 'probe', 'audit --no-probes']) await cli.run(line)
    await cli.run(`impact ${uid} --from 1h`)
    cli.service.behaviour.offers = { ...cli.service.behaviour.offers, sources: false, eventTypes: false }
    for (const line of ['audit', 'doctor', 'probe']) await cli.run(line)
    await setUp.init(setUp.all())
    await command('audit', { cwd: setUp.directory.path, env: setUp.env })
    const listed = Object.values(routes).map(lineIn).sort()
    expect(linesOf([...cli.service.requests, ...setUp.service.requests])).toEqual(listed)
  })

  it('never have portal links: a GET there writes tokens, and answers with live keys', () => {
    expect(JSON.stringify(routes)).not.toMatch(/portal/)
  })

  it('are all on the page about supported services', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reference/supported-services.md'), 'utf8')
    const listed = [...page.matchAll(/^\| `((?:GET|POST) [^?`]*)/gm)].map(([, request = '']) => request)
    const wanted = Object.values(routes).map((route) => lineIn(route).replace('{api}', '/api/v1'))
    expect(listed.map((request) => request.replace('…', '/api/v1')).sort()).toEqual(wanted.sort())
  })
})
