import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { openProgress, progressLine } from '../../src/app/watch-run.ts'

describe('a line of progress', () => {
  const reading = { phase: 'reading acme/payments: 15 of 30 projects', done: 15, total: 30 }

  it.each([
    ['says the phase', { phase: 'writing the run', done: 0, total: 0 }, 'writing the run'],
    [
      'has a bar, and says how long yet',
      reading,
      '██████████░░░░░░░░░░ 50 %, 0:07 left, reading acme/payments: 15 of 30 projects',
    ],
    ['promises nothing before a part is done', { ...reading, done: 0 }, `${'░'.repeat(20)} 0 %, ${reading.phase}`],
    [
      'is full where there is more than was known',
      { ...reading, done: 31 },
      `${'█'.repeat(20)} 100 %, ${reading.phase}`,
    ],
    ['cannot control the terminal', { phase: 'reading \u001b[2J', done: 0, total: 0 }, 'reading \\x1b[2J'],
  ])('%s', (_, state, expected) => {
    expect(progressLine({ ...state, elapsedMs: 67_000, phaseMs: 7_000 })).toBe(`[1:07] ${expected}`)
  })
})

describe('progress', () => {
  afterEach(() => void vi.useRealTimers())

  const watch = (stderr: object, env = {}, isQuiet = false) => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const written: string[] = []
    const write = (text: string) => written.push(text)
    const terminal = { stderr: { write, isTTY: true, columns: 30, ...stderr }, env } as unknown as ProcessContext
    const progress = openProgress(terminal, isQuiet)
    progress.show('verifying the history', 1, 2)
    vi.advanceTimersByTime(1_900)
    progress.show('verifying the history', 1, 2)
    const early = written.length
    vi.advanceTimersByTime(1_000)
    progress.done()
    vi.advanceTimersByTime(1_000)
    return { early, written }
  }

  it('is shown after two seconds in one line, goes on while nothing comes, and is removed', () => {
    const { early, written } = watch({})
    expect(early).toBe(0)
    expect(written.at(0)).toBe('\r\u001b[K[0:02] ██████████░░░░░░░░░░ 5')
    expect(written.length).toBeGreaterThan(3)
    expect(written.at(-1)).toBe('\r\u001b[K')
  })

  it.each([
    ['a pipe', { isTTY: false }, {}, false],
    ['a terminal that cannot move', {}, { TERM: 'dumb' }, false],
    ['the log of a pipeline', {}, { CI: 'true' }, false],
    ['one who asked for quiet', {}, {}, true],
  ])('is not shown to %s', (_, stderr, env, isQuiet) => {
    expect(watch(stderr, env, isQuiet).written).toEqual([])
  })
})
