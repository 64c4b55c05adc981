import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { ended, weak } from '../rules/certificates.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, aSecret, aSource, openLiteral } from './literal-service.ts'

const policy = policyOf(`
extends: []
rules:
  endpoint/auth-weak: {}
  endpoint/secret-shared: {}
  endpoint/secret-weak: {}
  source/verifier-shared: {}
  source/verifier-weak: {}
`)

/** Two endpoints and two sources with one weak secret each. */
const shown = (secret: string, more = {}) => ({
  endpoints: ['e1', 'e2'].map((uid) =>
    anEndpoint(uid, {
      secrets: [aSecret(`${uid}-secret`, { value: secret, ...more })],
      authentication: { type: 'api_key', api_key: { header_name: 'x-key', header_value: secret } },
    }),
  ),
  sources: ['s1', 's2'].map((uid) =>
    aSource(uid, { verifier: { type: 'hmac', hmac: { hash: 'SHA256', header: 'x-sig', encoding: 'hex', secret } } }),
  ),
})

const statesOf = ({ violations }: Report) =>
  new Map(violations.map(({ rule, uid, state, resolution }) => [`${rule} ${uid}`, resolution ?? state]))

it('a secret that is masked since another installation key sealed it is unknown to the rules about it, not fixed', async () => {
  await using service = await openLiteral(shown('short'))
  const opened = statesOf(await service.audit({ policy }))
  expect(opened.size).toBe(10)
  service.show(shown('[REDACTED]'))
  // A mask keeps what is known.
  expect(new Set(statesOf(await service.audit()).values())).toEqual(new Set(['continuing']))
  const states = statesOf(await service.audit({ installationKey: 2 }))
  expect([states.size, new Set(states.values())]).toEqual([10, new Set(['unknown'])])
  service.show(shown('[REDACTED]', { deleted_at: '2026-11-20T00:00:00Z' }))
  const ended = statesOf(await service.audit({ installationKey: 2 }))
  expect([ended.get('endpoint/secret-weak e1'), ended.get('endpoint/secret-shared e1')]).toEqual(['fixed', 'fixed'])
  expect(ended.get('endpoint/auth-weak e1')).toBe('unknown')
  service.show(shown('a longer secret: 8f1b7c2d9e3a4650'))
  const last = statesOf(await service.audit({ installationKey: 2 }))
  expect([last.get('endpoint/auth-weak e1'), last.get('source/verifier-weak s1')]).toEqual(['fixed', 'fixed'])
  expect(last.get('source/verifier-shared s1')).toBe('continuing')
})

it('a client certificate that is masked is unknown to the rules about it, not fixed', async () => {
  const rules = policyOf('extends: []\nrules: { endpoint/mtls-broken: {} }\n')
  const certified = (uid: string, client_cert: string) =>
    anEndpoint(uid, { mtls_client_cert: { client_cert, client_key: 'not-a-real-key' } })
  await using service = await openLiteral({ endpoints: [certified('e1', ended), certified('e2', weak)] })
  const opened = statesOf(await service.audit({ policy: rules }))
  expect(opened.size).toBeGreaterThan(1)
  service.show({ endpoints: ['e1', 'e2'].map((uid) => certified(uid, '[REDACTED]')) })
  const masked = statesOf(await service.audit())
  expect(masked.size).toBe(opened.size)
  for (const state of masked.values()) expect(['unknown', 'continuing']).toContain(state)
})

it.each([
  ['a certificate', { mtls_client_cert: { client_cert: ended, client_key: 'not-a-real-key' } }, ['client_cert']],
  ['all of an authentication', { authentication: { type: 'basic_auth', basic_auth: { password: 'word' } } }, []],
  ['the address of a chat', { slack_webhook_url: 'https://hooks.slack.com/services/T0/B0/not-a-real-secret' }, []],
] as const)(
  '%s that the service masks is unknown, and is compared once it is shown again',
  async (_, more, members) => {
    const [[field, value] = ['', {}]] = Object.entries(more)
    const masked = Object.fromEntries(members.map((member) => [member, '[REDACTED]']))
    const mask = members.length === 0 ? '[REDACTED]' : { ...Object(value), ...masked }
    await using service = await openLiteral({ endpoints: [anEndpoint('e', more)] })
    const drift = async (shown: object) => {
      service.show({ endpoints: [anEndpoint('e', shown as JsonObject)] })
      return (await service.audit({ policy })).drift.flatMap(({ fields }) => fields.map(({ path }) => path))
    }
    expect([await drift(more), await drift({ [field]: mask }), await drift(more)]).toEqual([[], [], []])
    expect(await drift({ [field]: mask })).toEqual([])
    expect(await drift({ [field]: null })).toEqual([`/${field}`])
  },
)

it('a waiver of a violation that could not be checked is not called unused', async () => {
  const waived = policyOf(`
extends: []
rules: { endpoint/secret-weak: {}, waiver/unused: {} }
waivers: [{ rule: endpoint/secret-weak, match: { uid: e1 }, owner: o, reason: r, expires: 2027-03-31 }]
`)
  await using service = await openLiteral({ ...shown('short'), endpoints: shown('short').endpoints.slice(0, 1) })
  await service.audit({ policy: waived })
  service.show({ endpoints: shown('[REDACTED]').endpoints.slice(0, 1) })
  const masked = statesOf(await service.audit({ installationKey: 2 }))
  expect([...masked]).toEqual([['endpoint/secret-weak e1', 'unknown']])
})
