import { neutralise } from '../../model/text/neutralise.ts'

/** `2026-11-21T03:04:05.678Z` → `2026-11-21 03:04 UTC`; anything else as it is. */
export function showTime(iso: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(iso) ?? []
  return day === undefined ? neutralise(iso) : `${day} ${time} UTC`
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`; empty where the times are not in order. */
export function showDuration(fromIso: string, toIso: string): string {
  const ms = Date.parse(toIso) - Date.parse(fromIso)
  if (!(ms >= 0)) return ''
  if (ms < 1000) return `${ms} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
