import { accepted, type SendMessage } from '../message.ts'

/** Writes one line of a structured log. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, text: string) => void

/** A line for each event, and one for the run. */
export function sendToLog({ name: channel }: { readonly name: string }, write: LogLine): SendMessage {
  return async ({ id, run, title, counts, storm, rules, events, more, command, already_open }) => {
    for (const { id: event, text, ...fields } of events) {
      write({ channel, notification: id, event, run: run?.number ?? null, ...fields }, text)
    }
    const summary = {
      channel,
      notification: id,
      run: run?.number ?? null,
      counts,
      storm,
      rules,
      more,
      command,
      already_open,
    }
    write(summary, title)
    return accepted
  }
}
