import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { writeNewFile } from '../app/write-file-atomically.ts'
import { generateKeys } from '../attestation/keys.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { answerKeys, keysView } from '../questions/answer-writes.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions } from './query-options.ts'

export function defineKeygen(command: Command, execute: Execute): void {
  command.argument('<file>', 'file for the private key; the public key goes to FILE.pub')
  addAnswerOptions(command).action((file: string, options: AnswerOptions) =>
    execute((terminal) => keygen(file, options, terminal)),
  )
}

async function keygen(name: string, { format }: AnswerOptions, terminal: ProcessContext): Promise<number> {
  const file = resolve(terminal.cwd(), name)
  const { privatePem, publicPem } = generateKeys()
  writeKey(file, privatePem, 0o600)
  try {
    writeKey(`${file}.pub`, publicPem, 0o644)
  } catch (error) {
    // Half a pair is useless.
    rmSync(file, { force: true })
    throw error
  }
  return printAnswer(answerKeys(name), keysView, format, terminal)
}

/** @throws AuditError.usage where the file exists or cannot be written: then there is none */
function writeKey(file: string, text: string, mode: number): void {
  try {
    writeNewFile(file, text, mode)
  } catch (error) {
    throw AuditError.usage(`cannot make ${file}: ${reasonOf(error)}`, {
      advice: 'name a file that does not exist, in a directory that does',
    })
  }
}
