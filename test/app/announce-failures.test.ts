import { describe, expect, it } from 'vitest'
import { announceFailures } from '../../src/app/worker-notifications.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Report } from '../../src/model/report.ts'

const report = {} as Report

/** A worker, with what it announced. */
function aWorker({ wasFailing = async () => false }: { readonly wasFailing?: () => Promise<boolean> } = {}) {
  const announced: string[] = []
  const watch = announceFailures({
    announce: async (type, text) => void announced.push(`${type}: ${text}`),
    wasFailing,
    wake: () => {},
    lost: (error) => announced.push(`lost: ${error}`),
  })
  const fail = (schedule: string) => watch.failed(schedule, AuditError.usage('it matches none'))
  return { announced, watch, fail }
}

describe('failures of a worker', () => {
  it('are over when each schedule that failed succeeds, and not when another one does', async () => {
    const { announced, watch, fail } = aWorker()
    for (let tick = 0; tick < 3; tick++) {
      fail('nightly')
      await watch.ended('hourly', report)
    }
    expect(announced).toEqual(['worker.failed: a run of nightly ended with an error: it matches none'])
    fail('hourly')
    await watch.ended('nightly', report)
    expect(announced).toHaveLength(1)
    await watch.ended('hourly', report)
    await watch.ended('nightly', report)
    expect(announced.slice(1)).toEqual(['worker.recovered: a run of hourly succeeded again'])
  })

  it('are over later, too, where one comes while the history is asked about those before', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { announced, watch, fail } = aWorker({ wasFailing: () => promise })
    const first = watch.ended('hourly', report)
    fail('nightly')
    resolve(false)
    await first
    await watch.ended('nightly', report)
    expect(announced.slice(1)).toEqual(['worker.recovered: a run of nightly succeeded again'])
  })

  it('are over with the next success where the schedule that failed is no longer there', async () => {
    const { announced, watch, fail } = aWorker()
    fail('nightly')
    watch.planned(new Map([['hourly', 0]]))
    await watch.ended('hourly', report)
    expect(announced.slice(1)).toEqual(['worker.recovered: a run of hourly succeeded again'])
  })

  it('are over when a worker succeeds that was started after them', async () => {
    const { announced, watch } = aWorker({ wasFailing: async () => true })
    await watch.ended('nightly', report)
    await watch.ended('nightly', report)
    expect(announced).toEqual(['worker.recovered: a run of nightly succeeded again'])
  })

  it('are announced where the history could not say what was before', async () => {
    const { announced, watch, fail } = aWorker({ wasFailing: () => Promise.reject(AuditError.failure('locked')) })
    await watch.ended('nightly', report)
    fail('nightly')
    expect(announced).toEqual([
      'lost: AuditError: locked',
      'worker.failed: a run of nightly ended with an error: it matches none',
    ])
  })

  it('are announced with the next one where the history could not take the first, and so is their end', async () => {
    let isDown = true
    const announced: string[] = []
    const watch = announceFailures({
      async announce(type) {
        if (isDown) throw AuditError.failure('no space left on the disk')
        announced.push(type)
      },
      wasFailing: async () => false,
      wake: () => {},
      lost: () => {},
    })
    const fail = async (isDownNow: boolean) => {
      isDown = isDownNow
      watch.failed('nightly', AuditError.usage('it matches none'))
      await Promise.resolve()
    }
    for (const isDownNow of [true, false, false]) await fail(isDownNow)
    expect(announced).toEqual(['worker.failed'])
    isDown = true
    await watch.ended('nightly', report)
    isDown = false
    await watch.ended('nightly', report)
    await watch.ended('nightly', report)
    expect(announced).toEqual(['worker.failed', 'worker.recovered'])
  })
})
