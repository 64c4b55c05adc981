import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { loadReports, planDelivery } from '../../src/cli/deliver-report.ts'
import { updateEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { formatNames as formats } from '../../src/report/formats.ts'
import { at } from '../audit/fleet-fixture.ts'
import { aReport } from '../report/sample-reports.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory } from './start-process.ts'

describe('--report', async () => {
  const fleet = generateFleet({ clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 3 })
  const service = await startSimulatedService(fleet)
  const project = at(fleet.projects(), 0).uid
  const { uid } = at(fleet.open(project).endpoints, 0)
  updateEndpoint(fleet, { project, uid }, { name: 'orders', url: 'http://a.example' })
  afterAll(() => service.close())

  function openCliFixture() {
    const directory = openDirectory()
    directory.write('hookdrift.yaml', configurationFor(service.url, fleet))
    const env = { ACME_KEY: fleet.personalKey, HOOKDRIFT_LOG: 'silent' }
    return {
      ...directory,
      files: () => readdirSync(directory.path).sort(),
      read: (name: string) => readFileSync(directory.file(name), 'utf8'),
      run: (line: string) =>
        command(`${line} --config ${directory.file('hookdrift.yaml')}`, { cwd: directory.path, env }),
    }
  }

  it("links resources to the gateway's own pages, the same again from the history", async () => {
    using cli = openCliFixture()
    const ui = `ui_url: https://convoy.example/projects/{project_id}/{listing}/{uid}\n`
    cli.write('hookdrift.yaml', configurationFor(service.url, fleet, ui))
    const { violations } = JSON.parse((await cli.run('audit --format json')).stdout)
    const project = at(fleet.projects(), 0).uid
    for (const { kind, uid, ui_url } of violations) {
      if (kind === 'project' || kind === 'service') expect(ui_url).toBeUndefined()
      else expect(ui_url).toBe(`https://convoy.example/projects/${project}/${kind}s/${uid}`)
    }
    expect(violations.length).toBeGreaterThan(0)
    cli.write('hookdrift.yaml', configurationFor(service.url, fleet))
    const again = JSON.parse((await cli.run('report --run 1 --format json')).stdout)
    expect(again.violations).toEqual(violations)
  })

  it('writes every format next to the printed report, for its owner only, and again from the history', async () => {
    using cli = openCliFixture()
    const orders = (prefix: string) => formats.map((format) => `--report ${format}=${prefix}.${format}`).join(' ')
    const { code, stdout } = await cli.run(`audit ${orders('now')}`)
    expect(code).toBe(1)
    expect(stdout).toContain('Exit code 1.')
    const sections = ['now.accepted.csv', 'now.controls.csv', 'now.coverage.csv', 'now.drift.csv']
    const written = cli.files().filter((name) => name.startsWith('now'))
    expect(written).toEqual([...formats.map((format) => `now.${format}`), ...sections].sort())
    for (const name of written) expect(statSync(cli.file(name)).mode & 0o777).toBe(0o600)

    await cli.run('audit --quiet')
    expect((await cli.run(`report --run 1 ${orders('then')}`)).code).toBe(0)
    for (const name of written) expect(cli.read(name.replace('now', 'then'))).toBe(cli.read(name))
  })

  it('prints one section of CSV, by default the violations', async () => {
    using cli = openCliFixture()
    await cli.run('audit --quiet --report csv=all.csv')
    for (const [option, file] of [
      ['', 'all.csv'],
      ['--section coverage', 'all.coverage.csv'],
    ] as const) {
      const { code, stdout } = await cli.run(`report --format csv ${option}`)
      expect({ code, stdout }).toEqual({ code: 0, stdout: cli.read(file) })
    }
  })

  it.each([
    ['an unknown format', '--report sarf=x', /there is no format "sarf", did you mean sarif\?\n {2}formats: text, /],
    ['no file', '--report sarif', /--report sarif: not a format and a file\n/],
    ['an empty file', '--report sarif=', /not a format and a file\n/],
    ['one file twice', '--report json=x --report sarif=./x', /two files would be written to .*\/x\n/],
    ['a file of --output', '--output x --report json=x', /two files would be written to/],
    ['a file of --metrics-file', '--metrics-file x --report json=x', /two files would be written to/],
    ["a file of CSV's", '--report csv=a.csv --report json=a.drift.csv', /two files .*a\.drift\.csv\n/],
    [
      'a directory that is not there',
      '--report json=no/x',
      /cannot write to .*no\/x: no such file or directory.*\n.*nothing was read yet/,
    ],
    ['--output in no directory', '--output no/x', /--output: cannot write to .*no\/x: .*\n.*nothing was read yet/],
    ['a directory for a file', '--report json=.', /it is a directory/],
    ['a link to itself', '--report json=loop', /--report: cannot write to .*loop: /],
    ['a section of no table', '--section drift', /--section drift is for --format csv, not text/],
    ['OSCAL of a run', '--format oscal', /oscal is the format of a report by control, which needs --framework\n/],
    [
      'a file in OSCAL of a run',
      '--report oscal=x',
      /needs --framework\n {2}`hookdrift report .*--framework soc2 --format oscal` reports/,
    ],
    ['an unknown section', '--format csv --section all', /Allowed choices are violations, drift/],
  ])('is refused before the scan starts: %s', async (_, line, message) => {
    using cli = openCliFixture()
    symlinkSync('loop', cli.file('loop'))
    const asked = service.requests.length
    expect(await cli.run(`audit ${line}`)).toEqual(refusal(message))
    expect(cli.files()).toEqual(['hookdrift.yaml', 'loop'])
    expect(service.requests.length).toBe(asked)
  })

  it('is refused before the scan starts: a link to another file of the run', async () => {
    using cli = openCliFixture()
    cli.write('a.json', 'before')
    symlinkSync('a.json', cli.file('b.sarif'))
    expect(await cli.run('audit --report json=a.json --report sarif=b.sarif')).toEqual(
      refusal(/two files would be written to .*b\.sarif\n/),
    )
    expect(cli.read('a.json')).toBe('before')
  })

  it.each([
    ['h/h.db', 'the history'],
    ['./h/../h/h.db', 'the history'],
    ['h/link', 'the history'],
    ['h/hard', 'the history'],
    ['h/h.db-wal', 'the history'],
    ['h/hookdrift.key', 'the installation key'],
    ['policy.yaml', 'the policy'],
    ['hookdrift.yaml', 'the configuration'],
    ['gateway.key', 'a file that the configuration reads'],
  ])('is not written over what hookdrift needs: %s', async (file, what) => {
    using cli = openCliFixture()
    cli.write('policy.yaml', 'extends: [recommended]\n')
    const configuration = configurationFor(service.url, fleet, 'policy: policy.yaml\n')
    cli.write(
      'hookdrift.yaml',
      configuration.replace(/\$\{ACME_KEY\}/, () => `\${file:gateway.key}`),
    )
    cli.write('gateway.key', fleet.personalKey)
    expect((await cli.run('audit --history h/h.db --quiet')).code).toBe(1)
    symlinkSync('h.db', cli.file('h/link'))
    linkSync(cli.file('h/h.db'), cli.file('h/hard'))
    const asked = service.requests.length
    for (const line of [
      `audit --report json=x.json --report json=${file}`,
      `report --report json=x.json --report html=${file}`,
      `audit --report json=x.json --output ${file}`,
      `audit --report json=x.json --metrics-file ${file}`,
      `backup ${file} --force`,
    ]) {
      expect(await cli.run(`${line} --history h/h.db`)).toEqual(refusal(`${what}, and is not replaced`))
    }
    expect(service.requests.length).toBe(asked)
    expect((await cli.run('verify --history h/h.db')).code).toBe(0)
  })

  it('is not written over the framework of a report by control', async () => {
    using cli = openCliFixture()
    cli.write('ours.yaml', 'framework: ours\ntitle: Ours\ncontrols: [{ id: A, title: A }]\n')
    await cli.run('audit --quiet')
    const before = cli.read('ours.yaml')
    expect(await cli.run('report --framework ours.yaml --output ours.yaml')).toEqual(
      refusal('is the framework, and is not replaced'),
    )
    expect(cli.read('ours.yaml')).toBe(before)
  })

  it('reports a file that cannot be written, keeps the others, and says that the run is committed', async () => {
    using cli = openCliFixture()
    const { stdout, stderr } = process
    const terminal = { stdout, stderr, env: {}, cwd: () => cli.path }
    const report = ['json=a.json', 'sarif=b.sarif']
    const options = { format: 'text', report, quiet: true } as const
    const deliver = await planDelivery(options, terminal, await loadReports(options))
    mkdirSync(cli.file('a.json'))
    expect(() => deliver(aReport())).toThrow(/cannot write the report to .*a\.json: /)
    expect(cli.files()).toEqual(['a.json', 'b.sarif', 'hookdrift.yaml'])
  })
})
