import type { Command, Option } from 'commander'
import { argumentsOf, orderedOptions, readExamples } from '../../src/cli/help.ts'
import { exitCodes } from '../../src/model/errors.ts'
import { buildCommandLine, sentence } from './command-tree.ts'
import { environment } from './environment.ts'

const exits: Readonly<Record<keyof typeof exitCodes, string>> = {
  clean: 'Everything was scanned, and no open violation is as severe as --fail-on says.',
  violations: 'There are such violations.',
  usage: 'The command line, the configuration or the policy has a mistake.',
  incomplete: 'Not everything could be scanned.',
  failure: 'hookdrift itself failed.',
  busy: 'Another process writes to the history.',
}

/** The manual page, in the macros of man(7). */
export async function manPage(): Promise<string> {
  const program = await buildCommandLine()
  const groups = Map.groupBy(visible(program), (command) => command.helpGroup())
  return `${[
    '.\\" Generated from the program by `npm run reference`.',
    '.TH HOOKDRIFT 1 "" hookdrift "User Commands"',
    '.SH NAME',
    'hookdrift \\- audits the configuration of webhook gateways',
    '.SH SYNOPSIS',
    '.B hookdrift',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff(program.description()),
    '.PP',
    roff(
      'The documentation comes with the program: `hookdrift docs` lists its pages, `hookdrift docs TOPIC` shows one.',
    ),
    '.SH OPTIONS',
    ...orderedOptions(program).flatMap(optionLines),
    ...[...groups].flatMap(([group, commands]) => [
      `.SH ${roff(group.replace(/:$/, '').toUpperCase())}`,
      ...commands.flatMap((command) => commandLines(command, command.name())),
    ]),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).flatMap(([name, code]) => tagged(String(code), exits[name as keyof typeof exits])),
    ...tagged('130, 143', 'SIGINT or SIGTERM interrupted the command.'),
    '.SH ENVIRONMENT',
    ...environment.flatMap(([names, about]) => tagged(plain(names), plain(about))),
    '.SH FILES',
    ...tagged(
      'hookdrift.yaml',
      'The configuration, in the working directory unless --config or HOOKDRIFT_CONFIG names another.',
    ),
    ...tagged('hookdrift.db', 'The history, next to the configuration unless that names another.'),
    ...tagged('hookdrift.key', 'The key under which secrets are sealed, next to the history.'),
  ].join('\n')}\n`
}

function visible(parent: Command): readonly Command[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
}

function commandLines(command: Command, name: string): readonly string[] {
  const children = visible(command)
  if (children.length > 0) return children.flatMap((child) => commandLines(child, `${name} ${child.name()}`))
  const { lines = [] } = readExamples()[name] ?? {}
  return [
    `.SS "hookdrift ${roff([name, ...argumentsOf(command)].join(' '))}"`,
    roff(sentence(command.description())),
    ...command.registeredArguments.flatMap((argument, at) =>
      argument.description === '' ? [] : tagged(argumentsOf(command)[at] ?? '', sentence(argument.description)),
    ),
    ...orderedOptions(command).flatMap(optionLines),
    ...(lines.length === 0 ? [] : ['.PP', 'Examples:', '.PP', '.nf']),
    ...lines.map(([line]) => `\\&  ${roff(`hookdrift ${line}`)}`),
    ...(lines.length === 0 ? [] : ['.fi']),
  ]
}

function optionLines({ flags, description, argChoices }: Option): readonly string[] {
  const choices = argChoices === undefined ? '' : ` One of ${argChoices.join(', ')}.`
  return tagged(flags, `${sentence(description)}${choices}`)
}

function tagged(tag: string, text: string): readonly string[] {
  return ['.TP', `.B ${roff(tag)}`, roff(text)]
}

/** Markdown without its code signs and links. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]{1,200})\]\([^)]{1,200}\)/g, '$1').replaceAll('`', '')
}

/** A line of text: no character acts as a macro or an escape. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^(?=[.'])/, '\\&')
}
