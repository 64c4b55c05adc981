// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { showConfiguration } from '../../src/config/show-configuration.ts'
import { AuditError } from '../../src/model/errors.ts'
import { acmeEnv, configure, file, referenceSources, refusal, withService } from './config-fixture.ts'

const tokens = {
  PAGES_TOKEN: 'not-a-real-token-of-all',
  TEAM_TOKEN: 'not-a-real-token-of-a-team',
}
const env = { ...acmeEnv, ...tokens }
const needed = { needsTokens: 'all' } as const
const serve = {
  listen: '0.0.0.0:8080',
  hosts: ['pages.example.com'],
  token: '${PAGES_TOKEN}',
  tokens: [{ name: 'team', token: '${TEAM_TOKEN}', projects: ['acme/p*'] }],
  trusted_proxy: { header: 'X-Forwarded-User', addresses: ['10.0.0.7', 'fd00::/64'] },
}
const written = (members: object) => withService({}, { serve: members })

/** What `hookdrift serve` reads, where keys are not set. */
const read = (text: string, variables: Readonly<Record<string, string>> = tokens) =>
  readConfiguration(file, referenceSources(text, { env: variables }), { ...needed, needs: ['serve'] })

function failure(attempt: () => unknown): string {
  try {
    attempt()
  } catch (thrown) {
    if (thrown instanceof AuditError && thrown.kind === 'usage') return thrown.message
    throw thrown
  }
  return ''
}

