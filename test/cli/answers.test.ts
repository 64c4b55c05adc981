import { afterAll, describe, expect, it } from 'vitest'
import { answerForms } from '../../scripts/reference/schemas.ts'
import { thisProcess } from '../../src/app/system.ts'
import { updateEndpoint, updateSource } from '../../src/demo/edits.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { dayMs } from '../../src/model/time.ts'
import { at } from '../audit/fleet-fixture.ts'
import { answerSchemas, faultsOf } from '../documents.ts'
import { openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { type CommandLine, wordsOf } from './start-process.ts'

/** C1 controls and bidi overrides: a terminal obeys the one, and the other hides. */
const evil = 'a\u009b31mb\u202ec'
const inAYear = new Date(Date.now() + 360 * dayMs).toISOString().slice(0, 10)
const more = `policy: ./policy.yaml
notify: [{ name: files, type: directory, path: ./out }]
schedules: [{ name: daily, cron: "0 3 * * *", timezone: UTC }]
`
const policy = (source: string) => `extends: [recommended]
rules: { endpoint/url-not-https: high }
probes:
  - { name: orders, match: { uid: ${source} }, function: body, payload: order.json }
tests:
  - { name: quiet, resources: [{ kind: endpoint }], expect: [] }
custom: [{ id: acme/known, kind: source, assert: "false", severity: low, message: it is known }]
waivers:
  - { rule: acme/known, match: { kind: source }, owner: "${evil}", reason: "${evil}", ticket: "${evil}", expires: ${inAYear} }
`

const cli = await openCliFixture({ endpointsPerProject: 3, incomingEvery: 1, sourcesPerProject: 2 }, more)
const project = at(cli.fleet.projects(), 0).uid
const { endpoints, sources } = cli.fleet.open(project)
const source = at(sources, 0).uid
const endpoint = at(endpoints, 0).uid
updateSource(cli.fleet, { project, uid: source }, { name: evil, body_function: 'function transform(p) { return p }' })
cli.directory.write('policy.yaml', policy(source))
cli.directory.write('order.json', '{"event_type": "x", "data": {}}')
await cli.audit('--quiet')
await command(`baseline approve --by me --history ${cli.directory.file('hookdrift.db')}`, {
  cwd: cli.directory.path,
})
updateEndpoint(cli.fleet, { project, uid: endpoint }, { name: evil, url: 'http://a.example' })
await cli.audit('--quiet')
updateEndpoint(cli.fleet, { project, uid: endpoint }, { name: evil, url: 'https://a.example' })
await cli.audit('--quiet')
// An incomplete run is the last one.
cli.service.failNext({ how: 'bad-json', path: /subscriptions/, page: 1, times: 9 })
await cli.audit('--quiet')
await openSqliteHistory(cli.directory.file('empty.db'), thisProcess).close()
afterAll(() => cli[Symbol.asyncDispose]())

const ask = (line: CommandLine, history = 'hookdrift.db') =>
  command([...wordsOf(line), ...(history === '' ? [] : ['--history', cli.directory.file(history)])], {
    cwd: cli.directory.path,
    env: cli.env,
  })

/** `history copy` merges no histories. */
function newCopy() {
  copies += 1
  return `copies/${copies}.db`
}
let copies = 0

/** A revocation needs an approval to revoke. */
async function approvedBefore() {
  await ask('baseline approve --run 1 --by me')
  return ['baseline', 'revoke', '--by', 'me']
}

async function acceptedBefore() {
  const { stdout } = await ask('violations --open --format json')
  const { fingerprint } = at<{ fingerprint: string }>(JSON.parse(stdout).rows, 0)
  await ask(`accept ${fingerprint} --reason 'it moves ${evil}' --by me`)
  return ['waivers', 'list', '--acceptances']
}

const renaming = () =>
  JSON.stringify({
    method: 'PUT',
    path: `/projects/${project}/endpoints/${endpoint}`,
    body: { name: evil, url: 'https://b.example' },
  })

/** Each command with the options that choose its answer; '' names no history. */
const answers: readonly [string, () => readonly string[] | Promise<readonly string[]>, history?: ''][] = [
  ['accept', acceptedBefore],
  ['backup', () => ['backup', 'copy.db', '--force']],
  ['baseline', () => ['baseline', 'show', '--all']],
  ['baseline-approve', () => ['baseline', 'approve', '--run', '1', '--by', 'me']],
  ['baseline-diff', () => ['baseline', 'diff']],
  ['baseline-export', () => ['baseline', 'export', 'states']],
  ['baseline-import', () => ['baseline', 'import', 'states', '--by', 'me']],
  ['baseline-revoke', approvedBefore],
  ['causes', () => ['violations', '--by-cause']],
  ['coverage', () => ['status', '--listings']],
  ['compare', () => ['compare', 'partner', 'acme/bank-feeds']],
  ['config-check', () => ['doctor', '--offline', '--config', cli.directory.file('hookdrift.yaml')], ''],
  ['config-show', () => ['config', 'show', '--config', cli.directory.file('hookdrift.yaml')], ''],
  ['diff', () => ['diff', '1', '2']],
  ['doctor', () => ['doctor', '--config', cli.directory.file('hookdrift.yaml')]],
  ['docs', () => ['docs'], ''],
  ['history-copy', () => ['history', 'copy', '--snapshot', 'hookdrift.db', newCopy()], ''],
  ['history-upgrade', () => ['history', 'upgrade']],
  ['impact', () => ['impact', endpoint, '--from', '1h', '--config', cli.directory.file('hookdrift.yaml')]],
  ['note', () => ['note', 'deploy 4.2', '--by', 'me']],
  ['notify', () => ['notify', '--pending']],
  ['notify-test', () => ['notify', '--test', '--config', cli.directory.file('hookdrift.yaml')]],
  ['policy-check', () => ['policy', 'check', 'policy.yaml'], ''],
  ['policy-explain', () => ['policy', 'explain', endpoint, '--policy', 'policy.yaml']],
  ['policy-test', () => ['policy', 'test', '--policy', 'policy.yaml'], ''],
  ['preview', () => ['preview', '--request', renaming()]],
  ['probe', () => ['probe', '--config', cli.directory.file('hookdrift.yaml')], ''],
  ['prune', () => ['prune', '--dry-run', '--keep-last', '1']],
  ['query', () => ['query', 'SELECT name, uid FROM current_resource']],
  ['query-views', () => ['query', '--views']],
  ['replay', () => ['policy', 'replay', '--policy', 'policy.yaml']],
  ['restore', () => ['restore', endpoint]],
  ['rules', () => ['rules'], ''],
  ['runs', () => ['runs']],
  ['state', () => ['state']],
  ['status', () => ['status']],
  ['timeline', () => ['timeline', endpoint]],
  ['verify', () => ['verify', '--deep']],
  ['violations', () => ['violations', '--open', '--resolved', '--waived', '--unknown']],
  ['worker', () => ['worker', '--next', '3', '--config', cli.directory.file('hookdrift.yaml')]],
  ['trend', () => ['trend']],
  ['waivers', () => ['waivers', 'list']],
]

it('has a schema for every answer and no further schema', async () => {
  const forms = await answerForms()
  expect([...answerSchemas].sort()).toEqual(forms.map(({ name, version }) => `hookdrift.${name}/${version}`).sort())
  expect(answers.map(([name]) => name).sort()).toEqual(forms.map(({ name }) => name).sort())
})

it('follows its schema with patches', async () => {
  const { stdout } = await ask('diff 1 2 --patch')
  expect(JSON.parse(stdout).rows[0].patch).not.toEqual([])
  expect(faultsOf(JSON.parse(stdout))).toBeNull()
})

describe.each(answers)('the answer %s', (name, words, history) => {
  it('follows its schema to the member, also for an incomplete history', async () => {
    const { stdout } = await ask([...(await words()), '--format', 'json'], history)
    expect(JSON.parse(stdout).schema).toBe(answerSchemas.find((schema) => schema.startsWith(`hookdrift.${name}/`)))
    expect(faultsOf(JSON.parse(stdout))).toBeNull()
    const { rows, checks = rows } = JSON.parse(stdout)
    expect(checks).not.toEqual(name === 'notify' ? undefined : [])
  })

  if (history === undefined) {
    it('follows its schema for an empty history, or fails with a message', async () => {
      const { code, stdout, stderr } = await ask([...(await words()), '--format', 'json'], 'empty.db')
      if (code === 2) {
        expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^hookdrift: /) })
      } else {
        expect(faultsOf(JSON.parse(stdout))).toBeNull()
      }
    })
  }

  it('is the same document as jsonl: the answer, its coverage and its rows, an object a line', async () => {
    const { stdout } = await ask([...(await words()), '--format', 'jsonl'], history)
    const [head, ...lines] = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    const of = (wanted: string) => lines.flatMap((line) => (line.type === wanted ? [line[wanted]] : []))
    expect(head).toMatchObject({
      type: 'answer',
      schema: answerSchemas.find((schema) => schema.startsWith(`hookdrift.${name}/`)),
    })
    const { type: _, ...members } = head
    const coverage = of('coverage')
    const document = { ...members, [name === 'verify' ? 'checks' : 'rows']: of('row') }
    expect(coverage.length + of('row').length).toBe(lines.length)
    const isListed = coverage.length > 0 || ['violations', 'status'].includes(name)
    expect(faultsOf(isListed ? { ...document, coverage } : document)).toBeNull()
  })

  it.each(['text', 'json', 'csv', 'jsonl'])('contains no terminal control as %s, and takes --limit', async (format) => {
    const { stdout, stderr } = await ask([...(await words()), '--format', format, '--limit', '1'], history)
    expect(stderr).toMatch(
      /^(hookdrift: incomplete scan: .* lists them\n)?(hookdrift: (?:UNKNOWN|\S+: not compared in full): .+\.\n)*(hookdrift: (\d+ )?more rows omitted; --limit all shows them\n)?$/,
    )
    expect(stdout.length).toBeGreaterThan(0)
    expect(/[^\P{Cc}\n\r]|[\p{Cf}\p{Zl}\p{Zp}]/u.exec(stdout)).toBeNull()
  })
})
