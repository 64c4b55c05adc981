import { tmpdir } from 'node:os'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { buildCommandLine } from '../../scripts/reference/command-tree.ts'
import { apiEntries, entriesFor } from '../../src/cli/api/api-entries.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { SiteHistory } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import { parametersOf } from '../../src/questions/query-parameters.ts'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import { openDemoSite } from './demo-site.ts'

const demo = await openDemoSite()
await demo.command('baseline approve --run 1 --by me')
const diff = await demo.json('diff 1 2')
const { uid } = diff.rows.find(({ change, kind }) => change === 'modified' && kind === 'endpoint')
const { rows: endpoints } = await demo.json('state --kind endpoint')
const { project_id: project } = endpoints.find((one) => one.uid === uid).attributes
/** A request without blanks. */
const removal = `{"method":"DELETE","path":"/api/v1/projects/${project}/endpoints/${uid}"}`
const open = await demo.json('violations --open')
await demo.command(`accept ${open.rows[0].fingerprint} --reason 'it is known' --by me`)
afterAll(() => demo[Symbol.asyncDispose]())

/** How old a scan is depends on the second. */
const withoutAge = (text: string) =>
  text.replace(/"age_s": \d+/g, '"age_s": 0').replace(/"prepared": \{\s+"at": "[^"]*"/, '"prepared"')
const json = (path: string) => demo.get(`/api/v1/${path}`).then((answer) => answer.text())

/** The list of rules reads no configuration. */
const onCommandLine = (line: string) =>
  line.startsWith('rules') ? command(`${line} --format json`, { cwd: tmpdir() }) : demo.command(`${line} --format json`)

/** `$`: the uid of a resource. */
const cases = [
  ['accept', 'waivers list --acceptances'],
  ['accept?list', 'waivers list --acceptances'],
  ['baseline', 'baseline show'],
  ['baseline?all=true', 'baseline show --all'],
  ['baseline-diff', 'baseline diff'],
  ['baseline/diff?run=1', 'baseline diff --run 1'],
  ['causes', 'violations --by-cause'],
  ['causes?run=1&kind=endpoint', 'violations --by-cause --run 1 --kind endpoint'],
  ['compare?a=demo/orders&b=demo/payments', 'compare demo/orders demo/payments'],
  [
    'compare?a=orders&b=payments&run=1&map-host=*.a=*.b&map=c=d&ignore=/description&match=url_path',
    'compare orders payments --at 1 --map-host *.a=*.b --map c=d --ignore /description --match url_path',
  ],
  ['coverage?incomplete', 'status --listings --incomplete'],
  ['coverage?run=1&project=demo/orders', 'status --listings --run 1 --project demo/orders'],
  ['diff?from=1&to=2', 'diff 1 2'],
  ['diff?from=latest~1&patch&kind=endpoint', 'diff latest~1 --patch --kind endpoint'],
  ['diff?from=2&run=1', 'diff 2 1'],
  ['notes', 'note --list'],
  ['notes?project=demo/orders', 'note --list --project demo/orders'],
  ['notify', 'notify --pending'],
  [`preview?request=${removal}`, `preview --request ${removal}`],
  [`preview?request=${removal}&run=1&max-age=1d`, `preview --request ${removal} --max-age 1d`],
  ['report', 'report'],
  ['report?run=1', 'report --run 1'],
  ['report?framework=soc2', 'report --framework soc2'],
  ['restore?uid=$', 'restore $'],
  ['restore?uid=$&run=1', 'restore $ --run 1'],
  ['rules', 'rules'],
  ['rules?run=1&id=endpoint/inactive', 'rules endpoint/inactive'],
  ['runs', 'runs'],
  ['runs?run=1', 'runs --run 1'],
  ['state', 'state'],
  ['state?run=1&limit=3', 'state --run 1 --limit 3'],
  ['status', 'status'],
  ['status?run=1&max-age=2h', 'status --run 1 --max-age 2h'],
  ['timeline?uid=$', 'timeline $'],
  ['timeline?uid=$&run=1', 'timeline $ --run 1'],
  ['trend', 'trend'],
  ['trend?run=1&since=7d', 'trend --run 1 --since 7d'],
  ['violations', 'violations'],
  ['violations?limit=all', 'violations --limit all'],
  ['violations?run=1&limit=2', 'violations --run 1 --limit 2'],
  [
    'violations?severity=high&project=demo/o*&project=demo/payments&open&unknown=true&sort=age',
    'violations --severity high --project demo/o* demo/payments --open --unknown --sort age',
  ],
  ['violations?older-than=1d&since=1', 'violations --older-than 1d --since 1'],
  ['waivers', 'waivers list'],
  ['waivers/list?run=1&project=demo/orders', 'waivers list --run 1 --project demo/orders'],
]

describe('the API', () => {
  it.each(cases)('answers %s with the bytes of the command', async (path = '', line = '') => {
    const answer = await demo.get(`/api/v1/${path.replace('$', uid)}`)
    const { stdout, code } = await onCommandLine(line.replace('$', uid))
    expect({ status: answer.status, code }).toEqual({ status: 200, code: expect.not.toBeOneOf([2, 4]) })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(withoutAge(await answer.text())).toBe(withoutAge(stdout))
  })

  it('answers every command that its list names', async () => {
    const { commands } = JSON.parse(await (await demo.get('/api/v1')).text())
    expect(commands.map(({ name }: { name: string }) => name)).toEqual(Object.keys(entriesFor(false)))
    const asked = cases.map(([path = '']) => path.replace(/\?.*/, '').replace('/', '-'))
    expect(commands.filter(({ name }: { name: string }) => !asked.includes(name))).toEqual([])
  })

  /** Options of commands that no parameter is made of, because they name files, write, or shape the output. */
  const notOffered = ['file', 'config', 'history', 'output', 'report', 'section', 'group-by', 'policy']
  const notReading = ['reason', 'by', 'revoke', 'violation', 'test']
  /** Each has an address instead. */
  const otherAnswers = ['acceptances', 'by-cause', 'listings']
  it.each(Object.entries(apiEntries))('offers every argument and option of %s, but those', async (name, entry) => {
    const ofWriting = { accept: ['cause'], notes: ['text', 'at', 'ref'], report: ['format'] }[name] ?? []
    const program = await buildCommandLine()
    const nameOf = ({ words }: { readonly words: string }) => words.replace(/ --.*/, '')
    let command = program
    for (const word of entry.words.split(' '))
      command = command.commands.find((child) => child.name() === word) ?? command
    const ofCommand = Object.values(apiEntries).filter((other) => nameOf(other) === nameOf(entry))
    const ofAddresses = await Promise.all(ofCommand.map(async ({ load }) => parametersOf(await load())))
    const all = [
      ...command.registeredArguments.map((part) => part.name()),
      ...command.options.map((part) => part.name()),
    ]
    const offered = ofAddresses.flat().map(({ name }) => name)
    expect(
      all.filter((name) => ![...offered, ...notOffered, ...notReading, ...otherAnswers, ...ofWriting].includes(name)),
    ).toEqual([])
    expect(offered.filter((name) => [...notOffered, ...notReading].includes(name))).toEqual([])
    expect(offered).toContain('run')
  })

  it.each([
    ['violations?nothing=1', 'unknown parameter "nothing"'],
    ['violations?severty=high', 'unknown parameter "severty", did you mean'],
    ['violations?severity=high&severity=low', 'the parameter "severity" is there twice'],
    ['violations?severity=worst', 'the parameter "severity" is "worst", expected one of'],
    ['violations?severity=', 'the parameter "severity" is empty'],
    ['violations?open=false', 'the parameter "open" is "false", expected true'],
    ['violations?limit=0', 'Expected a number from 1, or all.'],
    ['violations?limit=-1', 'Expected a number from 1, or all.'],
    ['violations?run=99', 'there is no committed run 99'],
    ['violations?rule=no/such', 'there is no rule "no/such"'],
    ['violations?format=text', 'the parameter "format" is "text", expected one of json, csv'],
    ['violations?history=/etc/passwd', 'unknown parameter "history"'],
    ['violations?config=/etc/passwd', 'unknown parameter "config"'],
    ['report?output=/tmp/x', 'unknown parameter "output"'],
    ['report?report=json=/tmp/x', 'unknown parameter "report"'],
    ['report?policy=/etc/passwd', 'unknown parameter "policy"'],
    ['report?framework=/etc/passwd', 'the parameter "framework" is "/etc/passwd", expected one of soc2'],
    ['restore?uid=x&policy=/etc/passwd', 'unknown parameter "policy"'],
    ['accept?fingerprint=123456', 'unknown parameter "fingerprint"'],
    ['accept?revoke=123456', 'unknown parameter "revoke"'],
    ['notify?test', 'unknown parameter "test"'],
    ['rules?run=99', 'there is no committed run 99'],
    ['timeline', 'the parameter "uid" is missing'],
    ['timeline?uid=nothing', 'has no resource "nothing"'],
    ['timeline?uid=--history=/etc/passwd', 'has no resource "--history=/etc/passwd"'],
    ['timeline?uid=%1b%5b31m', 'has no resource'],
    ['compare?a=orders', 'the parameter "b" is missing'],
    [`violations?rule=${'x'.repeat(1001)}`, 'has more than 1000 characters'],
    ['runs?run=1&run=2', 'the parameter "run" is there twice'],
    ['state?run=1&at=2', 'the parameters "at" and "run" mean the same: give one of them'],
    ['diff?from=1&to=2&run=2', 'the parameters "to" and "run" mean the same: give one of them'],
    ['openapi.json?nope=1', 'unknown parameter "nope"'],
    ['../v1?nope=1', 'unknown parameter "nope"'],
  ])('refuses %s', async (path, message) => {
    const answer = await demo.get(`/api/v1/${path}`)
    const text = await answer.text()
    expect({ status: answer.status, kept: answer.headers.get('cache-control') }).toEqual({
      status: 400,
      kept: 'no-store',
    })
    expect(JSON.parse(text)).toEqual({
      error: { message: expect.any(String), advice: expect.toBeOneOf([null, expect.any(String)]) },
    })
    expect(JSON.parse(text).error.message).toContain(message)
    expect(/[^\P{Cc}\n]/u.exec(text)).toBeNull()
  })

  it.each(['/', '/etc/hookdrift'])('refuses the same where the pages are served from %s', async (cwd) => {
    const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => cwd }
    const api = createApi({ config: 'hookdrift.yaml', history: demo.file }, terminal, '1.2.3')
    const site = createSite({ ...demo.options, api })
    const ask = (path: string) => site.request(`http://localhost/api/v1/${path}`, { headers: { host: 'localhost' } })
    const unknown = await ask('violations?project=demo/nowhere')
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('demo/nowhere matches none')])
  })

  it.each(['query?sql=x', 'verify', 'audit', 'worker', 'prune', 'baseline/approve', 'baseline-revoke', 'x', 'backup'])(
    'has no %s',
    async (path) => {
      const answer = await demo.get(`/api/v1/${path}`)
      expect(answer.status).toBe(404)
      expect(JSON.parse(await answer.text()).error.message).toContain('there is no command')
    },
  )

  it('answers several questions at once, each with its own options', async () => {
    const limits = [1, 2, 3, 4, 5, 6]
    const answers = await Promise.all(limits.map((limit) => json(`violations?limit=${limit}`)))
    expect(answers.map((answer) => JSON.parse(answer).rows.length)).toEqual(limits)
  })

  it('compresses, and answers HEAD without a body', async () => {
    const packed = await demo.get('/api/v1/violations', { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe(await json('violations'))
    const head = await demo.site.request('http://localhost/api/v1/violations', { method: 'HEAD' })
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' })
  })

  it('names no places when the history or the configuration cannot be used', async () => {
    const faults: unknown[] = []
    const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => '/secret-place' }
    const open = (history: () => Promise<SiteHistory>) =>
      createSite({
        history,
        now: () => Date.now(),
        version: '1',
        isHostOfPort: () => true,
        onFault: (fault) => faults.push(fault),
        api: createApi({ config: 'own.yaml' }, terminal, '1'),
      })
    const broken = open(() => Promise.reject(AuditError.failure('cannot open /secret-place/x.db')))
    const unconfigured = open(async () => demo.history)
    for (const [site, path] of [
      [broken, 'violations'],
      [broken, 'status'],
      [unconfigured, 'status'],
    ] as const) {
      const answer = await site.request(`http://localhost/api/v1/${path}`)
      const message = 'the history, the configuration or the policy cannot be used'
      const error = { message, advice: 'the log of hookdrift says why' }
      expect([answer.status, await answer.json()]).toEqual([503, { error }])
    }
    expect(faults.map(String)).toEqual(Array(3).fill(expect.stringContaining('/secret-place')))
  })

  it('names no place when the policy cannot be used, wherever it is', async () => {
    const faults: unknown[] = []
    using directory = openDirectory()
    const policy = directory.write('policy.yaml', 'ruls: {}\n')
    const config = directory.write('hookdrift.yaml', JSON.stringify({ policy, services: [] }))
    const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => '/' }
    const api = createApi({ config }, terminal, '1')
    const site = createSite({ ...demo.options, api, onFault: (fault) => faults.push(fault) })
    const { rows } = JSON.parse(await json('violations?open&rule=endpoint/timeout-high'))
    const address = `http://localhost/api/v1/restore?uid=${rows[0].uid}&rule=endpoint/timeout-high`
    const answer = await site.request(address)
    expect([answer.status, await answer.text()]).toEqual([503, expect.not.stringContaining(directory.path)])
    expect(faults.map(String)).toEqual([expect.stringContaining(`${policy}:1:1: \`ruls\` is unknown`)])
  })

  it('shows a reader of some projects nothing of the others that the configuration names', async () => {
    const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => '/' }
    using directory = openDirectory()
    const services = [
      {
        name: 'demo',
        url: 'http://127.0.0.1:1',
        key: ['$', '{DEMO_KEY}'].join(''),
        projects: ['orders', 'new'].map((name) => ({ id: `01M1D47Z01D4AF75NV1Y8SMK${name.slice(0, 2)}`, name })),
      },
    ]
    const config = directory.write('hookdrift.yaml', JSON.stringify({ services }))
    const api = createApi({ config }, terminal, '1')
    const ask = async (projects?: readonly string[]) => {
      const reading = { history: demo.history, ...(projects === undefined ? {} : { projects }) }
      const { rows } = JSON.parse(await (await api.prepare('status', new URLSearchParams())).read(reading))
      return rows.map(({ project }: { project: string }) => project)
    }
    expect(await ask()).toContain('demo/new')
    expect(await ask(['demo/orders'])).not.toContain('demo/new')
  })

  it('changed nothing, and logged nothing', () => {
    expect(demo.faults).toEqual([])
  })
})