describe('the readers of the pages', () => {
  it('are decoded with their tokens, their projects and the proxy that knows them', () => {
    const settings = {
      listen: { host: '0.0.0.0', port: 8080 },
      hosts: ['pages.example.com'],
      tokens: [
        { name: undefined, token: tokens.PAGES_TOKEN },
        { name: 'team', token: tokens.TEAM_TOKEN, projects: ['acme/p*'] },
      ],
      trustedProxy: {
        header: 'x-forwarded-user',
        networks: [
          { address: '10.0.0.7', family: 'ipv4', prefix: 32 },
          { address: 'fd00::', family: 'ipv6', prefix: 64 },
        ],
      },
    }
    expect(configure(written(serve), { env }, needed).serve).toEqual(settings)
    expect(read(written(serve)).serve).toEqual(settings)
  })

  it('are read without the keys of services and with other faults in the file', () => {
    const text = JSON.stringify({ serve, nonsense: 1, services: [{ key: '${ACME_KEY}', url: 3 }] })
    expect(read(text).serve?.tokens).toHaveLength(2)
  })

  it('are an error with its place where a token is not set', () => {
    const text = 'serve:\n  tokens:\n    - { name: team, token: "${TEAM_TOKEN}" }\n'
    expect(failure(() => read(text, {}))).toBe(`${file}:3:28: the environment variable TEAM_TOKEN is not set`)
    expect(failure(() => read(text, { TEAM_TOKEN: '' }))).toMatch(`${file}:3:28: token is empty once`)
  })

  it('are left out where their tokens are not needed and one is not set', () => {
    const pages = withService({}, { serve, worker: { listen: 9464, pages: true } })
    expect(configure(pages).serve).toBeUndefined()
    expect(refusal(pages, {}, { needsTokens: 'of-worker' })).toEqual([
      expect.stringMatching(/^1:\d+: the environment variable PAGES_TOKEN is not set$/),
      expect.stringMatching(/^1:\d+: the environment variable TEAM_TOKEN is not set$/),
    ])
    const apart = withService({}, { serve, worker: { listen: 9464 } })
    expect(refusal(apart, {}, { needsTokens: 'of-worker' })).toEqual([])
  })

  it('change the digest of a configuration no more than its keys do', () => {
    const worker = { listen: 9464 }
    const without = configure(withService({}, { worker })).digest
    const pages = withService({}, { serve, worker: { ...worker, pages: true } })
    expect(configure(pages, { env }, needed).digest).toBe(without)
  })

  it.each([
    ['a token that is short', { token: 'short' }, /token .*expected 20 to 200 visible ASCII characters/],
    ['a token with a blank', { token: `${'x'.repeat(20)} ` }, /token .*expected 20 to 200 visible/],
    ['a network that is none', proxy({ addresses: ['10.0.0.0/33'] }), /expected an IP address, or a network/],
    ['a network of all addresses', proxy({ addresses: ['0.0.0.0/0'] }), /expected an IP address, or a network/],
    ['a header that carries a key', proxy({ header: 'Authorization' }), /expected a header that carries nothing but/],
  ])('are refused with %s', (_, members, text) => {
    expect(refusal(written(members), { env }, needed)).toContainEqual(expect.stringMatching(text))
  })

  it('must be named for an address that other machines reach', () => {
    const open =
      /^1:\d+: the pages would be open to everyone who reaches 0\.0\.0\.0: add serve\.token, serve\.tokens or serve\.trusted_proxy/
    expect(refusal(written({ listen: '0.0.0.0:80' }))).toEqual([expect.stringMatching(open)])
    expect(failure(() => read(written({ listen: '0.0.0.0:80' })))).toMatch('would be open to everyone')
    const worker = { listen: '0.0.0.0:9464', pages: true }
    expect(refusal(withService({}, { worker }))).toEqual([expect.stringMatching(open)])
    expect(refusal(withService({}, { worker: { ...worker, pages: false } }))).toEqual([])
    expect(refusal(withService({}, { worker, serve: { token: '${PAGES_TOKEN}' } }), { env })).toEqual([])
    expect(refusal(withService({}, { worker, serve: { token: 'short' } }), { env })).toEqual([
      expect.stringMatching('expected 20 to 200'),
    ])
  })

  it('are never shown, neither as values nor in messages', () => {
    const literal = { token: 'not-a-real-token-in-the-file' }
    const warned = 'the file contains a secret; use ${VAR} or ${file:PATH}'
    expect(configure(written(literal), {}, needed).warnings).toEqual([expect.stringMatching(/^\S+:1:\d+: /)])
    expect(read(written(literal)).warnings).toEqual([expect.stringContaining(warned)])
    const shown = showConfiguration(file, {
      sources: referenceSources(written({ ...serve, ...literal }), { env }),
      cwd: '/',
      history: undefined,
      exists: () => false,
    })
    const secrets = shown.filter(({ isSecret }) => isSecret).map(({ path }) => path.join('.'))
    expect(secrets).toEqual(expect.arrayContaining(['serve.token', 'serve.tokens.0.token']))
    const refused = refusal(written({ ...serve, ...literal, tokens: [{ name: 'a', ...literal }] }), { env }, needed)
    expect(refused.join('\n')).toContain('the same token')
    const said = JSON.stringify([shown, refused, refusal(written({ token: 'not a token at all' }))])
    for (const secret of [literal.token, ...Object.values(tokens), 'not a token']) expect(said).not.toContain(secret)
  })
})

it('the guide to the pages shows configurations that are accepted', () => {
  const guide = readFileSync(new URL('../../docs/how-to/read-in-a-browser.md', import.meta.url), 'utf8')
  const blocks = guide.match(/(?<=```yaml\n).*?(?=```)/gs) ?? []
  const names = ['PAGES_TOKEN', 'PLATFORM_TOKEN']
  const variables = Object.fromEntries(names.map((name) => [name, `not-a-real-token-${name}`]))
  const files = { '/run/secrets/payments': 'not-a-real-token-of-payments\n' }
  for (const block of blocks) {
    const sources = referenceSources(block, { env: variables, files })
    expect(readConfiguration(file, sources, { ...needed, needs: ['serve'] }).warnings).toEqual([])
  }
  expect(blocks).toHaveLength(5)
})

function proxy(members: object) {
  return { trusted_proxy: { ...serve.trusted_proxy, ...members } }
}
