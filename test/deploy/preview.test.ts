// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that a shell would expand
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory, startProgram } from '../cli/start-process.ts'
import { openRepository } from './action-repository.ts'
import { checkout } from './build-image.ts'
import { startForge } from './fake-forge.ts'

const places = ['github', 'gitlab'] as const
type Place = (typeof places)[number]

/** A `hookdrift` that notes how it is asked for a preview, and ends with the code that the file says. */
const stub = `import { appendFileSync, readFileSync } from 'node:fs'
const args = process.argv.slice(2)
if (args[0] !== 'preview') process.exit(0)
appendFileSync(process.env.CALLS, JSON.stringify([args, process.env.HOOKDRIFT_HISTORY]) + '\\n')
const [, code = '0'] = /exit (\\d+)/.exec(readFileSync(args.at(-1), 'utf8')) ?? []
if (code === '2') console.error(args.at(-1) + ':1:1: not a request')
else console.log('wipes description' + (code === '1' ? ' '.repeat(Number(process.env.PADDING ?? 0)) + '!' : ''))
process.exitCode = Number(code)
`

function environmentOf(place: Place): Record<string, string> {
  return place === 'github'
    ? { PULL_REQUEST: '12', GITHUB_REPOSITORY: 'acme/hooks', HEAD_REPOSITORY: 'acme/hooks' }
    : { CI_MERGE_REQUEST_IID: '12', CI_MERGE_REQUEST_PROJECT_ID: '5', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '5' }
}

type Directory = ReturnType<typeof openDirectory>

/** A checkout with files, and a history that a job left. */
function openCheckout(files: Readonly<Record<string, string>>): Directory {
  const directory = openDirectory()
  for (const folder of ['bin', 'work/requests', 'reports']) mkdirSync(directory.file(folder), { recursive: true })
  const program = directory.write('stub.mjs', stub)
  writeFileSync(directory.file('bin/hookdrift'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
  directory.write('history.db', '')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.file('work'), name)), { recursive: true })
    writeFileSync(join(directory.file('work'), name), text)
  }
  return directory
}

async function preview(directory: Directory, place: Place, env: Readonly<Record<string, string>> = {}, audit = '0') {
  const ended = await startProgram(process.execPath, [join(checkout, 'deploy/ci/preview.mjs'), place, audit], {
    cwd: directory.file('work'),
    env: {
      PATH: `${directory.file('bin')}:${process.env.PATH}`,
      CALLS: directory.file('calls'),
      AUDIT_HISTORY: directory.file('history.db'),
      AUDIT_PREVIEW: 'requests/**',
      AUDIT_REPORTS: directory.file('reports'),
      ...environmentOf(place),
      ...env,
    },
  }).ended
  const lines = readFileSync(directory.file('calls'), { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)
  const calls = lines.map((line): [string[], string] => JSON.parse(line))
  const report = readFileSync(directory.file('reports/preview.md'), { encoding: 'utf8', flag: 'a+' })
  return { ...ended, calls, report }
}

const git = (directory: Directory, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: directory.file('work'),
    encoding: 'utf8',
  }).trim()

