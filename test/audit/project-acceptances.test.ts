import { expect, it } from 'vitest'
import type { StagedResource } from '../../src/audit/compare-resources.ts'
import { ProjectAcceptances } from '../../src/audit/project-acceptances.ts'
import { normaliserVersion } from '../../src/gateway/fields.ts'
import type { Acceptance, AcceptanceEnding } from '../../src/history/acceptances.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { acceptedDigest } from '../../src/rules/accepted-values.ts'
import { payments } from '../history/samples.ts'

const finding = { rule: 'endpoint/timeout-high', path: '/http_timeout' }
const acceptance: Acceptance = {
  id: 1,
  project: payments,
  fingerprint: 'f'.repeat(32),
  ...finding,
  kind: 'endpoint',
  uid: 'a',
  reason: 'meant',
  valueDigest: acceptedDigest({ http_timeout: 900 }, finding),
  by: 'lee',
  at: '2026-11-21T00:00:00Z',
  acceptedIn: null,
  revoked: undefined,
  ended: undefined,
}

interface Seen {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly normaliser?: number
  readonly malformed?: readonly string[]
  readonly ignored?: string
  readonly rule?: string
  readonly path?: string
}

const nested = {
  before: { authentication: { api_key: { header_name: 'a' } } },
  after: { authentication: { api_key: { header_name: 'b' } } },
}

/** Why a run ends the acceptance in which a resource changes. */
function endingOf({ before, after, normaliser = normaliserVersion, malformed, ignored, ...seen }: Seen) {
  const acceptances = new ProjectAcceptances(payments, [{ ...acceptance, ...seen }])
  const common = { kind: 'endpoint', uid: 'a', name: 'a', facts: {} } as const
  const staged: StagedResource = {
    resource: { ...common, attributes: after, volatile: {}, ...(malformed && { malformed }) },
    since: 2,
    isInHistory: true,
    base: undefined,
    change: undefined,
    ignoredCounts: new Map(),
    previous: { ...common, attributes: before, fromRun: 1, since: '', sealKeyId: 'key', normaliser },
  }
  const scan = {
    run: 2,
    sealer: { keyId: 'key', seal: () => 'sealed:masked' },
    lastComplete: {},
    // What the policy ignores does not matter.
    ignored: ignored === undefined ? [] : [{ path: ignored, at: '' }],
  }
  acceptances.compare([staged], scan)
  return acceptances.endings.get(1)
}

it.each<readonly [string, Seen, AcceptanceEnding | undefined]>([
  ['another value', { before: { http_timeout: 900 }, after: { http_timeout: 901 } }, 'value_changed'],
  ['no value now', { before: { http_timeout: 900 }, after: { http_timeout: null } }, 'value_changed'],
  ['another field', { before: { http_timeout: 900 }, after: { http_timeout: 900, name: 'b' } }, undefined],
  ['the value back', { before: { http_timeout: 901 }, after: { http_timeout: 900 } }, undefined],
  ['a field that was not shown before', { before: {}, after: { http_timeout: 901 } }, undefined],
  [
    'another normal form',
    { before: { http_timeout: '900s' }, after: { http_timeout: 901 }, normaliser: normaliserVersion - 1 },
    undefined,
  ],
  [
    'a malformed value',
    { before: { http_timeout: 900 }, after: { http_timeout: 'x' }, malformed: ['/http_timeout'] },
    undefined,
  ],
  [
    'a malformed value elsewhere',
    { before: { http_timeout: 900 }, after: { http_timeout: 901, url: 5 }, malformed: ['/url'] },
    'value_changed',
  ],
  [
    'a value that is ignored, and that its rule reads',
    { before: { http_timeout: 900 }, after: { http_timeout: 901 }, ignored: '/http_timeout' },
    'value_changed',
  ],
  [
    'a value whose drift is ignored',
    { before: { http_timeout: 900 }, after: { http_timeout: 901 }, ignored: '/http_timeout', rule: 'drift/unexpected' },
    'value_changed',
  ],
  [
    'a value below an ignored field',
    { ...nested, path: '/authentication/api_key', ignored: '/authentication', rule: 'endpoint/auth-over-http' },
    'value_changed',
  ],
  [
    'a value above an ignored field',
    { ...nested, path: '/authentication', ignored: '/authentication/*', rule: 'drift/authentication-lost' },
    'value_changed',
  ],
  [
    'an ignored field that its rule compares besides',
    {
      before: { authentication: { type: 'api_key' } },
      after: { authentication: { type: 'basic_auth' } },
      path: '/url',
      ignored: '/authentication',
      rule: 'endpoint/auth-over-http',
    },
    'value_changed',
  ],
  [
    'an ignored field of a whole resource',
    {
      before: { http_timeout: 900, name: 'a' },
      after: { http_timeout: 900, name: 'b' },
      path: '',
      ignored: '/name',
      rule: 'drift/unexpected',
    },
    'value_changed',
  ],
  [
    'an ignored field that it is not about',
    {
      before: { http_timeout: 900, url: 'a' },
      after: { http_timeout: 900, url: 'b' },
      ignored: '/url',
      rule: 'drift/unexpected',
    },
    undefined,
  ],
])('an acceptance meets %s: %j, ended by %s', (_, seen, ending) => {
  expect(endingOf(seen)).toBe(ending)
})
