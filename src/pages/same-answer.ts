import { linksAt, type SiteLinkQuery } from './link.ts'

/** The answer of a page as a command of the command line, and as the same command of the API. */
export interface SameAnswer {
  /** Its words: `['baseline', 'diff']`. */
  readonly command: readonly string[]
  /** The name of its address, where that is not the words of the command. */
  readonly address?: string | undefined
  /** By the names that both give them, in the order of the command line. */
  readonly operands?: Readonly<Record<string, string>>
  /** `true` for a flag. */
  readonly options?: CommandOptions
  /** Absent: as of the run of the page. It has no option for a run, or its operands and options name what it is as of. */
  readonly isOfNoRun?: true
  /** What of the page it lacks, as a sentence. */
  readonly lacks?: string | undefined
}

type CommandOptions = Readonly<Record<string, string | number | true | readonly string[] | undefined>>

/**
 * The words of a command line of hookdrift. An operand never follows an option that takes several values, and one that
 * begins like an option follows `--`.
 */
export function hookdriftCommand(
  command: readonly string[],
  { operands = [], options = {} }: { readonly operands?: readonly string[]; readonly options?: CommandOptions } = {},
): readonly string[] {
  const named = Object.entries(options).flatMap(([name, value]) => optionWords(name, value))
  const isPlain = operands.every((operand) => !operand.startsWith('-'))
  return ['hookdrift', ...command, ...(isPlain ? [...operands, ...named] : [...named, '--', ...operands])]
}

function optionWords(name: string, value: CommandOptions[string]): readonly string[] {
  if (value === undefined || value === '') return []
  if (value === true) return [`--${name}`]
  const values = typeof value === 'object' ? value : [String(value)]
  return values.flatMap((one) => (one.startsWith('-') ? [`--${name}=${one}`] : [`--${name}`, one]))
}

/** `run`: of the page; undefined: the last one. */
export function commandOf(same: SameAnswer, run: number | undefined): readonly string[] {
  const { command, operands = {}, options, isOfNoRun } = same
  const ofRun = isOfNoRun || run === undefined ? {} : { run }
  return hookdriftCommand(command, { operands: Object.values(operands), options: { ...options, ...ofRun } })
}

/** The path of the API with its query. */
export function jsonOf(
  { command, address = command.join('/'), operands, options = {}, isOfNoRun }: SameAnswer,
  run: number | undefined,
  more: SiteLinkQuery = {},
): string {
  const flags: [string, SiteLinkQuery[string]][] = Object.entries(options).map(([name, value]) => [
    name,
    value === true ? 'true' : value,
  ])
  const link = linksAt(isOfNoRun ? undefined : run)
  return link(`/api/v1/${address}`, { ...operands, ...Object.fromEntries(flags), ...more })
}
