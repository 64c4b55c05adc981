import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Command } from 'commander'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'

export function defineKeygen(program: Command, execute: Execute): void {
  program
    .command('keygen')
    .argument('<file>', 'the private key; the public key goes to FILE.pub')
    .description('Make a pair of keys for the attestation of reports')
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
    // Half a pair is useless.
    rmSync(file, { force: true })
    throw error
  }
  stdout.write(`${name} is the private key: keep it only where reports are made.\n`)
  stdout.write(`${name}.pub is the public key: give it to everyone who verifies reports.\n`)
  return exitCodes.clean
}

/** Fails where the file exists. */
function writeNew(file: string, text: string, mode: number): void {
  try {
    const descriptor = openSync(file, 'wx', mode)
    writeSync(descriptor, text)
    closeSync(descriptor)
  } catch (error) {
    throw AuditError.usage(`cannot make ${file}: ${reasonOf(error)}`, {
      advice: 'name a file that does not exist, in a directory that does',
    })
  }
}