describe.each(places)('the preview of request files on %s', (place) => {
  it('asks for each file on the history of the job, says what each does, and ends with the worst code', async () => {
    using directory = openCheckout({ 'requests/a.http': 'exit 1', 'requests/b.sh': 'exit 2', 'requests/c.json': '' })
    const env = { AUDIT_CONFIG: 'hooks.yaml', AUDIT_FAIL_ON: 'high' }
    const { code, calls, report, stdout, stderr } = await preview(directory, place, env, '3')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const options = ['preview', '--format=text', '--fail-on=high', '--config=hooks.yaml', '--']
    expect(calls).toEqual(
      ['a.http', 'b.sh', 'c.json'].map((name) => [[...options, `./requests/${name}`], directory.file('history.db')]),
    )
    expect(report).toBe(`## What these requests would change

Nothing was sent. Each request on the last known state:

- \` requests/a.http \` would open violations
- \` requests/b.sh \` cannot be previewed
- \` requests/c.json \` opens no violation that fails a job

${report.match(/^These are all files that match; .*\.$/m)}

### \` requests/a.http \`

\`\`\`text
wipes description!
\`\`\`

### \` requests/b.sh \`

\`\`\`text
./requests/b.sh:1:1: not a request
\`\`\`

### \` requests/c.json \`

\`\`\`text
wipes description
\`\`\`
`)
    expect(stderr).toContain('hookdrift: requests/a.http: would open violations (exit code 1)')
  })

  it.each([
    ['0', 'exit 0', 0],
    ['1', 'exit 0', 1],
    ['0', 'exit 3', 3],
    ['1', 'exit 3', 3],
    ['3', 'exit 1', 3],
    ['3', 'exit 2', 2],
    ['2', 'exit 4', 4],
    ['130', 'exit 1', 130],
  ])('after an audit with %s and a request with %s, the job ends with %i', async (audit, text, job) => {
    using directory = openCheckout({ 'requests/a.http': text })
    expect(await preview(directory, place, {}, audit)).toMatchObject({ code: job })
  })

  it('takes hostile names as they are, and neutralises them in the log and the report', async () => {
    const names = [
      'requests/a b.http',
      'requests/$(touch hit).http',
      'requests/`touch hit`.http',
      'requests/;touch hit.http',
      'requests/x\n::error::hit\n@team ![i](evil.example/x).http',
      'requests/##[set-output name=md]hit.http',
      'requests/``` # hit.http',
      'requests/\u202egpj.http',
      'requests/--format=hit.http',
      '--config=hit.http',
      '-rf.http',
    ]
    using directory = openCheckout(Object.fromEntries(names.map((name) => [name, 'exit 2'])))
    const { code, calls, report, stderr } = await preview(directory, place, { AUDIT_PREVIEW: '**/*.http\n-*' })
    expect(code).toBe(2)
    expect(calls.map(([args]) => args.at(-1)).sort()).toEqual(names.map((name) => `./${name}`).sort())
    expect(calls.every(([args]) => args.at(-2) === '--')).toBe(true)
    expect(stderr).not.toMatch(/^(?!hookdrift: )./m)
    expect(stderr).not.toMatch(/##\[|[\u202e@!]/)
    expect(report).not.toContain('\u202e')
    // Nothing of a name is outside of code.
    const outside = report.replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '').replaceAll(/(`+) .*? \1/g, '')
    expect(outside).not.toMatch(/hit|team|evil|rf/)
  })

  it('reads no link, and no file beyond the directory', async () => {
    using directory = openCheckout({ 'requests/a.http': '' })
    const outside = directory.write('secret.http', 'exit 1')
    symlinkSync(outside, directory.file('work/requests/link.http'))
    symlinkSync('/nowhere', directory.file('work/requests/lost.http'))
    mkdirSync(directory.file('elsewhere'))
    directory.write('elsewhere/x.http', 'exit 1')
    symlinkSync(directory.file('elsewhere'), directory.file('work/requests/folder'))
    const { code, calls, report } = await preview(directory, place, {
      AUDIT_PREVIEW: 'requests/*.http\nrequests/folder/*.http',
    })
    expect(calls.map(([args]) => args.at(-1))).toEqual(['./requests/a.http'])
    expect(code).toBe(2)
    expect(report.match(/cannot be previewed/g)).toHaveLength(3)
    for (const pattern of ['../*.http', '/etc/*', 'requests/../../*.http']) {
      expect(await preview(directory, place, { AUDIT_PREVIEW: pattern })).toMatchObject({
        code: 2,
        report: expect.stringContaining('lead out of the directory'),
      })
    }
  })

  it('previews only what the request changes, where the checkout shows it', async () => {
    using directory = openCheckout({ 'requests/old.http': '', 'requests/gone.http': '', 'other/x.http': '' })
    git(directory, 'init', '-q', '-b', 'main')
    git(directory, 'add', '.')
    git(directory, 'commit', '-qm', 'base')
    const base = git(directory, 'rev-parse', 'HEAD')
    git(directory, 'checkout', '-qb', 'change')
    directory.write('work/requests/new one.http', '')
    git(directory, 'rm', '-q', 'requests/gone.http')
    git(directory, 'add', '.')
    git(directory, 'commit', '-qm', 'one')
    directory.write('work/requests/new two.http', '')
    git(directory, 'add', '.')
    git(directory, 'commit', '-qm', 'two')
    const head = git(directory, 'rev-parse', 'HEAD')
    git(directory, 'checkout', '-q', 'main')
    git(directory, 'merge', '-q', '--no-ff', '-m', 'merge', 'change')
    const known =
      place === 'github'
        ? { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: git(directory, 'rev-parse', 'HEAD') }
        : { CI_MERGE_REQUEST_DIFF_BASE_SHA: base }
    const changed = await preview(directory, place, known)
    expect(changed.calls.map(([args]) => args.at(-1))).toEqual(['./requests/new one.http', './requests/new two.http'])
    expect(changed.report).not.toContain('all files that match')

    // Of any other checkout, the first parent is not the base.
    const unknown =
      place === 'github' ? { ...known, GITHUB_SHA: head } : { CI_MERGE_REQUEST_DIFF_BASE_SHA: '1'.repeat(40) }
    const all = await preview(directory, place, unknown)
    expect(all.calls.slice(2)).toHaveLength(3)
    expect(all.report).toContain('all files that match')
  })

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['of a fork', { HEAD_REPOSITORY: 'else/hooks', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '6' }, 'comes from a fork'],
    ['without a history', { AUDIT_HISTORY: '/nowhere/hookdrift.db' }, 'no job has left a history yet'],
  ])('says so in a job %s, and does not pass', async (_, env, why) => {
    using directory = openCheckout({ 'requests/a.http': '' })
    const { code, calls, report, stderr } = await preview(directory, place, env)
    expect({ code, calls }).toEqual({ code: 3, calls: [] })
    expect(report).toContain(why)
    expect(stderr).toContain(`nothing was previewed: `)
  })

  it('does nothing outside of a pull request', async () => {
    using directory = openCheckout({ 'requests/a.http': '' })
    const env = { PULL_REQUEST: '', CI_MERGE_REQUEST_IID: '' }
    expect(await preview(directory, place, env, '1')).toMatchObject({ code: 1, calls: [], report: '' })
  })

  it('fits into a comment, and says what it left out', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`requests/${at + 10}.http`, 'exit 1']))
    using directory = openCheckout(files)
    const { code, calls, report } = await preview(directory, place, { PADDING: '4000' })
    expect({ code, calls: calls.length }).toEqual({ code: 3, calls: 50 })
    expect(report).toContain('- 10 more files were not previewed')
    expect(report.length).toBeLessThan(61_000)
    expect(report).toMatch(/Not shown, as a comment is full: \d+ of 50\./)
  })
})

describe('the GitLab job with `preview`', () => {
  it('writes a note about the requests apart from the audit, and ends with the worst code', async () => {
    await using forge = await startForge()
    using directory = openCheckout({ 'requests/a.http': 'exit 1' })
    const run = async (pattern: string) => {
      const ended = await startProgram('sh', [join(checkout, 'deploy/ci/gitlab.sh')], {
        cwd: directory.file('work'),
        env: {
          PATH: `${directory.file('bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
          CALLS: directory.file('calls'),
          AUDIT_NAME: 'hooks',
          AUDIT_HISTORY: directory.file('history.db'),
          AUDIT_PREVIEW: pattern,
          AUDIT_REPORTS: directory.file('reports'),
          HOOKDRIFT_SEAL_KEY: '5'.repeat(64),
          HOOKDRIFT_GITLAB_TOKEN: 'not-a-real-token',
          CI_API_V4_URL: forge.url,
          ...environmentOf('gitlab'),
        },
      }).ended
      return [ended.code, ...forge.comments.map(({ body }) => body.split('\n').slice(0, 2))]
    }
    const audit = ['<!-- hookdrift: hooks -->', expect.stringContaining('could not audit')]
    const title = '## What these requests would change'
    expect(await run('')).toEqual([0, audit])
    expect(await run('none/*')).toEqual([0, audit])
    expect(await run('requests/*')).toEqual([1, audit, ['<!-- hookdrift: hooks/preview -->', title]])
    expect(forge.comments[1]?.body).toContain('would open violations')
    expect(await run('none/*')).toMatchObject([0, audit, ['<!-- hookdrift: hooks/preview -->', expect.anything()]])
    expect(forge.comments[1]?.body).toContain('has no request file')
    // A report of an earlier job says nothing of this one.
    await run('requests/*')
    expect((await run('')).length).toBe(3)
    expect(existsSync(directory.file('reports/preview.md'))).toBe(false)
  })
})

