import type { Argument, Command, Option } from 'commander'
import { argumentsOf, orderedOptions, readExamples } from '../../src/cli/help.ts'
import { formatNames, formats } from '../../src/report/formats.ts'
import { buildCommandLine, sentence } from './command-tree.ts'

const intro = `# Command line

Generated from the program by \`npm run reference\`. \`hookdrift COMMAND --help\` prints the same.

\`hookdrift completion bash\` prints a script with which a shell completes all of this
([install](../how-to/install.md#completion)). \`-v\` and \`-V\` are \`--version\`; what a run does in detail is in its log:
\`HOOKDRIFT_LOG=debug\`.

All commands exit as [exit codes](errors.md#exit-codes) says. An option comes before a variable, and a variable
before a default: \`--config\`, \`HOOKDRIFT_CONFIG\`, \`hookdrift.yaml\`. All variables are in
[the configuration](configuration.md#environment).

Each command takes \`--color auto|always|never\`. \`auto\` means colour on a terminal, unless \`NO_COLOR\` is set or \`TERM\`
is \`dumb\`. \`FORCE_COLOR\` or \`CLICOLOR_FORCE\` means colour in a pipe, too, such as the log of a pipeline; \`NO_COLOR\`
comes before both, and \`0\` in them means none. Files of \`--report\` and \`--output\` have none.
Each command that writes CSV takes \`--bom\`, [for Excel](../how-to/publish-reports.md#a-spreadsheet).
`

/** The page about every command, its arguments and its options. */
export async function commandLinePage(): Promise<string> {
  const program = await buildCommandLine()
  const common = commonOptions(program)
  return [
    intro,
    commonSection(common),
    ...sectionsOf(program, { prefix: '', heading: '##', common }),
    formatsSection(),
  ].join('\n')
}

/** The rows of options that many commands have in the same words: they are described once. Each has its flags. */
function commonOptions(program: Command): ReadonlyMap<string, string> {
  const uses = new Map<string, { readonly flags: string; count: number }>()
  const visit = (command: Command) => {
    for (const option of orderedOptions(command)) {
      const row = optionRow(option)
      const use = uses.get(row) ?? { flags: option.flags, count: 0 }
      use.count++
      uses.set(row, use)
    }
    for (const child of command.commands) visit(child)
  }
  visit(program)
  return new Map([...uses].flatMap(([row, { flags, count }]) => (count >= fewestUses ? [[row, flags] as const] : [])))
}

/** Options of fewer commands are described with each. */
const fewestUses = 8

function commonSection(common: ReadonlyMap<string, string>): string {
  const lead = 'Many commands have these options. Their sections only name them.'
  return ['## Common options', '', lead, '', ...common.keys(), ''].join('\n')
}

function formatsSection(): string {
  const rows = formatNames.map((name) => `| \`${name}\` | \`${formats[name].extension}\` | ${formats[name].about} |`)
  const lead = '[Reports](reports.md) has the details of each.'
  return ['## Report formats', '', lead, '', '| format | extension | what it is |', '|---|---|---|', ...rows, ''].join(
    '\n',
  )
}

function sectionsOf(
  parent: Command,
  {
    prefix,
    heading,
    common,
  }: { readonly prefix: string; readonly heading: string; readonly common: ReadonlyMap<string, string> },
): readonly string[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`
      const section = [
        `${heading} ${name}`,
        '',
        `${sentence(command.description())}`,
        '',
        ...bodyOf(command, name, common),
      ]
      return [section.join('\n'), ...sectionsOf(command, { prefix: `${name} `, heading: `${heading}#`, common })]
    })
}

function bodyOf(command: Command, name: string, common: ReadonlyMap<string, string>): readonly string[] {
  if (command.commands.length > 0) return []
  const options = orderedOptions(command)
  const usage = ['hookdrift', name, ...argumentsOf(command), ...(options.length > 0 ? ['[options]'] : [])].join(' ')
  const optionRows = options.map(optionRow)
  const named = optionRows.flatMap((row) => common.get(row) ?? []).map((flags) => `\`${flags.replace(/^-\w, /, '')}\``)
  const rows = [
    ...command.registeredArguments.flatMap(argumentRow),
    ...optionRows.filter((row) => !common.has(row)),
    ...(named.length === 0 ? [] : [`- [Common options](#common-options): ${named.join(', ')}`]),
  ]
  const { lines = [] } = readExamples()[name] ?? {}
  const shown = lines.flatMap(([line, what]) => [`# ${what}`, `hookdrift ${line}`])
  return [
    ...['```', usage, '```', '', ...rows, ...(rows.length > 0 ? [''] : [])],
    ...(shown.length === 0 ? [] : ['```sh', ...shown, '```', '']),
  ]
}

function argumentRow(argument: Argument, at: number, all: readonly Argument[]): readonly string[] {
  if (argument.description === '') return []
  return [`- \`${argumentsOf({ registeredArguments: all })[at]}\`: ${sentence(argument.description)}`]
}

function optionRow({ flags, description, argChoices, defaultValue, defaultValueDescription, negate }: Option): string {
  const choices = argChoices === undefined ? '' : ` One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.`
  const fallback = defaultValueDescription ?? (defaultValue === undefined || negate ? undefined : String(defaultValue))
  const known = fallback === undefined || fallback === '' ? '' : ` Default: \`${fallback}\`.`
  return `- \`${flags}\`: ${sentence(description)}${choices}${known}`
}
