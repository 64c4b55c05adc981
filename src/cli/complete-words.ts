import type { Argument, Command, Option } from 'commander'
import { controlFormat, formatNames } from '../report/formats.ts'
import { orderedOptions } from './help.ts'

/** A word that can be written. */
export interface Candidate {
  readonly value: string
  /** A few words; may be empty. */
  readonly about: string
}

export interface Completion {
  readonly candidates: readonly Candidate[]
  /** Whether names of files can be written; the shell knows them. */
  readonly files: 'none' | 'files' | 'directories'
  /** Whether a blank follows a word that is complete. */
  readonly isWhole: boolean
}

/** Sorts of words that only the installation, the configuration or the history know. */
export type WordSource = 'rules' | 'projects' | 'runs' | 'resources' | 'violations' | 'topics' | 'frameworks' | 'packs'

/** Words of a source that begin with a text. `given`: options that name the configuration and the history. */
export type FindWords = (
  source: WordSource,
  prefix: string,
  given: ReadonlyMap<string, string>,
) => Promise<readonly Candidate[]>

/** By the option, or else by what the help calls its value. */
const sources: Readonly<Record<string, WordSource>> = {
  '--rule': 'rules',
  '--project': 'projects',
  '--framework': 'frameworks',
  '--pack': 'packs',
  '--revoke': 'violations',
  '--source': 'resources',
  run: 'runs',
  'run|time': 'runs',
  time: 'runs',
  from: 'runs',
  to: 'runs',
  a: 'projects',
  b: 'projects',
  uid: 'resources',
  target: 'resources',
  id: 'rules',
  rule: 'rules',
  violation: 'violations',
  topic: 'topics',
}

const fileNames: Readonly<Record<string, Completion['files']>> = {
  file: 'files',
  key: 'files',
  directory: 'directories',
  'copy from': 'files',
  'copy to': 'files',
}

const nothing: Completion = { candidates: [], files: 'none', isWhole: true }

/** What can be written in the place of the last word, `current`. */
export async function complete(
  program: Command,
  words: readonly string[],
  current: string,
  findWords: FindWords,
): Promise<Completion> {
  const expected = expectedAfter(program, words)
  const { command, option, isValueNeeded, position, takesOptions, given } = expected
  const [flag = '', attached] = takesOptions && current.startsWith('--') ? splitOnce(current, '=') : []
  if (attached !== undefined && !isValueNeeded) {
    const named = command.options.find(({ long }) => long === flag)
    if (named === undefined) return nothing
    const { candidates, ...how } = await valuesOf(named, attached, given, findWords)
    return { ...how, candidates: candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` })) }
  }
  if (option !== undefined && (isValueNeeded || !current.startsWith('-'))) {
    return valuesOf(option, current, given, findWords)
  }
  if (takesOptions && current.startsWith('-')) return beginningWith(current, optionsOf(expected))
  const result = await argumentsOf(expected, current, findWords)
  const isEmpty = result.candidates.length === 0 && result.files === 'none'
  const isWanted = current === '' && takesOptions && command.registeredArguments[position] === undefined
  return isEmpty && isWanted ? { ...nothing, candidates: optionsOf(expected) } : result
}

async function argumentsOf(
  { command, position, given }: WordPosition,
  current: string,
  findWords: FindWords,
): Promise<Completion> {
  const commands = position === 0 ? visibleCommands(command) : []
  if (commands.length > 0) return beginningWith(current, commands)
  const argument = command.registeredArguments[position] ?? lastVariadic(command)
  if (argument === undefined) return nothing
  // Elsewhere, these arguments are runs.
  const ofCommand = `${command.name()} ${argument.name()}`
  const name = fileNames[ofCommand] === undefined ? argument.name() : ofCommand
  return valuesNamed(name, argument.argChoices, current, given, findWords)
}

function lastVariadic({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1)
  return last?.variadic === true ? last : undefined
}

function visibleCommands(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), about: child.description() }))
}

/** Those that were not given yet, and those that can be given again. */
function optionsOf({ command, given }: WordPosition): readonly Candidate[] {
  const open = orderedOptions(command).filter(({ long, variadic, defaultValue }) => {
    return variadic || Array.isArray(defaultValue) || !given.has(long ?? '')
  })
  const candidates = open.map(({ long, flags, description }) => ({ value: long ?? flags, about: description }))
  return [...candidates, { value: '--help', about: 'Print this help' }]
}

async function valuesOf(
  option: Option,
  current: string,
  given: ReadonlyMap<string, string>,
  findWords: FindWords,
): Promise<Completion> {
  const { long = '', flags, argChoices } = option
  if (flags.includes('<format=file>')) return reportOf(current, given)
  const [, name = ''] = /[<[]([^\]>]{1,40}?)(?:\.\.\.)?[\]>]/.exec(flags) ?? []
  return valuesNamed(sources[long] === undefined ? name : long, argChoices, current, given, findWords)
}

/** `FORMAT=FILE`: the shell completes what is behind the sign. */
function reportOf(current: string, given: ReadonlyMap<string, string>): Completion {
  if (current.includes('=')) return { ...nothing, files: 'files' }
  const names = given.has('--framework') ? [...formatNames, controlFormat] : formatNames
  const candidates = names.map((format) => ({ value: `${format}=`, about: '' }))
  return { ...beginningWith(current, candidates), isWhole: false }
}

async function valuesNamed(
  name: string,
  choices: readonly string[] | undefined,
  current: string,
  given: ReadonlyMap<string, string>,
  findWords: FindWords,
): Promise<Completion> {
  if (choices !== undefined)
    return beginningWith(
      current,
      choices.map((value) => ({ value, about: '' })),
    )
  const files = fileNames[name]
  if (files !== undefined) return { ...nothing, files }
  const source = sources[name]
  return source === undefined ? nothing : beginningWith(current, await findWords(source, current, given))
}

function beginningWith(current: string, candidates: readonly Candidate[]): Completion {
  return { ...nothing, candidates: candidates.filter(({ value }) => value.startsWith(current)) }
}

function splitOnce(text: string, sign: string): readonly [string, string?] {
  const at = text.indexOf(sign)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** What can be written at the cursor. */
interface WordPosition {
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
function expectedAfter(program: Command, words: readonly string[]): WordPosition {
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
      const [flag = '', value] = word.startsWith('--') ? splitOnce(word, '=') : [word]
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