describe('the action with `preview`', () => {
  it('comments on the requests apart from the audit, and ends with the worst code', async () => {
    await using repository = await openRepository()
    const folder = join(repository.workspace, 'webhooks/requests')
    mkdirSync(folder)
    const [project] = repository.fleet.projects()
    if (project === undefined) throw new Error('the fleet has a project')
    const [endpoint] = repository.fleet.open(project.uid).endpoints
    const address = `/api/v1/projects/${project.uid}/endpoints/${endpoint?.uid}`
    const rename = `PUT ${address} HTTP/1.1\nAuthorization: Bearer ${repository.fleet.personalKey}\n\n`
    writeFileSync(join(folder, 'a.http'), `${rename}${JSON.stringify({ name: '$(id) `x` @team', url: endpoint?.url })}`)
    writeFileSync(join(folder, 'b.http'), `${repository.fleet.personalKey} is not a request`)
    const inputs = { preview: 'requests/*.http', 'fail-on': 'never' }
    const env = { FORCE_COLOR: '1' }
    const first = await repository.audit({ inputs, env })
    expect(first).toMatchObject({ code: 2, outputs: { 'exit-code': '0', verdict: 'passed', 'preview-exit-code': '2' } })
    expect(first.log).toContain('::error title=hookdrift::A request of this pull request does not pass')
    expect(repository.used.map(({ action }) => action)).toContain('actions/cache/save')
    const [audit, requests] = repository.forge.comments
    expect(audit?.body).not.toContain('a.http')
    expect(requests?.body).toMatch(/^<!-- hookdrift: hookdrift\/preview -->\n## What these requests would change/)
    expect(requests?.body).toContain('Reset, because the request leaves it out\n  /')
    expect(requests?.body).toContain('./requests/b.http:1:1: this is not a request')
    expect(first.summary).toContain(readFileSync(first.outputs.preview ?? '', 'utf8'))
    for (const text of [requests?.body, first.log, first.summary]) {
      expect(text).not.toContain(repository.fleet.personalKey)
      expect(text).not.toContain('\\u{1b}')
    }

    // The comment of an earlier job says that the files are gone; without one there is none.
    const gone = { ...inputs, preview: 'none/*.http' }
    expect(await repository.audit({ inputs: gone, env })).toMatchObject({ code: 0 })
    expect(repository.forge.comments[1]?.body).toContain('This pull request has no request file.')
    repository.forge.comments.length = 0
    await repository.audit({ inputs: gone, env })
    expect(repository.forge.comments).toHaveLength(1)
  })
})
