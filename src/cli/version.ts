import type { Command } from 'commander'
import type { Execute } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'

export function defineVersion(command: Command, execute: Execute): void {
  command.action(() =>
    execute(async ({ stdout }) => {
      stdout.write(`${toolVersion()}\n`)
      return exitCodes.clean
    }),
  )
}
