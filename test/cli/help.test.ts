import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildCommandLine } from '../../scripts/reference/command-tree.ts'
import { commandLine } from '../../src/cli/command-line.ts'
import { pagePaths, readPage } from '../../src/cli/docs.ts'
import { argumentsOf, readExamples, usualCommands } from '../../src/cli/help.ts'
import { answerPage, topicsOf } from '../../src/questions/answer-docs.ts'
import { complaintOf, wordsIn } from '../deploy/parse-command.ts'
import { command } from './run-in-process.ts'

const cwd = import.meta.dirname
const checkout = join(cwd, '../..')
const help = async (name = '') => (await command(`${name} --help`, { cwd })).stdout

function namesIn(parent: Command, prefix = ''): readonly string[] {
  const children = parent.createHelp().visibleCommands(parent)
  return children.flatMap((child) => {
    const name = `${prefix}${child.name()}`
    return child.name() === 'help' ? [] : [name, ...namesIn(child, `${name} `)]
  })
}
const names = namesIn(await buildCommandLine())
const silent = { write: () => true, on: () => {} }
const listedIn = (parent: Command): readonly string[] =>
  parent.commands.flatMap((child) => [[child.name(), ...argumentsOf(child)].join(' '), ...listedIn(child)])

describe('the help', () => {
  it('fits a screen, with a dozen commands in the order of a week, a line each', async () => {
    const lines = (await help()).trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => line.startsWith('  ')).map((line) => line.trim().split(' ')[0])).toEqual(
      usualCommands,
    )
    expect(lines).toContainEqual(expect.stringContaining('`hookdrift help all` lists the others'))
    expect(lines).toContainEqual(expect.stringContaining('Try it without a gateway: `hookdrift demo`'))
    expect((await command('help', { cwd })).stdout).toBe(await help())
  })

  it.each(['help all', '--help all', '-h all'])('has every command in a group: %s', async (line) => {
    const { code, stdout } = await command(line, { cwd })
    expect(code).toBe(0)
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name.replace(/ .*/, '')}( |$)`, 'm'))
    const groups = stdout.match(/^[A-Z][a-z ]+:$/gm)
    const own = ['Start:', 'Audit:', 'Ask the history:', 'Policy:', 'Keep the history:', 'Notify:', 'Help:']
    expect(groups).toEqual(['Options:', ...own])
  })

  it('has no group and no command that is not for people', async () => {
    expect((await command('help all', { cwd })).stdout).not.toMatch(/__complete|__proxy-for/)
  })

  it('points to the documentation', async () => {
    expect(await help()).toContain('hookdrift docs tutorial')
    expect(await help('audit')).toContain('Read more: `hookdrift docs connect-a-service`')
  })

  it("lists a command's own options first, and those of most commands last", async () => {
    const { stdout: text } = await command('violations --help all', { cwd })
    const at = (option: string) => text.indexOf(option)
    expect(at('--open')).toBeLessThan(at('Rare options:'))
    expect(at('Rare options:')).toBeLessThan(at('--overdue'))
    expect(at('--overdue')).toBeLessThan(at('Common options:'))
    expect(at('Common options:')).toBeLessThan(at('-p, --project'))
    expect(at('-p, --project')).toBeLessThan(at('-c, --config'))
    expect(at('-c, --config')).toBeLessThan(at('-h, --help'))
  })

  it.each(names.map((name) => [name, name === 'audit' ? 24 : 30] as const))(
    'of %s fits a screen of 80 columns, and names the options that it does not explain',
    async (name, most) => {
      const { stdout } = await command(`${name} --help`, { cwd, columns: 80 })
      const lines = stdout.trimEnd().split('\n')
      expect(lines.filter((line) => line.length > 80)).toEqual([])
      expect(lines.length).toBeLessThanOrEqual(most)
      const { stdout: whole } = await command(`help ${name} all`, { cwd, columns: 80 })
      if (!name.includes(' ')) expect((await command(`${name} --help all`, { cwd, columns: 80 })).stdout).toBe(whole)
      const { stdout: all } = await command(`${name} --help all`, { cwd, columns: 80 })
      for (const [option] of all.matchAll(/^ {2}(?:-\w, )?--[a-z-]+/gm)) {
        const [, long = ''] = /(--[a-z-]+)$/.exec(option) ?? []
        if (long !== '--help') expect(stdout).toContain(long)
      }
    },
  )

  it('lists each command with the arguments that its own file declares', async () => {
    const listed = await commandLine({ stdout: silent, stderr: silent }, [], async () => {})
    const loaded = await buildCommandLine()
    expect(listedIn(listed)).toEqual(listedIn(loaded))
  })

  it('has examples for every command and every group of commands', () => {
    expect(Object.keys(readExamples()).sort()).toEqual([...names].sort())
  })

  const lines = Object.entries(readExamples()).flatMap(([name, { lines }]) =>
    lines.map(([line = '']) => [name, line] as const),
  )
  it.each(lines)('shows an example of %s that the program takes: %s', async (name, line) => {
    const words = wordsIn(line.replace(/ >.*$/, ''))
    expect(words.join(' ')).toMatch(new RegExp(`^${name}( |$)`))
    expect(await complaintOf(words)).toBe('')
  })

  it.each(Object.entries(readExamples()))('names pages that there are: %s', (_, { docs }) => {
    const topics = topicsOf(pagePaths())
    for (const page of docs) expect(answerPage(page, topics, readPage).rows).toHaveLength(1)
  })
})

describe('messages of the program', () => {
  const source = join(checkout, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const textOf = (file: string) => readFileSync(join(source, file), 'utf8').replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, '')

  it('name pages as `hookdrift docs` shows them, for people without a checkout', () => {
    expect(files.filter((file) => /docs\/(how-to|reference|explanation)\/[a-z-]+\.md/.test(textOf(file)))).toEqual([])
    const named = files.flatMap((file) =>
      [...textOf(file).matchAll(/hookdrift docs ([a-z][\w#-]*)/g)].map(([, topic = '']) => topic),
    )
    expect(named.length).toBeGreaterThan(10)
    const topics = topicsOf(pagePaths())
    for (const topic of new Set(named)) expect(answerPage(topic, topics, readPage).rows).toHaveLength(1)
  })
})

describe('short options', () => {
  it.each(['audit -c x.yaml -p a -f json -o r.json -q', 'runs -n 5 -f csv', 'policy explain u -p a/b'])(
    'are known: %s',
    async (line) => {
      expect(await complaintOf(wordsIn(line))).toBe('')
    },
  )

  it.each([['-v'], ['-V'], ['--version']])('%s prints the version', async (word) => {
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    expect(await command([word], { cwd })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('the man page', () => {
  const page = join(checkout, 'man/hookdrift.1')

  it('has every command and comes with the package', () => {
    const text = readFileSync(page, 'utf8').replaceAll('\\-', '-')
    for (const name of names) expect(text).toContain(`.SS "hookdrift ${name}`)
    const { man, files } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    // npm makes the links for `man` from a list only.
    expect({ man, isShipped: files.includes('man') }).toEqual({ man: ['./man/hookdrift.1'], isShipped: true })
  })

  it.skipIf(!existsSync('/usr/bin/mandoc'))('is what mandoc accepts', () => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-W', 'warning', page], { encoding: 'utf8' })
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
    const shown = execFileSync('mandoc', ['-Tascii', page], { encoding: 'utf8' }).replace(/.\x08/g, '')
    expect(shown).toContain('hookdrift timeline 01M2T1DQZ9G1WK3R3HA7HW467P')
  })
})
