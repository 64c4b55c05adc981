import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeEndpoint, updateEndpoint } from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { breakOne, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { startHookdrift } from './start-process.ts'

const sealKey = 'not-a-real-seal-key-for-many-machines'
const configuration = `policy: policy.yaml
concurrency: 1
worker: { listen: "127.0.0.1:0" }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
notify: [{ name: files, type: directory, path: ./reports, formats: [json] }]
`

interface Said {
  readonly args: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The simulated service of one story, and a person at a terminal with a history. */
async function openStory(history: string) {
  const cli = await openCliFixture({ seed: 'many-machines' }, configuration)
  cli.directory.write('policy.yaml', 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')
  const env = { ...cli.env, HOOKDRIFT_SEAL_KEY: sealKey, HOOKDRIFT_HISTORY: history }
  const said: Said[] = []
  const say = async (...args: string[]) => {
    const named = ['--config', cli.directory.file('hookdrift.yaml')]
    const { code, stdout, stderr } = await command([...args, ...named], { cwd: cli.directory.path, env })
    if (code > 1) throw new Error(`${args.join(' ')}: exit code ${code}: ${stderr}`)
    said.push({ args: args.join(' '), code, stdout: masked(stdout), stderr: masked(stderr) })
    return stdout
  }
  return { ...cli, env, say, said }
}

/** What two stories that tell the same do not share: times, durations, sizes, addresses, ids of the hash chain. */
function masked(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: UTC)?/g, 'TIME')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVICE')
    .replaceAll(/"(duration_ms|bytes|freed_bytes|left_bytes|chain)": ?(?:"[0-9a-f]*"|\d+|null)/g, '"$1": 0')
    .replaceAll(/(?:\/[\w.-]+)*\/hookdrift-cli-\w+/g, 'DIRECTORY')
    .replaceAll(/\d+(?:\.\d+)? (?:ms|s|[kM]?B)\b/g, 'AMOUNT')
    .replaceAll(/ {2,}|─{2,}|-{3,}/g, ' ')
}

/** The same work on any history, and what the program said. */
async function tellStory(history: string): Promise<readonly Said[]> {
  const { fleet, service, directory, say, said } = await openStory(history)
  const formats = ['text', 'json', 'sarif', 'junit', 'markdown', 'csv', 'html']
  try {
    await say('audit')
    breakOne({ fleet })
    const project = at(fleet.projects(), 0).uid
    const [, second, third] = fleet.open(project).endpoints
    if (second === undefined || third === undefined) throw new Error('three endpoints are needed')
    changeEndpoint(fleet, { project, uid: second.uid }, (endpoint) => ({ ...endpoint, url: 'http://plain.example.com' }))
    updateEndpoint(fleet, { project, uid: third.uid }, { name: third.name, url: third.url })
    await say('audit', '--format', 'json', '--metrics-file', 'metrics.prom')
    for (const format of formats) await say('report', '--format', format)
    await say('report', '--run', '1', '--format', 'json')
    await say('report', '--framework', 'soc2', '--format', 'json')

    const open = JSON.parse(await say('violations', '--open', '--format', 'json')).rows
    await say('runs', '--format', 'json')
    await say('status', '--format', 'json')
    await say('diff', '1', '2', '--format', 'json')
    await say('diff', '1', '--format', 'rfc6902')
    await say('timeline', second.uid, '--format', 'json')
    await say('state', '--at', '1', '--format', 'json')
    await say('state', '--format', 'csv')
    await say('trend', '--format', 'json')
    await say('restore', second.uid, '--run', '1')
    await say('compare', at(fleet.projects(), 0).name, at(fleet.projects(), 1).name, '--match', 'name', '--format', 'json')
    await say('waivers', 'draft', '--owner', 'lee', '--expires', '2027-01-31', '--reason', 'later')
    await say('policy', 'replay', '--policy', 'policy.yaml', '--format', 'json')
    await say('query', 'SELECT run, project_uid, kind, uid, change FROM drift ORDER BY run, uid', '--format', 'json')
    await say('query', 'SELECT rule, state, uid FROM open_violation ORDER BY rule, uid', '--format', 'csv')
    await say('query', '--views', '--format', 'json')

    await say('accept', at(open as { fingerprint: string }[], 0).fingerprint, '--reason', 'it moves', '--by', 'lee')
    await say('accept', '--list', '--format', 'json')
    await say('baseline', 'approve', '--run', '1', '--by', 'lee', '--note', 'as agreed')
    await say('baseline', 'show', '--format', 'json')
    await say('baseline', 'diff', '--format', 'json')
    await say('audit', '--format', 'json')
    await say('notify', '--pending', '--format', 'json')
    await say('violations', '--format', 'json')
    await say('config', 'show', '--format', 'json')
    await say('prune', '--keep-last', '1', '--dry-run')
    await say('prune', '--keep-last', '1', '--format', 'json')
    await say('runs', '--format', 'json')
    await say('verify', '--deep')
    await say('backup', 'backup.db')
    await say('verify', '--deep', '--history', 'backup.db')
    await say('report', '--format', 'json', '--history', 'backup.db')
    return said
  } finally {
    await service.close()
    directory[Symbol.dispose]()
  }
}

describe.skipIf(!hasPostgres)('a history in PostgreSQL', () => {
  let place: TestDatabase
  beforeEach(async () => {
    place = await makeDatabase({ empty: true })
  })
  afterEach(() => place.remove())

  it('has the answers of a history in a file, for every command', async () => {
    const [inFile, inDatabase] = [await tellStory('history.db'), await tellStory(place.url)]
    expect(inDatabase.map(({ args }) => args)).toEqual(inFile.map(({ args }) => args))
    for (const [index, { args, ...told }] of inFile.entries()) {
      const { args: _, ...other } = inDatabase[index] ?? { args: '' }
      if (/^(?:config show|verify)/.test(args)) expect({ args, code: other.code }).toEqual({ args, code: told.code })
      else expect({ args, ...other }).toEqual({ args, ...told })
    }
  }, 120_000)
})
