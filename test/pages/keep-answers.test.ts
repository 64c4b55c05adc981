import { describe, expect, it } from 'vitest'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { type AnswerCache, keepAnswers } from '../../src/pages/keep-answers.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'

const newFile = temporaryDatabasePaths()
const openHistory = () => openSqliteHistory(newFile(), new Machines().process(100))
const [one, other] = [openHistory(), openHistory()]

/** Reads names of a history, and says which had to be read. */
function reading(answers: AnswerCache) {
  const read: string[] = []
  return {
    read,
    ask: (name: string, kilobytes: number, history = one) =>
      answers.once(history, name, async () => {
        read.push(name)
        return 'x'.repeat(kilobytes * 1000)
      }),
  }
}

describe('answers that are kept', () => {
  it('are read once, also while they are being read', async () => {
    const { ask, read } = reading(keepAnswers(100_000))
    await Promise.all([ask('a', 1), ask('a', 1)])
    await ask('a', 1)
    expect(read).toEqual(['a'])
  })

  it('take no more than they may, over all histories: the least used go first', async () => {
    const answers = keepAnswers(100_000)
    const { ask, read } = reading(answers)
    await ask('a', 40)
    await ask('a of another', 40, other)
    await ask('a', 40)
    await ask('b', 40)
    expect(answers.bytes()).toBeLessThan(100_000)
    for (const again of ['a', 'b']) await ask(again, 40)
    expect(read).toEqual(['a', 'a of another', 'b'])
    await ask('a of another', 40, other)
    expect(read).toHaveLength(4)
  })

  it('differ by their history', async () => {
    const { ask, read } = reading(keepAnswers(100_000))
    await ask('a', 1)
    await ask('a', 1, other)
    expect(read).toHaveLength(2)
  })

  it('stay when one alone takes more, and nothing else does then', async () => {
    const answers = keepAnswers(100_000)
    const { ask, read } = reading(answers)
    await ask('small', 1)
    await ask('large', 500)
    await ask('large', 500)
    expect(read).toEqual(['small', 'large'])
    await ask('small', 1)
    expect(read).toHaveLength(3)
    expect(answers.bytes()).toBeLessThan(100_000)
  })

  it('are read again after a failure', async () => {
    const answers = keepAnswers(100_000)
    const fail = () => answers.once(one, 'a', () => Promise.reject(new Error('not now')))
    await expect(Promise.all([fail(), fail()])).rejects.toThrow('not now')
    expect(await answers.once(one, 'a', async () => 7)).toBe(7)
  })

  it('weigh all groups of violations', async () => {
    const answers = keepAnswers(1_000_000)
    const group = { rule: '', owner: '', severity: 'high', state: 'opened', project: 'acme/payments', kind: 'endpoint' }
    const numbers = {
      run: 1,
      projectId: 1,
      firstRun: 1,
      violations: 1,
      first_seen: '2026-11-20T10:00:00.000Z',
      uid: '',
    }
    const size = 1000
    await answers.once(one, 'violations', async () => Array.from({ length: size }, () => ({ ...group, ...numbers })))
    expect(answers.bytes()).toBeGreaterThan(150 * size)
    expect(answers.bytes()).toBeLessThan(300 * size)
  })
})
