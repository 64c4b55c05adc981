import type { Command } from 'commander'
import { argumentsOf } from '../../src/cli/help.ts'
import { buildCommandLine, sentence } from './command-tree.ts'

const intro = `# Command line

\`hookdrift COMMAND --help\` and \`man hookdrift\` describe each command with its options and examples. Generated from the
program by \`npm run reference\`.

All commands exit as [exit codes](errors.md#exit-codes) says. An option comes before a variable, and a variable
before a default: \`--config\`, \`HOOKDRIFT_CONFIG\`, \`hookdrift.yaml\`. All variables are in
[the configuration](configuration.md#environment). \`hookdrift completion bash\` prints a script with which a shell completes
all of this ([install](../how-to/install.md#completion)). \`-v\` and \`-V\` are \`--version\`; \`HOOKDRIFT_LOG=debug\` logs
what a run does in detail.

Each command takes \`--color auto|always|never\`. \`auto\` means colour on a terminal, unless \`NO_COLOR\` is set or \`TERM\`
is \`dumb\`. \`FORCE_COLOR\` or \`CLICOLOR_FORCE\` means colour in a pipe, too; \`NO_COLOR\`
comes before both, and \`0\` in them means none. Files of \`--report\` and \`--output\` have none.
`

/** The page that lists every command with its arguments. */
export async function commandLinePage(): Promise<string> {
  return [intro, ...entriesOf(await buildCommandLine(), ''), ''].join('\n')
}

function entriesOf(parent: Command, prefix: string): readonly string[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`
      const inner = entriesOf(command, `${name} `)
      if (inner.length > 0) return inner
      return [`- \`${[name, ...argumentsOf(command)].join(' ')}\`: ${sentence(command.description())}`]
    })
}
