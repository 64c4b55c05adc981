import type { Argument, Command, Option } from 'commander'
import { examples } from '../../src/cli/examples.ts'
import { argumentsOf, orderedOptions } from '../../src/cli/help.ts'
import { formatNames, formats } from '../../src/report/formats.ts'
import { buildCommandLine, sentence } from './command-tree.ts'

const intro = `# Command line

Generated from the program by \`npm run reference\`. \`hookdrift COMMAND --help\` prints the same.

\`hookdrift completion bash\` prints a script with which a shell completes all of this
([install](../how-to/install.md#completion)). \`-v\` is the version, as of node and npm; what a run does in detail is in
its log: \`HOOKDRIFT_LOG=debug\`.

All commands exit as [exit codes](errors.md#exit-codes) says. \`HOOKDRIFT_HISTORY\`, \`HOOKDRIFT_SEAL_KEY\` and the other
variables of the environment are in [the configuration](configuration.md#environment).
`

/** The page about every command, its arguments and its options. */
export async function commandLinePage(): Promise<string> {
  const program = await buildCommandLine()
  return [intro, ...sectionsOf(program, '', '##'), formatsSection()].join('\n')
}

function formatsSection(): string {
  const rows = formatNames.map((name) => `| \`${name}\` | \`${formats[name].extension}\` | ${formats[name].about} |`)
  const lead = '[Reports](reports.md) has the details of each.'
  return ['## Report formats', '', lead, '', '| format | extension | what it is |', '|---|---|---|', ...rows, ''].join(
    '\n',
  )
}

function sectionsOf(parent: Command, prefix: string, heading: string): readonly string[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`
      const section = [`${heading} ${name}`, '', `${sentence(command.description())}`, '', ...bodyOf(command, name)]
      return [section.join('\n'), ...sectionsOf(command, `${name} `, `${heading}#`)]
    })
}

function bodyOf(command: Command, name: string): readonly string[] {
  if (command.commands.length > 0) return []
  const options = orderedOptions(command)
  const usage = ['hookdrift', name, ...argumentsOf(command), ...(options.length > 0 ? ['[options]'] : [])].join(' ')
  const rows = [...command.registeredArguments.flatMap(argumentRow), ...options.map(optionRow)]
  const { lines = [] } = examples[name] ?? {}
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
