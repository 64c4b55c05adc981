import type { SiteHistory } from './page.ts'

/** Answers that were worked out, as long as there is room for them. */
export interface AnswerCache {
  /** The answer of that name about a history, read unless it is kept. */
  once<Value>(history: SiteHistory, name: string, read: () => Promise<Value>): Promise<Value>
  /** What all of them take, about. */
  bytes(): number
}

interface CachedAnswer {
  readonly answer: Promise<unknown>
  /** 0 while it is read. */
  bytes: number
}

/** Of an answer besides its content. */
const overheadBytes = 500

/** Keeps answers about all histories together: the least used make room. The last one is kept, however large. */
export function keepAnswers(mostBytes: number): AnswerCache {
  const entries = new Map<string, CachedAnswer>()
  const numbers = new WeakMap<SiteHistory, number>()
  let histories = 0
  let total = 0
  const numberOf = (history: SiteHistory) => {
    const number = numbers.get(history) ?? histories++
    numbers.set(history, number)
    return number
  }
  const makeRoom = (last: CachedAnswer) => {
    for (const [key, one] of entries) {
      if (total <= mostBytes) return
      if (one === last || one.bytes === 0) continue
      entries.delete(key)
      total -= one.bytes
    }
  }
  const start = (answer: Promise<unknown>) => {
    const one: CachedAnswer = { answer, bytes: 0 }
    const weigh = (value: unknown) => {
      one.bytes = overheadBytes + bytesOf(value)
      total += one.bytes
      makeRoom(one)
    }
    answer.then(weigh, () => {})
    return one
  }
  return {
    bytes: () => total,
    once(history, name, read) {
      const key = `${numberOf(history)} ${name}`
      const former = entries.get(key)
      entries.delete(key)
      const one = former ?? start(read())
      entries.set(key, one)
      one.answer.catch(() => entries.get(key) === one && entries.delete(key))
      // What is kept under a name is what its reader returned.
      return one.answer as ReturnType<typeof read>
    },
  }
}

/** About what a value takes in memory: texts and arrays of numbers are most of it. */
function bytesOf(value: unknown, seen = new Set<object>()): number {
  if (typeof value === 'string' || value instanceof String) return value.length
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (seen.has(value)) return 0
  seen.add(value)
  const parts =
    value instanceof Map || value instanceof Set ? [...value.keys(), ...value.values()] : Object.values(value)
  return parts.reduce((sum: number, part) => sum + bytesOf(part, seen), 16 + 8 * parts.length)
}
