import { expect, it } from 'vitest'
import type { Log } from '../../src/app/log.ts'
import { watchShared } from '../../src/app/shared/share-runs.ts'
import { AuditError } from '../../src/model/errors.ts'

function watching() {
  const lines: string[] = []
  const failed: unknown[] = []
  const note = (level: string) => (_: object, text: string) => lines.push(`${level}: ${text}`)
  const log = { warn: note('warn'), info: note('info') } as unknown as Log // What it uses here.
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
  expect([failed, lines]).toEqual([[], ['warn: the pool cannot be asked for work']])
  const broken = AuditError.failure('the history is damaged')
  shared.failed('nightly', broken)
  shared.failed(null, broken)
  expect(failed).toEqual([
    ['nightly', broken],
    ['(asked for)', broken],
  ])
})

it('says once, while it lasts, that a worker has another file than the run', () => {
  const { shared, lines } = watching()
  for (let tries = 0; tries < 5; tries++) shared.slots.ended('acme', 'configuration')
  const left = 'warn: left a project to other workers: not what its run began with'
  expect(lines).toEqual([left])
  shared.slots.ended('acme', 'policy')
  shared.slots.ended('acme', 'walked')
  shared.slots.ended('acme', 'policy')
  expect(lines).toEqual([left, left, left])
  shared.slots.ended('acme', 'returned')
  expect(lines.at(-1)).toBe('info: a project was not scanned here')
})
