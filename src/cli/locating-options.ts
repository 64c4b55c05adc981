import type { HistoryOptions } from '../app/locate-history.ts'
import { withoutPassword } from '../history/postgres-server.ts'

/** The options of this command that name its history, for a command to be copied; empty where none were given. */
export function locatingOptions({ config, history }: Partial<HistoryOptions>): string {
  if (history !== undefined) return ` --history ${shellQuoted(withoutPassword(history))}`
  return config === undefined || config === 'hookdrift.yaml' ? '' : ` --config ${shellQuoted(config)}`
}

function shellQuoted(text: string): string {
  return /^[\w./~:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
