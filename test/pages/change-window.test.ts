import { assert, expect, it } from 'vitest'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type Message, readMessage } from '../../src/notify/message.ts'
import { plainLine, showMessage } from '../../src/notify/show-message.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSiteOver } from './story-site.ts'

const policy = policyOf('extends: []\nrules: { drift/url-host-changed: {} }')

it('the window of a change is the two runs around it, with the notes of that time, in each output', async () => {
  await using history = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  const { harness, audit, set } = history.fixture
  // The version that changes is that of run 1.
  for (const _ of [1, 2, 3]) {
    await audit({ policy })
    harness.advance(3_600_000)
  }
  const noteAt = new Date(harness.clock.now()).toISOString()
  await history.rows(`note 'deploy 4.4' --at ${noteAt} --by ada`)
  harness.advance(60_000)
  const uid = set({ url: 'https://hooks.evil.example.net/in' })
  let message: Message | undefined
  const compose = composeRunNotifications([{ type: 'log', name: 'chat' }])
  const { drift, violations } = await audit({
    policy,
    compose(record, before) {
      const messages = compose?.(record, before) ?? []
      if (Array.isArray(messages)) message = messages.map(({ body }) => readMessage(body))[0]
      return messages
    },
  })
  expect(drift).toMatchObject([{ between: { after_run: 3, before_run: 4 }, notes: [1] }])

  const window = /between run 3, 2026-11-21 \d\d:\d\d UTC, and run 4, (?:2026-11-21 )?\d\d:\d\d UTC/
  const site = await openSiteOver(history)
  const page = (await site.read(`/violations/${violations[0]?.fingerprint}`)).replaceAll(/<[^>]*>/g, '')
  expect(page.replaceAll(/\s+/g, ' ')).toMatch(window)
  expect(page).toMatch(/In between:deploy 4\.4 \(ada/)
  const timeline = JSON.parse(await (await site.get(`/api/v1/timeline?uid=${uid}`)).text())
  expect(timeline.rows.at(-1)).toMatchObject({ between: { after_run: 3, before_run: 4 }, notes: [1] })

  assert(message, 'no message')
  const shown = showMessage(message).map((line) => plainLine(line))
  expect(shown.find((line) => line.startsWith('Changed '))).toMatch(window)
  expect(shown.find((line) => line.startsWith('Changed '))).toContain('In between: deploy 4.4 (ada')
  await site.history.close()
})
