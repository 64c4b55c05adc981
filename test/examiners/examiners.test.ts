import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory } from '../cli/start-process.ts'
import { binaries, type Desk, examiners, install } from './examiners.ts'

describe('what others examine by their rules', () => {
  for (const [name, { install: needed, examine, spoilt, leftToTheOwner }] of Object.entries(examiners)) {
    it(`${name}: no fault, and one in what is spoilt`, { timeout: 600_000 }, async ({ skip }) => {
      using directory = openDirectory()
      const reason = needed && install(needed, directory.path)
      if (reason !== undefined) {
        // An examiner that is missing is named.
        console.warn(`SKIPPED ${name}: ${needed?.join(' ')} cannot be installed: ${reason}`)
        skip(reason)
      }
      const said = await examine(deskIn(directory, 'given', (text) => text))
      expect(said.filter((line) => leftToTheOwner?.test(line) !== true)).toEqual([])
      const found = await examine(deskIn(directory, 'spoilt', (text) => text.replaceAll(spoilt[0], spoilt[1])))
      expect(found.length).toBeGreaterThan(said.length)
    })
  }
})

function deskIn(
  { file }: Pick<ReturnType<typeof openDirectory>, 'file'>,
  name: string,
  asGiven: (text: string) => string,
): Desk {
  const path = file(name)
  mkdirSync(path)
  const PATH = [...binaries.map(file), process.env.PATH].join(delimiter)
  return {
    path,
    give(file, text) {
      writeFileSync(join(path, file), asGiven(text))
      return join(path, file)
    },
    run(program, args, input = '') {
      const { stdout, stderr, error } = spawnSync(program, args, {
        cwd: path,
        input,
        encoding: 'utf8',
        env: { ...process.env, PATH, NO_COLOR: '1' },
      })
      if (error !== undefined) throw error
      return `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
    },
  }
}
