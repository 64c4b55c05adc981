import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../../src/cli/command-line.ts'
import { locateCommands, locatingOptions } from '../../src/report/text/commands.ts'

const both = { config: 'conf/hookdrift.yaml', history: "my history's.db" }

/** All commands by their words, such as `policy check`, with their long options. */
async function optionsOfCommands(): Promise<ReadonlyMap<string, readonly string[]>> {
  const nowhere = { write: () => true, on: () => {} }
  const program = await commandLine({ stdout: nowhere, stderr: nowhere }, 'all', async () => {})
  const namesOf = (command: Command, words: readonly string[]): [string, readonly string[]][] =>
    command.commands.flatMap((each) => {
      const name = [...words, each.name()]
      if (each.commands.length > 0) return namesOf(each, name)
      return [[name.join(' '), each.options.map(({ long }) => long ?? '')]]
    })
  return new Map(namesOf(program, []))
}

describe('a command to be copied', () => {
  it('has the options that it takes, for each command of the program', async () => {
    const commands = await optionsOfCommands()
    expect(commands.size).toBeGreaterThan(40)
    for (const [name, options] of commands) {
      const located = locateCommands(`run \`hookdrift ${name}\``, both)
      const [config, history] = [options.includes('--config'), options.includes('--history')]
      expect([name, located.includes('--config'), located.includes('--history')]).toEqual([
        name,
        config,
        // A demo keeps its history in a new file.
        history && name !== 'demo',
      ])
    }
  })

  it('has its options before its own words, each quoted for a shell', () => {
    expect(locateCommands('Run `hookdrift restore 01M --run 3`, then `hookdrift rules endpoint/x`.', both)).toBe(
      "Run `hookdrift restore --config conf/hookdrift.yaml --history 'my history'\\''s.db' 01M --run 3`, then `hookdrift rules endpoint/x`.",
    )
    expect(locatingOptions('status', { history: '~other.db' })).toBe(" --history '~other.db'")
  })

  it('is as it was where foreign text may have cut it', () => {
    const uid = 'a`x`hookdrift status`b'
    const text = `it is \`hookdrift timeline '${uid}'\``
    expect(locateCommands(text, { config: 'a b; id' })).toBe(text)
  })

  it('is as it was where nothing was named, outside of backticks and for a group alone', () => {
    const text = 'hookdrift status, `hookdrift policy`, `hookdrift --help` and `status`'
    expect(locateCommands(text, both)).toBe(text)
    expect(locateCommands('`hookdrift status`', {})).toBe('`hookdrift status`')
    expect(locateCommands('`hookdrift verify --history old.db`', both)).toBe('`hookdrift verify --history old.db`')
  })
})
