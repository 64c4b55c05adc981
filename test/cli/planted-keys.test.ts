import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { type CommandLine, configurationFor, openDirectory } from './start-process.ts'

/** None looks like a secret. */
const keys = {
  service: 'harvest-moon-orders',
  project: 'quiet.river.invoices',
  reader: 'the-lantern-of-the-reader-team',
  ticket: 'plain-words-of-tickets',
  seal: 'a-seal-key-of-many-ordinary-words',
}
const short = 'orders'
const planted = Object.entries(keys)
const [one, two, three] = [keys.service, keys.project, keys.reader]

const cli = await openCliFixture({ projects: 1, endpointsPerProject: 3 })
afterAll(() => cli[Symbol.asyncDispose]())
const { directory, fleet, service } = cli
const env = { NIGHT_KEY: keys.project, HOOKDRIFT_SEAL_KEY: '' }
const more = `policy: ./policy.yaml
seal_key: ${keys.seal}
serve: { tokens: [{ name: team, token: ${keys.reader} }] }
notify: [{ name: tickets, type: github_issue, repository: acme/hooks, token: ${keys.ticket} }]
`
const night = `  - name: night
    url: https://night.example
    key: ${keys.service}
    projects:
      - { id: one, name: one, key: "\${NIGHT_KEY}" }
      - { id: two, name: two, key: "\${UNSET_KEY}" }
      - { id: three, name: three, key: ${short} }
`
/** Without the project whose key is not known: an audit needs all. */
const whole = more + configurationFor(service.url, fleet) + night.replace(/.*UNSET_KEY.*\n/, '')
const partly = more + configurationFor(service.url, fleet) + night
const outputs: string[] = []

async function ask(line: CommandLine) {
  const said = await cli.run(line, { env })
  outputs.push(said.stdout, said.stderr)
  return said
}

async function rowsOf(line: string) {
  const { stdout, stderr } = await ask(`${line} --format json`)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout).rows
}

/** The names of the files, and `outputs`, with one of these texts. */
function foundIn(texts: readonly string[]): string[] {
  const files = readdirSync(directory.path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.db/.test(name))
  const bytes = [...files.map((name) => [name, readFileSync(directory.file(name), 'latin1')] as const)]
  return [...bytes, ['outputs', outputs.join('\n')] as const].flatMap(([name, text]) =>
    texts.filter((one) => text.includes(one)).map((one) => `${name}: ${one}`),
  )
}

