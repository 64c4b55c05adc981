import type { Argument, Command, Option } from 'commander'
import { commandLine } from '../../src/cli/run-command.ts'
import { formatNames, formats } from '../../src/report/formats.ts'

const intro = `# Command line

Generated from the program by \`npm run reference\`. \`hookdrift COMMAND --help\` prints the same.

All commands exit as [exit codes](errors.md#exit-codes) says. \`HOOKDRIFT_HISTORY\`, \`HOOKDRIFT_SEAL_KEY\` and the other
variables of the environment are in [the configuration](configuration.md#environment).
`

/** The page about every command, its arguments and its options. */
export function commandLinePage(): string {
  // as: of the streams, only `write` is used, and only for help.
  const silent = { write: () => true } as unknown as NodeJS.WriteStream
  const program = commandLine({ stdout: silent, stderr: silent }, async () => {})
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
  return parent.commands
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`
      const section = [`${heading} ${name}`, '', `${sentence(command.description())}`, '', ...bodyOf(command, name)]
      return [section.join('\n'), ...sectionsOf(command, `${name} `, `${heading}#`)]
    })
}

function bodyOf(command: Command, name: string): readonly string[] {
  if (command.commands.length > 0) return []
  const words = command.registeredArguments.map(argumentName)
  const usage = ['hookdrift', name, ...words, ...(command.options.length > 0 ? ['[options]'] : [])].join(' ')
  const rows = [...command.registeredArguments.flatMap(argumentRow), ...command.options.map(optionRow)]
  return ['```', usage, '```', '', ...rows, ...(rows.length > 0 ? [''] : [])]
}

function argumentName(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

function argumentRow(argument: Argument): readonly string[] {
  if (argument.description === '') return []
  return [`- \`${argumentName(argument)}\`: ${sentence(argument.description)}`]
}

function optionRow({ flags, description, argChoices, defaultValue, defaultValueDescription, negate }: Option): string {
  const choices = argChoices === undefined ? '' : ` One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.`
  const fallback = defaultValueDescription ?? (defaultValue === undefined || negate ? undefined : String(defaultValue))
  const known = fallback === undefined || fallback === '' ? '' : ` Default: \`${fallback}\`.`
  return `- \`${flags}\`: ${sentence(description)}${choices}${known}`
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}
