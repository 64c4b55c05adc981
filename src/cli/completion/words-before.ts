import type { Command, Option } from 'commander'

/** What can be written at the cursor. */
export interface Expected {
  readonly command: Command
  /** The option whose value it is; undefined: an argument, a command or an option. */
  readonly option: Option | undefined
  /** Whether the option has no value yet and needs one. */
  readonly isValueNeeded: boolean
  /** Which argument of the command it is, from 0. */
  readonly position: number
  /** Whether options may come: not after `--`. */
  readonly takesOptions: boolean
  /** Options that were given, by their long names, with the last value of each. */
  readonly given: ReadonlyMap<string, string>
}

/** Reads complete words as the program would read them. */
export function expectedAfter(program: Command, words: readonly string[]): Expected {
  const given = new Map<string, string>()
  let command = program
  let open: Option | undefined
  let isValueNeeded = false
  let position = 0
  let takesOptions = true
  for (const word of words) {
    if (open !== undefined && (isValueNeeded || !word.startsWith('-'))) {
      given.set(open.long ?? '', word)
      if (!open.variadic) open = undefined
      isValueNeeded = false
    } else if (takesOptions && word === '--') {
      takesOptions = false
      open = undefined
    } else if (takesOptions && word.startsWith('-') && word !== '-') {
      const [flag = '', value] = word.startsWith('--') ? word.split('=', 2) : [word]
      const option = command.options.find(({ short, long }) => short === flag || long === flag)
      if (option !== undefined) given.set(option.long ?? '', value ?? '')
      open = option !== undefined && value === undefined && (option.required || option.optional) ? option : undefined
      isValueNeeded = open?.required === true
    } else {
      open = undefined
      const child = position === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (child === undefined) position += 1
      else command = child
    }
  }
  return { command, option: open, isValueNeeded, position, takesOptions, given }
}
