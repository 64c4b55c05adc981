import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { type Place, places } from '../../src/init/answers.ts'
import { at } from '../audit/fleet-fixture.ts'
import { closedPort, json, makeCertificates, plain, tls } from '../service/front-ends.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

beforeAll(makeCertificates)

/** A service with two projects, and an empty directory. */
async function openSetUp(options: Parameters<typeof startSimulatedService>[1] = {}) {
  const fleet = generateFleet({ projects: 2, endpointsPerProject: 4, incomingEvery: 0 })
  const service = await startSimulatedService(fleet, options)
  const directory = openDirectory()
  const { personalKey: key, organisationId: organisation } = fleet
  const env = { ACME_KEY: key, HOOKDRIFT_LOG: 'silent' }
  return {
    ...{ fleet, service, directory, key, organisation, env },
    init: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      command(['init', '--yes', '--key-from-env', 'ACME_KEY', ...args], {
        cwd: directory.path,
        env: { ...env, ...more },
      }),
    all: (place: Place = 'none') => [
      ...['--url', service.url, '--organisation', organisation, '--projects', 'all', '--for', place],
    ],
    async [Symbol.asyncDispose]() {
      await service.close()
      directory[Symbol.dispose]()
    },
  }
}

const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()

/** All that a set-up wrote and said. */
function everythingIn(path: string, said: { readonly stdout: string; readonly stderr: string }): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return [
    ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')),
    said.stdout,
    said.stderr,
  ].join()
}

