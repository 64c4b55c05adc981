import { expect, it } from 'vitest'
import type { Log } from '../../src/app/log.ts'
import { watchShared } from '../../src/app/shared/watch-shared.ts'
import { AuditError } from '../../src/model/errors.ts'

function watching() {
  const lines: string[] = []
  const failed: unknown[] = []
  const log = { warn: (_: object, text: string) => lines.push(text) } as unknown as Log // What it uses here.
  const nothing = () => {}
  const slots = { begun: nothing, ended: nothing, failed: nothing, unreachable: nothing }
  const watch = { planned: nothing, skipped: nothing, started: nothing, ended: nothing }
  const shared = watchShared(
    { ...watch, failed: (...args: unknown[]) => void failed.push(args) },
    { log, onSlot: slots },
  )
  return { shared, failed, lines }
}

it('counts no run as failed while the server is away, and says so once', () => {
  const { shared, failed, lines } = watching()
  const away = AuditError.failure('cannot use the history: ECONNREFUSED', { isPassing: true })
  for (let tries = 0; tries < 5; tries++) shared.failed('nightly', away)
  expect([failed, lines]).toEqual([[], ['the pool cannot be asked for work']])
  const broken = AuditError.failure('the history is damaged')
  shared.failed('nightly', broken)
  shared.failed(null, broken)
  expect(failed).toEqual([
    ['nightly', broken],
    ['(asked for)', broken],
  ])
})
