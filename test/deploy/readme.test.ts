import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import type { Cases } from '../rules/rule-cases.ts'
import { checkout, textOf } from './build-image.ts'

const readme = textOf('README.md')
const [firstScreen = ''] = readme.split('\n## Use it\n')

describe('the first screen of the README', () => {
  const rows = [...firstScreen.matchAll(/^\| .+\[.+\]\[(\d)\].* \| (\w+) `(\w+)\/([\w-]+)` \((\d)\) \|$/gm)]

  it.each(rows.map(([, , severity = '', folder = '', name = '', number = '']) => [folder, name, severity, number]))(
    'shows of %s/%s what it finds in one of its cases',
    async (folder, name, severity, number) => {
      const [, message] = new RegExp(`^${number}\\. (.+)$`, 'm').exec(firstScreen) ?? []
      const { cases }: { cases: Cases } = await import(`../rules/${folder}/${name}.cases.ts`)
      const found = Object.values(cases).flatMap(({ finds = [] }) => finds)
      expect(found.map((text) => text.replace(/^(\w+) [^:]*: /, '$1: '))).toContain(`${severity}: ${message}`)
    },
  )

  it('has five of them, each with the report of who met it', () => {
    expect(rows).toHaveLength(5)
    for (const [, link] of rows) expect(firstScreen).toMatch(new RegExp(`^\\[${link}\\]: https://github\\.com/`, 'm'))
  })

  it('shows an audit in dark and in light, from pictures that are there', () => {
    const pictures = [...firstScreen.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path)
    expect(pictures).toHaveLength(2)
    for (const path of pictures) expect(existsSync(join(checkout, path))).toBe(true)
  })

  it('names the folder that the demo keeps, where the commands at its end work', async () => {
    using directory = openDirectory()
    const { stdout } = await command('demo', { cwd: directory.path, env: { NO_COLOR: '1' } })
    const [, folder = ''] = /They work in the folder `([\w-]+)`/.exec(firstScreen) ?? []
    expect(stdout).toMatch(new RegExp(`\\nWhat next\\n  cd ${folder} `))
    expect(existsSync(directory.file(folder))).toBe(true)
  })

  it('has no sample that is wider than 80 columns', () => {
    const samples = [...readme.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, text = '']) => text.split('\n'))
    expect(samples.filter((line) => line.length > 80)).toEqual([])
  })
})

it('names the command that tries hookdrift and the one that tests it, each alone in a sample', () => {
  const commands = [...readme.matchAll(/^```console\n\$ (.*)\n```$/gm)].map(([, command = '']) => command)
  expect(commands).toEqual(['npm ci && npm run -s hookdrift -- demo', 'npm ci && npm test'])
})
