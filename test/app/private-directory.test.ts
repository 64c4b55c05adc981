import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../../src/app/private-directory.ts')
const program = `
  const { openPrivateDirectory } = await import(${JSON.stringify(source)})
  console.log(openPrivateDirectory('hookdrift-private-').path)
  setInterval(() => {}, 1000)
`

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('a private directory is removed when %s ends the process', async (signal, exitCode) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const path = String(line).trim()
  expect(existsSync(path)).toBe(true)
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([exitCode, null])
  expect(existsSync(path)).toBe(false)
})
