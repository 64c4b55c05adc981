import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { closedPort, json, plain, tls } from '../service/front-ends.ts'
import { makeCertificates } from '../service/service-certificates.ts'
import { filesIn, openSetUp } from './init-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift, startProgram, wordsOf } from './start-process.ts'

beforeAll(makeCertificates)

describe('hookdrift init refuses', () => {
  const url = '--url https://hooks.example.com'

  it.each([
    ['', /^hookdrift: --url is missing: the URL of the service$/m],
    [`${url} --key-from-env NOT_SET`, /^hookdrift: --key-from-env NOT_SET: the variable is not set$/m],
    [`${url} --key-from-env QUOTED`, /^hookdrift: --key-from-env QUOTED: the key has quotes around it/m],
    [`${url} --key-from-env BEARER`, /leave `Bearer` out/],
    [`${url} --key-from-env 'A B'`, /expected the name of a variable such as ACME_KEY/],
    ["--url 'https://a b' --key-from-env ACME_KEY", /--url: expected a URL such as/],
    ['--url https://u:p@a.example --key-from-env ACME_KEY', /leave user and password out/],
    ['--for jenkins', /Allowed choices are github, gitlab, compose/],
    ["--accept-open ' '", /--accept-open/],
  ])('%j without a file', async (line, message) => {
    using directory = openDirectory()
    const env = { ACME_KEY: 'not-a-real-key', QUOTED: '"not-a-real-key"', BEARER: 'Bearer not-a-real-key' }
    const { code, stderr } = await command(`init ${line}`, { cwd: directory.path, env })
    expect({ code, files: filesIn(directory.path) }).toEqual({ code: 2, files: [] })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('not-a-real-key')
  })

  it('to guess which projects of a personal key are meant', async () => {
    await using setUp = await openSetUp()
    const reaching = `--url ${setUp.service.url}`
    const wants = (message: string) => ({ code: 2, stderr: expect.stringContaining(message) })
    const none = await setUp.init(reaching)
    expect(none).toMatchObject(wants('--projects is missing: all, or the ids'))
    const lone = await setUp.init(`${reaching} --projects all`)
    expect(lone).toMatchObject(wants('--organisation is missing'))
    expect(lone.stderr).toContain("from the organisation's settings in the dashboard")
    const key = await setUp.init(`${reaching} --projects all --organisation CO.demo5acfd50f.not-a-real-key`)
    expect(key).toMatchObject(wants('--organisation: that is an API key'))
    expect(key.stderr).not.toContain('not-a-real-key')
    const odd = await setUp.init(`${reaching} --projects ../x`)
    expect(odd).toMatchObject(wants('--projects: "../x" is not an id'))
    expect(filesIn(setUp.directory.path)).toEqual([])
  })

  it('to replace a file, before a service is asked, and names all that are in the way', async () => {
    await using setUp = await openSetUp()
    const { directory, service } = setUp
    directory.write('policy.yaml', 'mine\n')
    mkdirSync(directory.file('.github/workflows'), { recursive: true })
    directory.write('.github/workflows/hookdrift.yml', 'mine too\n')
    expect(await setUp.init(setUp.all('github'))).toEqual(
      refusal('policy.yaml, .github/workflows/hookdrift.yml exist already, and init replaces no file'),
    )
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
    expect(await setUp.init(`${setUp.all()} --directory taken/below`)).toEqual(
      refusal(/cannot write \S+taken\/below: /),
    )
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
    const line = `init --yes --url ${await start()} --organisation o1 --projects all --key-from-env ACME_KEY`
    const env = { ACME_KEY: 'CO.notarealkey00000.not-a-real-key' }
    const { code, stdout, stderr } = await command(line, { cwd: directory.path, env })
    expect({ code, files: filesIn(directory.path) }).toEqual({ code: 3, files: [] })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\n {2}no file was written\n$/)
    expect(stdout + stderr).not.toContain('not-a-real-key')
  })

  it.each([
    [
      'an unknown organisation',
      '--organisation o1 --projects all',
      /organisation not found[\s\S]*take it from the organisation's settings/,
    ],
    [
      'an unknown project',
      '--projects 01M00000000000000000000000',
      /the project does not exist, or the key may not see it/,
    ],
  ])('is asked for %s: exit code 3', async (_, projects, message) => {
    await using setUp = await openSetUp()
    const { code, stderr } = await setUp.init(`--url ${setUp.service.url} ${projects}`)
    expect({ code, stderr, files: filesIn(setUp.directory.path) }).toEqual({
      code: 3,
      stderr: expect.stringMatching(message),
      files: [],
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

  it('where the disk of temporary files is full: the place is named, and nothing is left', async () => {
    await using setUp = await openSetUp()
    const { directory, env } = setUp
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const line = `init --yes --key-from-env ACME_KEY ${setUp.all()} --directory here`
    const words = ['-c', 'ulimit -f 0; "$0" "$@"', process.execPath, main, ...wordsOf(line)]
    const { code, stderr } = await startProgram('sh', words, { cwd: directory.path, env }).ended
    expect({ code, files: filesIn(directory.path) }).toEqual({ code: 4, files: [] })
    expect(stderr).toMatch(/^hookdrift: cannot write to .*hookdrift-init-.*\n {2}name another place with TMPDIR$/m)
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
      const line = `init --yes --key-from-env ACME_KEY ${setUp.all()} --directory here`
      const { child, ended } = startHookdrift(line, { cwd: directory.path, env: { ...env, TMPDIR: tmp } })
      while (!service.requests.slice(before).some(({ path }) => path.includes('/endpoints')))
        await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill(signal)
      expect((await ended).code).toBe(code)
      expect(filesIn(directory.path)).toEqual(signal === 'SIGINT' ? ['SIGINT'] : ['SIGINT', 'SIGTERM'])
    }
  })
})
