import { Command, Help, type HelpConfiguration, Option } from 'commander'
import { chunks } from '../model/chunks.ts'
import { assetText } from '../model/package-files.ts'
import { neutralise } from '../model/text/neutralise.ts'

/** Options that most commands have: they come last, in this order. */
const common = [
  '--project',
  '--kind',
  '--format',
  '--limit',
  '--config',
  '--history',
  '--color',
  '--bom',
  '--version',
  '--help',
]
export const commonGroup = 'Common options:'
const rareGroup = 'Rare options:'

/** An option that the help of its command only names; `hookdrift audit --help all` explains it. */
export function rare(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup(rareGroup)
}

/** The commands that `hookdrift --help` shows, in the order of a user's week; `hookdrift help all` has the others. */
export const usualCommands: readonly string[] = [
  'init',
  'audit',
  'violations',
  'report',
  'timeline',
  'diff',
  'restore',
  'impact',
  'preview',
  'accept',
  'serve',
  'worker',
  'doctor',
]

/** Whether words ask for all commands or options: `help all`, `help audit all` or `audit --help all`. */
export function asksForAll(words: readonly string[]): boolean {
  return words.at(-1) === 'all' && (words[0] === 'help' || ['--help', '-h'].includes(words.at(-2) ?? ''))
}

/** How the help of every command is laid out. `isWhole`: with all commands and options. */
export function helpLayout(isWhole: boolean): HelpConfiguration {
  const isFirst = ({ parent }: Command) => parent === null && !isWhole
  return {
    // Without `[options]`, which every command has. `help` has no parent.
    subcommandTerm: (command) =>
      isFirst(command.parent ?? command) ? command.name() : [command.name(), ...argumentsOf(command)].join(' '),
    visibleOptions: (command) => (isFirst(command) ? [] : isWhole ? allOptions(command) : explainedOptions(command)),
    optionDescription({ description, argChoices = [], defaultValue, defaultValueDescription, required, optional }) {
      const usual = required || optional ? (defaultValueDescription ?? defaultValue) : undefined
      const said = [argChoices.join(', '), [undefined, '', 'none'].includes(usual) ? '' : `default: ${usual}`]
      const more = said.filter((text) => text !== '').join('; ')
      return more === '' ? description : `${description} (${more})`
    },
    // By itself, commander orders groups as their options were defined.
    groupItems<Item extends Command | Option>(_: readonly Item[], visible: Item[], groupOf: (item: Item) => string) {
      const [first] = visible
      if (first instanceof Command && first.parent !== null && isFirst(first.parent)) {
        const usual = usualCommands.flatMap((name) => visible.find((each) => each.name() === name) ?? [])
        return new Map([['Commands:', usual]])
      }
      const groups = Map.groupBy(visible, groupOf)
      const areAllCommon = groups.size === 1 && groups.has(commonGroup)
      return areAllCommon ? new Map([['Options:', [...visible]]]) : groups
    },
  }
}

function allOptions(command: Command): Option[] {
  return inOrder(new Help().visibleOptions(command))
}

/** Those that the help of a command explains on a screen: its own that are not rare, or all where it has none. */
function explainedOptions(command: Command): Option[] {
  const all = allOptions(command).filter(({ long }) => long !== '--help')
  const own = all.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
  return own.length === 0 ? all : own
}

/** The names of the others, for the help of a command on a screen; empty where there are none. */
export function nameOtherOptions(command: Command): string {
  const explained = explainedOptions(command)
  const others = allOptions(command).filter((option) => !explained.includes(option) && option.long !== '--help')
  const names = others.map(({ long }) => long)
  return names.length === 0 ? '' : `  \`${fullName(command)} --help all\` explains ${names.join(', ')}`
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`
}

/** The options of a command as its help lists them: its own first. */
export function orderedOptions({ options }: Command): readonly Option[] {
  return inOrder(options.filter(({ hidden }) => !hidden))
}

function inOrder(options: readonly Option[]): Option[] {
  return options.toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ long, helpGroupHeading }: Option): number {
  const rank = common.indexOf(long ?? '')
  return rank < 0 && helpGroupHeading !== rareGroup ? -2 : rank
}

/** `<uid>`, `[fingerprint...]` */
export function argumentsOf({ registeredArguments }: Pick<Command, 'registeredArguments'>): readonly string[] {
  return registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${word}>` : `[${word}]`
  })
}

