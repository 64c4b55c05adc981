// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configurationJsonSchema } from '../../src/config/configuration-schema.ts'
import { defaultDialect } from '../../src/gateway/service/dialect.ts'
import { defaultLimits } from '../../src/gateway/service/settings.ts'
import { configure, firstService } from './config-fixture.ts'

const channelEnv = {
  HOOK_URL: 'https://hooks.example.com/in',
  HOOK_SECRET: `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`,
  SLACK_URL: 'https://chat.example.com/not-a-real-key',
  SMTP_PASSWORD: 'not-a-real-key',
  TEAMS_URL: 'https://teams.example.com/not-a-real-key',
  PAGERDUTY_KEY: 'notarealkey'.padEnd(32, '0'),
  GITHUB_TOKEN: 'not-a-real-token',
  JIRA_TOKEN: 'not-a-real-token',
  PAGES_TOKEN: 'not-a-real-token-of-all',
  PAYMENTS_TOKEN: 'not-a-real-token-of-payments',
}
const example = readFileSync(new URL('../../config/hookdrift.example.yaml', import.meta.url), 'utf8')

describe('the example configuration', () => {
  it('is accepted without a warning and shows the defaults', () => {
    const configuration = configure(example, {
      env: { ACME_KEY: 'not-a-real-key', PAYMENTS_KEY: 'not-a-real-key', ...channelEnv },
      files: { '/etc/hookdrift/acme-ca.pem': rootCertificates[0] ?? '', '/etc/hookdrift/seal.key': 'n'.repeat(32) },
    })
    expect(configuration.warnings).toEqual([])
    expect(firstService(configuration).settings.limits).toEqual(defaultLimits)
    const shown = { sort: 'DESC', direction: 'next' }
    expect(firstService(configuration).settings.dialect).toEqual({ ...defaultDialect, ...shown })
  })

  it('shows every member of the schema', () => {
    for (const name of memberNames(configurationJsonSchema())) expect(example).toMatch(new RegExp(`\\b${name}:`))
  })

  it('satisfies the schema that editors use', () => {
    const validate = new Ajv2020({ strict: false }).compile(configurationJsonSchema())
    expect(validate(parse(example)), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ services: [], histroy: 'x' })).toBe(false)
  })
})

describe('config/hookdrift.schema.json', () => {
  it('accepts a reference for a text with a pattern', () => {
    const validate = new Ajv2020({ strict: false }).compile(configurationJsonSchema())
    const name = (text: string) => ({ services: [{ name: text, url: 'https://a.example', projects: [{ id: 'p' }] }] })
    expect([name('a'), name('${NAME}'), name('a/b')].map((value) => validate(value))).toEqual([true, true, false])
  })

  it('describes its members', () => {
    expect(configurationJsonSchema()).toMatchObject({
      properties: {
        concurrency: { type: 'integer', minimum: 1, maximum: 64, default: 4, description: 'Projects read at once' },
      },
      required: ['services'],
      additionalProperties: false,
    })
  })
})

function memberNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? Object.keys(schema.properties ?? {}) : []
  return [...own, ...Object.values(schema).flatMap(memberNames)]
}
