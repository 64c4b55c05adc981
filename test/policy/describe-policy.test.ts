import { describe, expect, it } from 'vitest'
import { readPolicy } from '../../src/policy/read-policy.ts'

const factsOf = (files: Record<string, string>) =>
  readPolicy('/etc/hookdrift/policy.yaml', (file) => files[file.replace('/etc/hookdrift/', '')] ?? '').facts

describe('where a policy asks for less than its packs do', () => {
  it('names rules that are off with their lines, also in files that it extends', () => {
    const { packs, exceptions } = factsOf({
      'policy.yaml': 'extends: [recommended, shared/base.yaml]\nrules:\n  endpoint/inactive: off\n',
      'shared/base.yaml': 'extends: [tls]\nrules: { source/unverified: off }\n',
    })
    expect(packs).toEqual(['recommended', 'tls'])
    expect(exceptions).toEqual([
      {
        kind: 'rule_off',
        rule: 'endpoint/inactive',
        setting: 'off',
        match: null,
        projects: null,
        configured_at: { file: 'policy.yaml', line: 3 },
      },
      {
        kind: 'rule_off',
        rule: 'source/unverified',
        setting: 'off',
        match: null,
        projects: null,
        configured_at: { file: 'base.yaml', line: 2 },
      },
    ])
  })

  it('names no rule that is on again, or that no pack of it has', () => {
    const { exceptions } = factsOf({
      'policy.yaml': 'extends: [base.yaml]\nrules: { endpoint/inactive: low }\n',
      'base.yaml': 'extends: [recommended]\nrules: { endpoint/inactive: off }\n',
    })
    expect(exceptions).toEqual([])
  })

  it.each([
    ['off', 'off'],
    ['info', 'info'],
    ['{ severity: low }', 'low'],
    ['{ max_seconds: 120 }', 'options'],
    ['{ severity: critical, max_seconds: 120 }', 'options'],
    ['{ severity: off, max_seconds: 120 }', 'off'],
  ])('names an override with %s as %s', (written, setting) => {
    const { exceptions } = factsOf({
      'policy.yaml': `overrides:\n  - match: { project: "acme/*", name: test-* }\n    rules: { endpoint/timeout-high: ${written} }\n`,
    })
    expect(exceptions).toEqual([
      {
        kind: 'override',
        rule: 'endpoint/timeout-high',
        setting,
        match: 'project acme/*, name test-*',
        projects: ['acme/*'],
        configured_at: { file: 'policy.yaml', line: 3 },
      },
    ])
  })

  it('names no override that is as strict, or that switches on what is off elsewhere', () => {
    const { exceptions } = factsOf({
      'policy.yaml':
        'extends: []\nrules: { endpoint/timeout-high: medium }\noverrides:\n  - match: { service: acme }\n    rules: { endpoint/timeout-high: critical, endpoint/inactive: low }\n',
    })
    expect(exceptions).toEqual([])
  })

  it('names who wrote a waiver where, and for which projects', () => {
    const { waivers } = factsOf({
      'policy.yaml':
        'waivers:\n  - { rule: "endpoint/*", match: { project: acme/pay*, uid: x }, owner: ops, reason: moves, expires: 2027-03-31 }\n',
    })
    expect(waivers).toEqual([
      {
        rule: 'endpoint/*',
        owner: 'ops',
        reason: 'moves',
        expires: '2027-04-01T00:00:00.000Z',
        projects: ['acme/pay*'],
        configured_at: { file: 'policy.yaml', line: 2 },
      },
    ])
  })
})
