import { Command, Option } from 'commander'
import { type Execute, type ProcessContext, printMessage, usualColumns } from '../app/process-context.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { AuditError } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { wrapLine } from '../model/text/columns.ts'
import { commands, type ListedCommand, type ListedGroup } from './commands.ts'
import { arrangeHelp, asksForAll, commonGroup, helpLayout, nameOtherOptions } from './help.ts'

/**
 * Builds the command line. The command that the words name is loaded, with its options, and hands its work to `execute`;
 * all others have only what lists of commands show. `'all'` loads every command.
 */
export async function commandLine(
  terminal: Pick<ProcessContext, 'stdout' | 'stderr'>,
  words: readonly string[] | 'all',
  execute: Execute,
): Promise<Command> {
  const isWhole = words === 'all' || asksForAll(words)
  const program = new Command('hookdrift')
    .description(
      'Audits the configuration of webhook gateways: what drifted, what violates the policy, and since when.',
    )
    // As node, npm and docker have it; a log in detail is HOOKDRIFT_LOG=debug. Other programs have -V.
    .version(toolVersion(), '-V')
    .version(toolVersion(), '-v, --version', 'Print the version')
    .addOption(
      new Option('--color <when>', 'colour for people to read, of every command')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .addHelpOption(new Option('-h, --help', 'Print this help').helpGroup(commonGroup))
    .configureHelp(helpLayout(isWhole))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(fitHelp(text, terminal)),
      writeErr: (text) => printMessage(text.trimEnd(), terminal),
      outputError: (text, write) =>
        write(withoutPassword(text.replace(/^error: /, 'hookdrift: ').replace(/\n\(/, '\n  ('))),
    })
    .hook('preAction', (_, command) => {
      refuseEmpty(command)
      if ([...Object.values(command.opts()), ...command.args].some(holdsPassword)) terminal.stderr.write(passwordShown)
    })
    .addHelpText('after', isWhole ? wholeEnd : firstEnd)
  program.options.find(({ short }) => short === '-V')?.hideHelp()
  const isOfCommand = (word: string, at: number) =>
    !word.startsWith('-') && word !== 'help' && words[at - 1] !== '--color'
  const commandWords = words === 'all' ? words : words.filter(isOfCommand)
  for (const [group, listed] of Object.entries(commands)) {
    program.commandsGroup(`${group}:`)
    for (const [name, each] of Object.entries(listed)) {
      await addListed(program, name, each, { commandWords, execute, isWhole })
    }
  }
  arrangeHelp(program, program.name(), isWhole)
  return program
}

const firstEnd = `
\`hookdrift help all\` lists the others.
Try it without a gateway: \`hookdrift demo\`, then \`hookdrift docs tutorial\`
Exit codes: 0 clean, 1 violations, 2 usage, 3 incomplete scan, 4 failure, 5 busy`

const wholeEnd = `
Exit codes: 0 clean, 1 violations, 2 usage or configuration, 3 incomplete scan,
            4 failure of hookdrift itself, 5 another process writes to the history,
            130/143 interrupted.
Environment: HOOKDRIFT_CONFIG, HOOKDRIFT_HISTORY, HOOKDRIFT_SEAL_KEY,
             HOOKDRIFT_LOG (trace, debug, info, warn, error, silent);
             without a configuration file: HOOKDRIFT_URL,
             HOOKDRIFT_KEY or HOOKDRIFT_KEY_FILE, HOOKDRIFT_PROJECTS (all, or ids),
             HOOKDRIFT_ORGANISATION (needed for all).
Documentation: hookdrift docs tutorial   the page to read first
               hookdrift docs            all pages; works offline`

/** Commander wraps lists of options and commands, where it thinks that there is room; all other lines are as written. */
function fitHelp(text: string, { stdout }: Pick<ProcessContext, 'stdout'>): string {
  const width = (stdout.isTTY === true && stdout.columns) || usualColumns
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n')
}

/** Adds a command to a line or a group, loaded where the words name it. */
async function addListed(
  parent: Command,
  name: string,
  listed: ListedCommand | ListedGroup,
  {
    commandWords,
    execute,
    isWhole,
  }: {
    /** Words that name a command, with its group. */
    readonly commandWords: readonly string[] | 'all'
    readonly execute: Execute
    /** Whether the help explains every option. */
    readonly isWhole: boolean
  },
): Promise<void> {
  const { description } = listed
  const isNamed = commandWords === 'all' || commandWords[0] === name
  if ('commands' in listed) {
    const group = parent.command(name).description(description)
    const below = commandWords === 'all' ? commandWords : isNamed ? commandWords.slice(1) : []
    for (const [word, each] of Object.entries(listed.commands)) {
      await addListed(group, word, each, { commandWords: below, execute, isWhole })
    }
    return
  }
  const { operands, load } = listed
  const hidden = description === ''
  if (!isNamed) {
    parent.command(`${name} ${operands}`, { hidden }).description(description)
    return
  }
  const define = await load()
  const command = parent.command(name, { hidden }).description(description)
  // Right below the options that are explained.
  if (!isWhole) command.addHelpText('after', () => nameOtherOptions(command))
  const act = define(command, (words) => commandLine(silent, words, execute))
  command.action(() =>
    // as: commander knows no types of what `define` declares.
    execute((terminal) => act(command.opts<never>(), terminal, ...(command.processedArgs as never[]))),
  )
}

const nowhere = { write: () => true, on: () => {} }
const silent = { stdout: nowhere, stderr: nowhere }

/**
 * Refuses an empty value, as `--history "$HISTORY"` gives where the variable is not set: otherwise the command would
 * silently use the default or the working directory.
 * @throws AuditError.usage when an argument or an option is empty
 */
function refuseEmpty(command: Command): void {
  const argument = command.registeredArguments.find((_, at) => isEmpty(command.args[at]))
  if (argument !== undefined) throw emptyError(argument.name().toUpperCase())
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
  const option = given.find((each) => each.defaultValue !== '' && isEmpty(command.getOptionValue(each.attributeName())))
  if (option !== undefined) throw emptyError(option.long ?? option.flags)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === ''
}

function emptyError(name: string): AuditError {
  return AuditError.usage(`${name} is empty`, {
    advice: 'is a shell variable not set? Remove the option, or give it a value',
  })
}

function holdsPassword(value: unknown): boolean {
  return typeof value === 'string' && value !== withoutPassword(value)
}

const passwordShown =
  'hookdrift: warning: the command line has a password, which other users may see in the list of processes\n  set HOOKDRIFT_HISTORY to the URL, or keep the password in PGPASSWORD or ~/.pgpass\n'