describe('a key of the configuration', () => {
  beforeAll(async () => {
    directory.write('hookdrift.yaml', whole)
    directory.write(
      'policy.yaml',
      `extends: [recommended]
waivers:
  - rule: endpoint/url-not-https
    match: { project: acme/* }
    owner: team ${one}
    reason: the key is ${two}
    ticket: https://tickets.example.com/${three}
    expires: ${new Date(Date.now() + 86_400_000).toISOString()}
windows:
  - name: deploys
    cron: '*/5 * * * *'
    duration: 4m
    ticket: about ${two}
custom:
  - id: acme/named
    kind: endpoint
    title: Named ${one}
    assert: resource.name == ''
    severity: high
    message: named {resource.name} ${two}
    remediation: Use ${three}
`,
    )
    changeEndpoint(fleet, cli.endpoint(), (row) => ({
      ...row,
      url: 'http://plain.example.com/in',
      name: `orders of ${one}`,
      description: `use ${two}, or ${three}`,
      owner_id: `${one}-team`,
      support_email: `${keys.ticket}@a.example`,
    }))
    changeEndpoint(fleet, cli.endpoint(1), (row) => ({
      ...row,
      name: encodeURIComponent(one),
      description: Buffer.from(two).toString('base64'),
      url: `https://a.example/in/${two}?q=${one}`,
    }))
  })

  it('is sealed wherever the service shows it', async () => {
    const said = await ask('audit --project acme/* --no-notify --format json')
    expect(said.stderr.split('\n').filter((line) => line !== '' && !line.includes('hookdrift.yaml:'))).toEqual([])
    const [row] = await rowsOf(`query "SELECT name FROM current_resource WHERE name LIKE 'orders of%'"`)
    expect(row).toEqual({ name: expect.stringMatching(/^orders of sealed:[0-9a-f]{32}$/) })
  })

  it('is masked alone in what a person types', async () => {
    directory.write('hookdrift.yaml', partly)
    const [note] = await rowsOf(`note 'deploy with ${one} done' --ref 'run ${two}' --by 'ada ${three}'`)
    expect(note).toMatchObject({
      text: 'deploy with sealed:masked done',
      ref: 'run sealed:masked',
      by: 'ada sealed:masked',
    })
    const [{ fingerprint }] = await rowsOf('violations --rule endpoint/url-not-https')
    const [accepted] = await rowsOf(`accept ${fingerprint} --reason '${one}, see ${two}' --by ${three}`)
    expect(accepted).toMatchObject({ reason: 'sealed:masked, see sealed:masked', by: 'sealed:masked' })
    const [revoked] = await rowsOf(`accept --revoke ${fingerprint} --by 'bob ${one}'`)
    expect(revoked).toMatchObject({ fingerprint, revoked_at: expect.any(String) })
    await rowsOf(`baseline approve --yes --note 'as of ${keys.ticket}' --by 'cy ${one}'`)
    await rowsOf(`baseline revoke --by 'dee ${two}'`)
    for (const line of ['note --list', 'waivers list --acceptances', 'baseline show']) await rowsOf(line)
  })

  it('is masked in all that a policy says', async () => {
    for (const line of ['policy explain orders', 'decisions', 'waivers', 'violations'])
      await ask(`${line} --format json`)
    for (const line of ['doctor --offline', 'report --format html']) await ask(line)
    expect(outputs.join('\n')).toContain('the key is sealed:masked')
  })

  it('is in no byte of the history and in no output', () => {
    const forms = planted.flatMap(([, key]) => [key, Buffer.from(key).toString('base64'), encodeURIComponent(key)])
    expect(foundIn(forms)).toEqual([])
  })

  it('stays readable where it is too short to differ from a word', async () => {
    expect(await rowsOf(`note 'all ${short} are back'`)).toMatchObject([{ text: `all ${short} are back` }])
  })
})

describe('a text of a person', () => {
  it.each([
    ['of which a service is wrong', 'services: [{ name: 7, key: harvest-moon-orders, projects: nine }]\n', true],
    ['that is not YAML', 'services: [\n', false],
  ])('is taken next to a configuration %s', async (_, text, isKnown) => {
    directory.write('broken.yaml', `history: ./hookdrift.db\n${text}`)
    const env = { HOOKDRIFT_HISTORY: directory.file('hookdrift.db') }
    const line = `note 'with ${one}' --config ${directory.file('broken.yaml')} --format json`
    const { stdout, stderr } = await command(line, { cwd: directory.path, env })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout).rows).toMatchObject([{ text: isKnown ? 'with sealed:masked' : `with ${one}` }])
  })

  it.each([
    ['HOOKDRIFT_KEY', { HOOKDRIFT_KEY: 'evening-star-of-acme' }, false],
    ['HOOKDRIFT_SEAL_KEY', { HOOKDRIFT_SEAL_KEY: 'evening-star-of-acme' }, false],
    ['HOOKDRIFT_KEY_FILE', { HOOKDRIFT_KEY_FILE: 'star', HOOKDRIFT_URL: 'https://hooks.example.com' }, false],
    ['HOOKDRIFT_KEY next to --history', { HOOKDRIFT_KEY: 'evening-star-of-acme' }, true],
  ] as const)('does not repeat %s, without a file', async (_, given, isNamed) => {
    using elsewhere = openDirectory()
    elsewhere.write('star', 'evening-star-of-acme\n')
    const env = { HOOKDRIFT_HISTORY: directory.file('hookdrift.db'), HOOKDRIFT_PROJECTS: 'one', ...given }
    const history = isNamed ? `--history ${directory.file('hookdrift.db')}` : ''
    const { stdout } = await command(`note 'with evening-star-of-acme' --format json ${history}`, {
      cwd: elsewhere.path,
      env,
    })
    expect(JSON.parse(stdout).rows).toMatchObject([{ text: 'with sealed:masked' }])
  })
})
