import type { Database } from 'better-sqlite3'

/** Which texts of a run were replaced: notifications quote them. */
export interface Rewording {
  add(run: number | null, before: string, now: string): void
  /** Replaces a run's former texts in a text that quotes them. */
  apply(run: number | null, text: string): string
}

/** Only for runs with notifications. */
export function openRewording(db: Database): Rewording {
  const notified = db.prepare<[], number>('SELECT DISTINCT run FROM notification WHERE run IS NOT NULL').pluck().all()
  const texts = new Map(notified.map((run) => [run, new Map<string, string>()]))
  return {
    add(run, before, now) {
      if (run !== null && before !== now && before !== '') texts.get(run)?.set(before, now)
    },
    apply(run, text) {
      const own = run === null ? undefined : texts.get(run)
      const exact = own?.get(text)
      if (own === undefined || exact !== undefined) return exact ?? text
      let out = text
      for (const [before, now] of own) if (out.includes(before)) out = out.replaceAll(before, () => now)
      return out
    },
  }
}