describe('hookdrift init with options', () => {
  it.each(places)(
    'sets up %s: an audit with the files finds all projects, and no file holds the key',
    async (place) => {
      await using setUp = await openSetUp()
      const { directory, env, fleet, key } = setUp
      const said = await setUp.init(setUp.all(place))
      expect({ code: said.code, stderr: said.stderr }).toEqual({ code: 0, stderr: '' })
      const everything = everythingIn(directory.path, said)
      for (const part of [key, ...key.split('.').slice(1)]) expect(everything).not.toContain(part)

      const file = directory.file(`${place === 'compose' ? 'conf/' : ''}hookdrift.yaml`)
      // Where the key is a file of a container or of another directory, this machine has it in a variable.
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
      writeFileSync(file, readFileSync(file, 'utf8').replace(/key: .*/, 'key: ${ACME_KEY}'))
      const args = ['audit', '--config', file, '--format', 'json', '--history', directory.file('history/x.db')]
      const { code, stdout, stderr } = await command(args, { cwd: directory.path, env })
      expect({ stderr, code }).toEqual({ stderr: '', code: expect.toSatisfy((each) => each === 0 || each === 1) })
      expect(JSON.parse(stdout).projects.map(({ project }: { project: string }) => project)).toEqual(
        fleet
          .projects()
          .map(({ name }) => `acme/${name}`)
          .sort(),
      )
    },
  )

  it('leaves no history, no key file and no temporary directory', async () => {
    await using setUp = await openSetUp()
    const { directory, env } = setUp
    mkdirSync(directory.file('tmp'))
    const args = ['init', '--yes', '--key-from-env', 'ACME_KEY', ...setUp.all(), '--directory', 'here']
    const running = startHookdrift(args, { cwd: directory.path, env: { ...env, TMPDIR: directory.file('tmp') } })
    expect((await running.ended).code).toBe(0)
    expect(filesIn(directory.file('tmp'))).toEqual([])
    expect(filesIn(directory.file('here'))).toEqual([
      ...['.schemas', '.schemas/hookdrift.schema.json', '.schemas/policy.schema.json'],
      ...['history', 'history/.gitignore', 'hookdrift.yaml', 'policy.yaml'],
    ])
    expect(filesIn(directory.path).filter((path) => path.includes('key'))).toEqual([])
  })

  it('mends the URL, and says how', async () => {
    await using setUp = await openSetUp()
    const url = setUp.service.url.replace('http://', 'https://')
    const { code, stdout } = await setUp.init([...setUp.all(), '--url', `${url}/api/v1/`])
    expect(code).toBe(0)
    expect(stdout).toContain('! /api/v1 is left out: hookdrift appends it\n')
    expect(stdout).toContain(`! the service does not answer at ${url} but at ${setUp.service.url}: this is used\n`)
    expect(parse(readFileSync(setUp.directory.file('hookdrift.yaml'), 'utf8')).services[0].url).toBe(setUp.service.url)
  })

  it('takes https where a port speaks it, and trusts an authority that Node is given', async () => {
    await using setUp = await openSetUp()
    const { directory, env, service } = setUp
    const { url, ca } = await tls('ending', async ({ url: path, headers: { authorization = '' } }, response) => {
      const answer = await fetch(`${service.url}${path}`, { headers: authorization === '' ? {} : { authorization } })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: directory.write('ca.pem', ca) }
    const args = ['init', '--yes', '--key-from-env', 'ACME_KEY', ...setUp.all(), '--url', url.replace('https', 'http')]
    const { code, stdout } = await startHookdrift(args, { cwd: directory.path, env: trusting }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`but at ${url}: this is used`) })
    expect(stdout).toMatch(/^! the certificate is accepted, and valid until/m)
    expect(parse(readFileSync(directory.file('hookdrift.yaml'), 'utf8')).services[0].url).toBe(url)
  })

  it('names projects by their ids, and a project’s key names its own', async () => {
    await using setUp = await openSetUp()
    const { fleet, service, directory } = setUp
    const { uid, name, key } = at(fleet.projects(), 1)
    const chosen = ['--url', service.url]
    const projectsIn = (path: string) => parse(readFileSync(directory.file(path), 'utf8')).services[0].projects
    expect((await setUp.init([...chosen, '--projects', uid, '--directory', 'a'])).code).toBe(0)
    const own = await setUp.init([...chosen, '--directory', 'b'], { ACME_KEY: key })
    expect(own).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`✓ the key is of one project: ${name} (${uid})`),
    })
    for (const path of ['a/hookdrift.yaml', 'b/hookdrift.yaml']) expect(projectsIn(path)).toEqual([{ id: uid, name }])
    const all = await setUp.init([...setUp.all(), '--directory', 'c'], { ACME_KEY: key })
    expect(all).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the key reads the project ${name} (${uid}) only`),
    })
  })

  it('accepts what is open until a date, so that nothing is', async () => {
    await using setUp = await openSetUp()
    const { directory, env } = setUp
    const said = await setUp.init([...setUp.all(), '--accept-open', 'payments "team": #1'])
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ (\d+) of \1 open violations are accepted until/),
    })
    const { waivers } = parse(readFileSync(directory.file('policy.yaml'), 'utf8'))
    expect(waivers[0]).toMatchObject({
      owner: 'payments "team": #1',
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    const config = directory.file('hookdrift.yaml')
    expect(await command(['audit', '--config', config, '--quiet'], { cwd: directory.path, env })).toMatchObject({
      code: 0,
    })
  })

  it('takes names of projects for what they are: text of others', async () => {
    await using setUp = await openSetUp()
    const { fleet, directory } = setUp
    const [one, other] = fleet.projects()
    for (const [project, name] of [
      [one, '": ]\n- {x: &a\u001b[2J\u001b]0;owned\u0007'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: looks like a reference
      [other, "it's ${HOME} # no"],
    ] as const) {
      if (project !== undefined) fleet.replace(project.uid, { project: { ...project, name } })
    }
    const uids = fleet.projects().map(({ uid }) => uid)
    const named = ['--url', setUp.service.url, '--projects', uids.join(',')]
    for (const args of [setUp.all(), named]) {
      const target = args === named ? 'named' : 'all'
      const said = await setUp.init([...args, '--directory', target, '--accept-open', 'team'])
      expect(said).toMatchObject({ code: 0, stderr: '' })
      expect(everythingIn(directory.file(target), said)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
      expect(said.stdout).toContain('\\x1b[2J')
    }
    const { projects } = parse(readFileSync(directory.file('named/hookdrift.yaml'), 'utf8')).services[0]
    expect(projects).toEqual(uids.map((id) => ({ id, name: id })))
  })
})

describe('hookdrift init refuses', () => {
  const url = 'https://hooks.example.com'

  it.each([
    [[], /^hookdrift: --url is missing: the URL of the service$/m],
    [['--url', url, '--key-from-env', 'NOT_SET'], /^hookdrift: --key-from-env NOT_SET: the variable is not set$/m],
    [['--url', url, '--key-from-env', 'QUOTED'], /^hookdrift: --key-from-env QUOTED: the key has quotes around it/m],
    [['--url', url, '--key-from-env', 'BEARER'], /leave `Bearer` out/],
    [['--url', url, '--key-from-env', 'A B'], /expected the name of a variable such as ACME_KEY/],
    [['--url', 'https://a b', '--key-from-env', 'ACME_KEY'], /--url: expected a URL such as/],
    [['--url', 'https://u:p@a.example', '--key-from-env', 'ACME_KEY'], /leave user and password out/],
    [['--for', 'jenkins'], /Allowed choices are github, gitlab, compose/],
    [['--accept-open', ' '], /--accept-open/],
  ])('%j without a file', async (args, message) => {
    using directory = openDirectory()
    const env = { ACME_KEY: 'not-a-real-key', QUOTED: '"not-a-real-key"', BEARER: 'Bearer not-a-real-key' }
    const { code, stderr } = await command(['init', ...args], { cwd: directory.path, env })
    expect({ code, files: filesIn(directory.path) }).toEqual({ code: 2, files: [] })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('not-a-real-key')
  })

  it('to guess which projects of a personal key are meant', async () => {
    await using setUp = await openSetUp()
    const reaching = ['--url', setUp.service.url]
    const none = await setUp.init(reaching)
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--projects is missing: all, or the ids') })
    const lone = await setUp.init([...reaching, '--projects', 'all'])
    expect(lone).toMatchObject({ code: 2, stderr: expect.stringContaining('--organisation is missing') })
    const odd = await setUp.init([...reaching, '--projects', '../x'])
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('--projects: "../x" is not an id') })
    expect(filesIn(setUp.directory.path)).toEqual([])
  })

  it('to replace a file, before a service is asked, and names all that are in the way', async () => {
    await using setUp = await openSetUp()
    const { directory, service } = setUp
    directory.write('policy.yaml', 'mine\n')
    mkdirSync(directory.file('.github/workflows'), { recursive: true })
    directory.write('.github/workflows/hookdrift.yml', 'mine too\n')
    const { code, stderr } = await setUp.init(setUp.all('github'))
    expect(code).toBe(2)
    expect(stderr).toContain('policy.yaml, .github/workflows/hookdrift.yml exist already, and init replaces no file')
    expect(readFileSync(directory.file('policy.yaml'), 'utf8')).toBe('mine\n')
    expect(filesIn(directory.path)).toEqual([
      '.github',
      '.github/workflows',
      '.github/workflows/hookdrift.yml',
      'policy.yaml',
    ])
    expect(service.requests).toEqual([])
  })

  it('a directory that cannot be written to', async () => {
    await using setUp = await openSetUp()
    setUp.directory.write('taken', '')
    const { code, stderr } = await setUp.init([...setUp.all(), '--directory', 'taken/below'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/cannot write \S+taken\/below: /) })
    expect(filesIn(setUp.directory.path)).toEqual(['taken'])
  })
})

describe('a service that does not answer as it must', () => {
  const html = (status: number) =>
    plain((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>log in</html>'))

  it.each([
    ['with nothing in time', () => plain(() => {}), /no answer|timed out|within/],
    ['with nothing', async () => `http://127.0.0.1:${await closedPort()}`, /connection refused[\s\S]*curl -v/],
    [
      'with 401',
      () => plain(json(401, { status: false, message: 'authorization failed' })),
      /401 unauthorized[\s\S]*make a new one/,
    ],
    [
      'with 403',
      () => plain(json(403, { status: false, message: 'forbidden' })),
      /403 forbidden[\s\S]*the right to read/,
    ],
    [
      'with 503',
      () => plain(json(503, { status: false, message: 'later' })),
      /503 service unavailable[\s\S]*Check the service/,
    ],
    ['with a page for people', () => html(200), /text\/html instead of JSON[\s\S]*\n {2}[A-Z]/],
    ['with an unknown path', () => html(404), /404 not found[\s\S]*without \/api\/v1/],
    ['with another shape', () => plain(json(200, { status: true, data: [] })), /data is not an object[\s\S]*curl -v/],
    [
      'with a certificate of its own',
      async () => (await tls('selfSigned')).url,
      /self-signed[\s\S]*NODE_EXTRA_CA_CERTS/,
    ],
  ])('%s: exit code 3, no file, and what to do', async (_, start, message) => {
    using directory = openDirectory()
    const args = ['--url', await start(), '--organisation', 'o1', '--projects', 'all', '--key-from-env', 'ACME_KEY']
    const key = 'CO.notarealkey00000.not-a-real-key'
    const { code, stdout, stderr } = await command(['init', '--yes', ...args], {
      cwd: directory.path,
      env: { ACME_KEY: key },
    })
    expect({ code, files: filesIn(directory.path) }).toEqual({ code: 3, files: [] })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\n {2}no file was written\n$/)
    expect(stdout + stderr).not.toContain('not-a-real-key')
  })

  it.each([
    ['an unknown organisation', ['--organisation', 'o1', '--projects', 'all'], /organisation not found/],
    [
      'an unknown project',
      ['--projects', '01M00000000000000000000000'],
      /the project does not exist, or the key may not see it/,
    ],
  ])('is asked for %s: exit code 3', async (_, args, message) => {
    await using setUp = await openSetUp()
    const { code, stderr } = await setUp.init(['--url', setUp.service.url, ...args])
    expect({ code, stderr, files: filesIn(setUp.directory.path) }).toEqual({
      ...{ code: 3, stderr: expect.stringMatching(message), files: [] },
    })
  })

  it.each([
    ['status', { how: 'status', status: 422, body: { status: false, message: 'no' } }, /422/],
    ['cut answer', { how: 'html' }, /instead of JSON/],
  ] as const)('to a listing (%s): the scan is incomplete, and nothing is left', async (_, fault, message) => {
    await using setUp = await openSetUp()
    setUp.service.faults.push({ ...fault, path: /endpoints/, times: Number.POSITIVE_INFINITY })
    const { code, stderr } = await setUp.init(setUp.all('kubernetes'))
    expect({ code, files: filesIn(setUp.directory.path) }).toEqual({ code: 3, files: [] })
    expect(stderr).toMatch(/^hookdrift: the trial scan is incomplete\n {2}acme: /)
    expect(stderr).toMatch(message)
  })

  it('in time: SIGINT and SIGTERM end the scan with their codes, and nothing is left', async () => {
    await using setUp = await openSetUp()
    setUp.service.faults.push({ how: 'hang', path: /endpoints/, times: Number.POSITIVE_INFINITY })
    const { directory, env, service } = setUp
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const tmp = directory.file(signal)
      mkdirSync(tmp)
      const before = service.requests.length
      const args = ['init', '--yes', '--key-from-env', 'ACME_KEY', ...setUp.all(), '--directory', 'here']
      const { child, ended } = startHookdrift(args, { cwd: directory.path, env: { ...env, TMPDIR: tmp } })
      while (!service.requests.slice(before).some(({ path }) => path.includes('/endpoints')))
        await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill(signal)
      expect((await ended).code).toBe(code)
      expect(filesIn(directory.path)).toEqual(signal === 'SIGINT' ? ['SIGINT'] : ['SIGINT', 'SIGTERM'])
    }
  })
})