/** Gives a command and all below it examples, and pages to read; after a usage error, each names its own help. */
export function arrangeHelp(command: Command, name: string, isWhole: boolean): void {
  const listing = command.parent === null ? `${name} help all` : `${name} --help`
  command.showHelpAfterError(`  \`${listing}\` lists commands and options`)
  for (const option of command.options) if (rankOf(option) >= 0) option.helpGroup(commonGroup)
  command.addHelpText('after', () => showExamples(name.replace(/^hookdrift ?/, ''), isWhole))
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Print the help of a command')
  for (const child of command.commands) arrangeHelp(child, `${name} ${child.name()}`, isWhole)
}

/** What the help of a command ends with. */
interface Examples {
  /** Command lines without the name of the program, and what each does. */
  readonly lines: readonly (readonly string[])[]
  /** Pages that `hookdrift docs` shows. */
  readonly docs: readonly string[]
}

/** What the help of each command ends with, by its words: a paragraph of `examples.txt`, which ends in its pages. */
export function readExamples(): Readonly<Record<string, Examples>> {
  const paragraphs = assetText('cli/examples.txt').split('\n\n')
  return Object.fromEntries(
    paragraphs.map((paragraph) => {
      const [name = '', ...lines] = paragraph.trim().split('\n  ')
      const [, ...docs] = lines.pop()?.split(' ') ?? []
      return [
        name,
        {
          lines: [
            ...chunks(
              lines.map((line) => line.trim()),
              2,
            ),
          ],
          docs,
        },
      ]
    }),
  )
}

/** Commands with a similar purpose. */
const comparisons = [
  ['diff', 'two runs of the same projects: what changed in between'],
  ['compare', 'two projects with each other, such as staging and production'],
  ['baseline diff', 'a run with the state that a person approved'],
  ['timeline', 'one resource with itself, over all runs'],
] as const

/** On a screen there is room for two. */
function showExamples(name: string, isWhole: boolean): string {
  const { lines: all, docs } = readExamples()[name] ?? { lines: [], docs: [] }
  const lines = isWhole ? all : all.slice(0, 2)
  const choice = isWhole && comparisons.some(([command]) => command === name) ? comparisons : []
  const width = Math.max(0, ...lines.map(([line = '']) => line.length).filter((length) => length <= widest))
  const exampleLines = lines.map(([line = '', what]) =>
    line.length > widest ? `  hookdrift ${line}\n      ${what}` : `  hookdrift ${line.padEnd(width)}  ${what}`,
  )
  const purposeAt = Math.max(0, ...choice.map(([command]) => command.length))
  const choices = choice.map(([command, purpose]) => `  ${command.padEnd(purposeAt)}  compares ${purpose}`)
  const pages = docs.map((page) => `\`hookdrift docs ${page}\``)
  return [
    ...(exampleLines.length === 0 ? [] : ['', 'Examples:', ...exampleLines]),
    ...(choices.length === 0 ? [] : ['', 'Which one to use:', ...choices]),
    ...(pages.length === 0 ? [] : ['', `Read more: ${pages.join(', ')}`]),
  ].join('\n')
}

/** Longer lines have what they do below them. */
const widest = 46

const optionsMeant = [
  { option: '--run', form: /^(?:\d{1,15}|latest(?:~\d{1,9})?|\d{4}-\S{1,30})$/ },
  { option: '--policy', form: /\.ya?ml$/ },
  { option: '--project', form: /^[\w*]/ },
]

/** `report 3` means `report --run 3`, `audit acme/payments` means `audit --project acme/payments`. */
export function suggestOption(program: Command, args: readonly string[]): string {
  const names: string[] = []
  let command = program
  for (const name of args) {
    const child = command.commands.find((each) => each.name() === name)
    if (child === undefined) continue
    command = child
    names.push(name)
  }
  const operand = command.args[command.registeredArguments.length]
  if (operand === undefined) return ''
  const meant = optionsMeant.find(
    ({ option, form }) =>
      form.test(operand) && command.options.some(({ short, long }) => short === option || long === option),
  )
  if (meant === undefined) return ''
  return `  did you mean ${neutralise(`${names.join(' ')} ${meant.option} ${operand}`)}?\n`
}
