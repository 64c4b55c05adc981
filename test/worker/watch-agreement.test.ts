import { expect, it } from 'vitest'
import { watchAgreement } from '../../src/app/worker/reload-files.ts'

const minuteMs = 60_000

function open() {
  const state = { nowMs: 0, files: 'a', onDisk: 'a', reads: 0 }
  const agreement = watchAgreement({
    now: () => state.nowMs,
    files: () => state.files,
    async readFiles() {
      state.reads += 1
      state.files = state.onDisk
      return state.files
    },
  })
  return { state, ...agreement }
}

it.each([
  ['version', 'another version of hookdrift'],
  ['configuration', 'another configuration'],
  ['policy', 'another policy'],
  ['seal_key', 'another installation key'],
] as const)('a worker that is refused for its %s is not ready after five minutes', async (reason, other) => {
  const { state, refused, troubles } = open()
  expect(await troubles()).toEqual([])
  refused(reason)
  state.nowMs = 4 * minuteMs
  refused(reason)
  expect(await troubles()).toEqual([])
  expect(state.reads).toBe(0)
  state.nowMs = 5 * minuteMs
  const said = [`this worker is left out of runs, which began with ${other}`]
  expect(await troubles()).toEqual(said)
  state.nowMs = 500 * minuteMs
  expect(await troubles()).toEqual(said)
})

it('it is ready again when it takes part in a run', async () => {
  const { state, refused, agreed, troubles } = open()
  refused('seal_key')
  state.nowMs = 6 * minuteMs
  agreed()
  expect(await troubles()).toEqual([])
  refused('seal_key')
  expect(await troubles()).toEqual([])
})

it('it is ready again when its files changed, also where no run began since', async () => {
  const { state, refused, troubles } = open()
  refused('configuration')
  state.nowMs = 6 * minuteMs
  expect(await troubles()).toHaveLength(1)
  state.onDisk = 'b'
  expect(await troubles()).toEqual([])
  // Refused with the new ones: the time counts from then on.
  refused('policy')
  state.nowMs = 10 * minuteMs
  expect(await troubles()).toEqual([])
  state.nowMs = 11 * minuteMs
  expect(await troubles()).toHaveLength(1)
})

it('the time counts anew for files that were changed between two refusals', async () => {
  const { state, refused, troubles } = open()
  refused('configuration')
  state.nowMs = 4 * minuteMs
  state.files = 'b'
  refused('configuration')
  state.nowMs = 6 * minuteMs
  state.onDisk = 'b'
  expect(await troubles()).toEqual([])
})
