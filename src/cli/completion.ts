import { Argument, type Command } from 'commander'
import type { Execute } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { type Shell, scripts } from './completion/scripts.ts'

export function defineCompletion(command: Command, execute: Execute): void {
  command
    .addArgument(new Argument('<shell>', 'the shell that completes').choices(Object.keys(scripts)))
    .action((shell: Shell) =>
      execute(async ({ stdout }) => {
        stdout.write(scripts[shell])
        return exitCodes.clean
      }),
    )
}
