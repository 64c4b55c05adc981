import { quoteForShell } from '../../gateway/repair/curl.ts'

/** How a command line named its configuration and its history; absent where it left them to the defaults. */
export interface NamedHistory {
  readonly config?: string
  readonly history?: string
}

const groups: ReadonlySet<string> = new Set(['baseline', 'config', 'history', 'policy', 'waivers'])
const ofNeither: ReadonlySet<string> = new Set([
  'completion',
  'config schema',
  'demo',
  'docs',
  'help',
  'history copy',
  'init',
  'rules',
])
const ofConfiguration: ReadonlySet<string> = new Set(['policy check', 'policy test', 'probe'])

/** The options with which a command reads the same, such as ` --history other.db`; empty for those that take none. */
export function locatingOptions(command: string, { config, history }: NamedHistory): string {
  if (ofNeither.has(command)) return ''
  const named = config === undefined ? '' : ` --config ${shellWord(config)}`
  return history === undefined || ofConfiguration.has(command) ? named : `${named} --history ${shellWord(history)}`
}

/** A text whose commands in backticks read the same configuration and history as the command that prints it. */
export function locateCommands(text: string, locating: NamedHistory): string {
  const parts = text.split('`')
  // A backtick within a quoted word cuts a command: no option must come into what is left of the quotes.
  if (parts.some((part, at) => at % 2 === 1 && isCut(part))) return text
  return parts
    .map((part, at) => (at % 2 === 1 && /^hookdrift [a-z]/.test(part) ? locate(part, locating) : part))
    .join('`')
}

function isCut(commandLine: string): boolean {
  const quotes = commandLine.replaceAll("\\'", '').split("'").length - 1
  return quotes % 2 === 1
}

/** Options come before words such as `--anchor`, behind which a value is missing. A command that has one is as it is. */
function locate(commandLine: string, locating: NamedHistory): string {
  const [program = '', ...words] = commandLine.split(' ')
  const length = groups.has(words[0] ?? '') ? 2 : 1
  if (words.length < length || words.includes('--history')) return commandLine
  const name = words.slice(0, length).join(' ')
  return [`${program} ${name}${locatingOptions(name, locating)}`, ...words.slice(length)].join(' ')
}

/** A text as one word of a command line, for any POSIX shell and for zsh: quoted unless it is plain. */
export function shellWord(text: string): string {
  // A shell reads a tilde, and zsh an equals sign, at the beginning of a word.
  return /^[\w./:@,-][\w./:@,=-]{0,199}$/.test(text) ? text : quoteForShell([text])
}

/** Whether a shell reads a text as one plain argument. Texts of a service that it does not are not offered for copying. */
export function isShellSafe(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,63}$/.test(text)
}
