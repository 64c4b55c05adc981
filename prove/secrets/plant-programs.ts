import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLiterals } from '../../src/gateway/inventory/seal-code.ts'
import type { Canaries } from './canaries.ts'

interface Program {
  readonly function: number
  readonly tool: string
  readonly canaries: readonly string[]
  readonly text: string
}

const file = join(import.meta.dirname, '../../test/fixtures/programs.json')

/** Programs in the forms that formatters and minifiers make, each with secrets of its own. */
export function plantPrograms(canaries: Canaries, every: number): string[] {
  const programs: readonly Program[] = JSON.parse(readFileSync(file, 'utf8'))
  return programs.filter((_, index) => index % every === 0).map((program) => plantOne(program, canaries))
}

function plantOne({ function: number, tool, canaries: planted, text }: Program, canaries: Canaries): string {
  const names = findLiterals(text)?.names ?? []
  const secrets = planted.filter((secret) => !names.includes(secret) && !/^\d+$/.test(secret))
  return secrets.reduce(
    (rest, secret) => rest.replaceAll(secret, canaries.odd(`a program: function ${number}, ${tool}`)),
    text,
  )
}
