import { expect, it } from 'vitest'
import { Dropped, Stop, whenDropped } from '../../src/model/stop.ts'

it('what is dropped ends at once, also where it was dropped before; what is stopped goes on to its end', () => {
  const reason = new Dropped('enough', 'nothing more is wanted')
  expect(whenDropped(AbortSignal.abort(reason)).signal.reason).toBe(reason)
  const run = new AbortController()
  const { signal } = whenDropped(run.signal)
  expect(signal.aborted).toBe(false)
  run.abort(reason)
  expect(signal.reason).toBe(reason)
  expect(whenDropped(AbortSignal.abort(new Stop('sigterm', 'SIGTERM'))).signal.aborted).toBe(false)
})

it('a watch that was released hears nothing', () => {
  const run = new AbortController()
  const { signal, release } = whenDropped(run.signal)
  release()
  run.abort(new Dropped('enough', 'nothing more is wanted'))
  expect(signal.aborted).toBe(false)
})
