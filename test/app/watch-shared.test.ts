import { expect, it } from 'vitest'
import type { Log } from '../../src/app/log.ts'
import type { RequestedRun } from '../../src/app/pool/runs.ts'
import { watchShared } from '../../src/app/shared/share-runs.ts'
import { AuditError } from '../../src/model/errors.ts'

function watching() {
  const lines: string[] = []
  const failed: unknown[] = []
  const note = (level: string) => (_: object, text: string) => lines.push(`${level}: ${text}`)
  const log = { warn: note('warn'), info: note('info') } as unknown as Log // What it uses here.
  const nothing = () => {}
  const counts = { tookOver: nothing, leftOut: nothing, coordinating: nothing }
  const watch = { planned: nothing, skipped: nothing, started: nothing, ended: nothing }
  const shared = watchShared({ ...watch, failed: (...args: unknown[]) => void failed.push(args) }, { log, counts })
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

it('says once of each run that is asked for that this worker has another file', () => {
  const { shared, lines } = watching()
  const asked = (id: string) => ({ id, request: { schedule: null } }) as unknown as RequestedRun // What it uses here.
  for (let tries = 0; tries < 5; tries++) shared.refused(asked('first'), 'configuration')
  const refused = 'warn: a run was asked for with other files than this worker has'
  expect(lines).toEqual([refused])
  shared.refused(asked('first'), 'policy')
  shared.refused(asked('second'), 'policy')
  expect(lines).toEqual([refused, refused, refused])
  shared.slots.ended('acme', 'returned')
  expect(lines.at(-1)).toBe('info: a project was not scanned here')
})
