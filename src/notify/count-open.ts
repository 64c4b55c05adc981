import type { Channel } from '../config/configuration.ts'
import type { RunRecord } from '../history/records.ts'
import { countSeverities } from '../model/violation.ts'
import { eventChooser } from './choose-events.ts'
import type { Event, Message } from './message.ts'

/** Violations that were open before this run, in its projects, for a channel that is new. `events`: those of its message. */
export function countOpen(
  channel: Channel,
  events: readonly Event[],
  record: RunRecord,
): NonNullable<Message['already_open']> {
  const isChosen = eventChooser(channel, record)
  const fresh = new Set(events.map(({ fingerprint }) => fingerprint))
  const open = record.violations.filter(
    ({ state, fingerprint, owner, ...violation }) =>
      state === 'continuing' && !fresh.has(fingerprint) && isChosen({ ...violation, ...(owner ? { owner } : {}) }),
  )
  return Object.fromEntries(Object.entries(countSeverities(open)).filter(([, number]) => number > 0))
}
