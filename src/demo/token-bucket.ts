import type { Behaviour } from './behaviour.ts'

/** One window of requests for the whole instance. Returns the seconds to wait once it is used up, otherwise 0. */
export function createBucket(behaviour: Behaviour, nowMs: () => number): () => number {
  let window = { endsMs: 0, used: 0 }
  return () => {
    if (behaviour.rateLimit === null) return 0
    const { limit, windowMs } = behaviour.rateLimit
    const now = nowMs()
    if (now >= window.endsMs) window = { endsMs: now + windowMs, used: 0 }
    if (window.used >= limit) return Math.max(1, Math.ceil((window.endsMs - now) / 1000))
    window.used++
    return 0
  }
}
