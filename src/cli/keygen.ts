import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Command } from 'commander'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'

export function defineKeygen(program: Command, execute: Execute): void {
  program
    .command('keygen')
    .argument('<file>', 'the private key; FILE.pub gets the public one')
    .description('Make a pair of keys to attest reports with')
    .action((file: string) => execute((terminal) => keygen(file, terminal)))
}

async function keygen(name: string, { cwd, stdout }: ProcessContext): Promise<number> {
  const { generateKeys } = await import('../attestation/keys.ts')
  const file = pathFrom(cwd(), name)
  const { privatePem, publicPem } = generateKeys()
  writeNew(file, privatePem, 0o600)
  try {
    writeNew(`${file}.pub`, publicPem, 0o644)
  } catch (error) {
    // Half a pair is of no use to anyone.
    rmSync(file, { force: true })
    throw error
  }
  stdout.write(`${name} is the private key: keep it where reports are made, and nowhere else.\n`)
  stdout.write(`${name}.pub is the public one: give it to those who verify.\n`)
  return exitCodes.clean
}

/** Overwrites nothing. */
function writeNew(file: string, text: string, mode: number): void {
  try {
    const descriptor = openSync(file, 'wx', mode)
    writeSync(descriptor, text)
    closeSync(descriptor)
  } catch (error) {
    throw AuditError.usage(`cannot make ${file}: ${reasonOf(error)}`, {
      advice: 'name a file that is not there, in a directory that is',
    })
  }
}
