import { describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { missingFeatures } from '../../src/gateway/licence.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

describe('missingFeatures', () => {
  it.each([
    ['each that a release says it does not have', { AdvancedSubscriptions: false, Transformations: true }],
    ['each that an earlier release does not name', { CREATE_ORG: {}, WEBHOOK_TRANSFORMATIONS: { allowed: true } }],
  ])('are %s', (_, answer) => {
    expect(missingFeatures(answer)).toContain('AdvancedSubscriptions')
    expect(missingFeatures(answer)).not.toContain('Transformations')
  })

  it.each([undefined, null, [], 'licensed', {}, { Transformations: 0 }, { ADVANCED_SUBSCRIPTIONS: false }])(
    'are none in %j, which may mean anything',
    (answer) => {
      expect(missingFeatures(answer)).toEqual([])
    },
  )
})

const rule = 'endpoint/timeout-high'

/** An endpoint with a timeout that only a licence applies. */
async function openUnlicensed(release: 'older' | 'seed' | 'later' = 'later') {
  const cli = await openCliFixture()
  cli.service.behaviour.release = release
  const slow = cli.endpoint()
  changeEndpoint(cli.fleet, slow, (row) => ({ ...row, http_timeout: 120 }))
  const asked = () => cli.service.requests.filter(({ path }) => path === '/ui/license/features')
  const report = async () => {
    const { violations, notices, projects, verdict } = await cli.json('audit')
    const ofRule = violations.filter((one: { rule: string }) => one.rule === rule)
    return { violations: ofRule, notices, projects, verdict }
  }
  return { ...cli, slow, asked, report }
}

describe('a licence', () => {
  it.each(['older', 'seed', 'later'] as const)(
    'ends what the service does not apply without it (%s)',
    async (release) => {
      await using fixture = await openUnlicensed(release)
      expect((await fixture.report()).violations).toMatchObject([{ state: 'opened' }])
      fixture.service.behaviour.hasLicence = false
      const { violations, notices, projects, verdict } = await fixture.report()
      const reason = 'the service does not apply it: its licence does not have AdvancedEndpointMgmt'
      expect(violations).toMatchObject([
        { state: 'resolved', resolution: 'policy', ended_by: { kind: 'rule_off', reason } },
      ])
      expect(projects[0].not_licensed).toMatchObject({ [rule]: 'AdvancedEndpointMgmt' })
      expect(projects[0].evaluated_by_rule[rule]).toBe(0)
      expect(notices).toMatchObject([{ code: 'not_licensed', project: null }])
      expect(notices[0].text).toMatch(
        /^the licence of acme does not have .*: without AdvancedEndpointMgmt, endpoint\/timeout/,
      )
      expect(verdict).toMatchObject({ unknown: 0 })
      fixture.service.behaviour.hasLicence = true
      expect((await fixture.report()).violations).toMatchObject([{ state: 'opened' }])
    },
  )

  it('is asked for once for all projects of a service, without a key', async () => {
    await using fixture = await openUnlicensed()
    await fixture.report()
    expect(fixture.asked()).toHaveLength(1)
    expect(fixture.asked().filter(({ headers }) => JSON.stringify(headers).includes(fixture.env.ACME_KEY))).toEqual([])
    expect(fixture.asked()[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    ['an error', { how: 'status', status: 500 }],
    ['a page of the dashboard', { how: 'html' }],
    ['a refusal', { how: 'status', status: 403 }],
    ['nothing', { how: 'reset' }],
    ['half of the answer', { how: 'cut-body' }],
  ] as const)('that is not known because of %s changes nothing, neither gaps nor the exit code', async (_, how) => {
    await using fixture = await openUnlicensed()
    fixture.service.behaviour.hasLicence = false
    fixture.service.failNext({ ...how, path: /license/ })
    const { violations, notices, verdict } = await fixture.report()
    expect(violations).toMatchObject([{ state: 'opened' }])
    expect(notices).toEqual([])
    expect(verdict.exit_code).toBe(1)
  })

  it('is not asked for where the configuration has it off', async () => {
    await using fixture = await openUnlicensed()
    fixture.configure((text) => text.replace(/( +)key: .*\n/, '$&$1listings: { licence: off }\n'))
    fixture.service.behaviour.hasLicence = false
    expect((await fixture.report()).violations).toMatchObject([{ state: 'opened' }])
    expect(fixture.asked()).toEqual([])
  })

  it('that is gone keeps an acceptance of what it does not apply, until it is back', async () => {
    await using fixture = await openUnlicensed()
    const { violations } = await fixture.report()
    await fixture.run(`accept ${violations[0].fingerprint} --reason slow-receiver --by ann`)
    expect((await fixture.report()).violations).toMatchObject([{ resolution: 'accepted' }])
    fixture.service.behaviour.hasLicence = false
    await fixture.report()
    fixture.service.behaviour.hasLicence = true
    expect((await fixture.report()).violations).toEqual([])
  })
})
