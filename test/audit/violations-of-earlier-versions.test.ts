import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

it.each([
  ['service/release-vulnerable', 'the rule is about the service as a whole'],
  [
    'source/hmac-weak',
    expect.stringMatching(/^there is no such rule any longer: it is part of `source\/verifier-broken`/),
  ],
])('a violation of %s that an earlier version found ends with why', async (rule, reason) => {
  await using fixture = await openCliFixture()
  changeEndpoint(fixture.fleet, fixture.endpoint(), (row) => ({ ...row, url: 'http://example.com/in' }))
  await fixture.run('audit')
  const history = new Database(fixture.directory.file('hookdrift.db'))
  const { changes } = history
    .prepare("UPDATE violation SET rule = ? WHERE rule = 'endpoint/url-not-https' AND to_run IS NULL")
    .run(rule)
  history.close()
  expect(changes).toBe(1)
  const { violations } = await fixture.json('audit')
  expect(violations.filter((one: { rule: string }) => one.rule === rule)).toMatchObject([
    { state: 'resolved', resolution: 'policy', ended_by: { kind: 'rule_off', reason } },
  ])
})
