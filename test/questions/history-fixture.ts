import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FleetFixtureOptions, openFleetFixture } from '../audit/fleet-fixture.ts'
import { type Answer, command } from '../cli/run-in-process.ts'
import { type CommandLine, wordsOf } from '../cli/start-process.ts'

/** A fleet fixture, and command lines that ask its history. */
export async function openHistoryFixture(options: FleetFixtureOptions) {
  const fixture = await openFleetFixture(options)
  const { directory, file } = fixture.harness
  const ask = (line: CommandLine, more: { columns?: number; env?: Record<string, string> } = {}) =>
    command([...wordsOf(line), '--history', file], { cwd: directory, ...more })
  return {
    fixture,
    ask,
    /** The answer as JSON; fails unless the command ends with 0. */
    async rows(line: CommandLine): Promise<Answer> {
      const { code, stdout, stderr } = await ask([...wordsOf(line), '--format', 'json'])
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    write(name: string, text: string) {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

export type HistoryFixture = Awaited<ReturnType<typeof openHistoryFixture>>
