import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDirectory, startProgram } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'

const script = (name: string) => join(checkout, 'deploy/ci', name)
/** Options of the programs that the scripts call, and what some of them take for stdin. */
const dashed = ['--help', '--version', '-v', '-e', '-', '--files']

describe('the scripts for CI', () => {
  let directory: ReturnType<typeof openDirectory>
  let path: string
  beforeEach(() => {
    directory = openDirectory()
    const bin = directory.file('bin')
    mkdirSync(bin)
    // It says how it was called, and reports.
    for (const name of ['hookdrift', 'npm']) {
      const program = `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done >>'${directory.file(`${name}.log`)}'\n`
      writeFileSync(join(bin, name), program, { mode: 0o755 })
    }
    path = [bin, process.env.PATH].join(delimiter)
  })
  afterEach(() => directory[Symbol.dispose]())

  const run = (name: string, env: Readonly<Record<string, string>>) =>
    startProgram('sh', [script(name)], { cwd: directory.path, env: { ...env, PATH: path } }).ended
  const calls = (name: string) => {
    const file = directory.file(`${name}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : undefined
  }

  it.each(dashed)('find the seal key in a configuration called %s', async (name) => {
    const without = await run('audit.sh', { AUDIT_HISTORY: 'h.db', AUDIT_REPORTS: 'reports', AUDIT_CONFIG: name })
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('HOOKDRIFT_SEAL_KEY is not set')
    expect(calls('hookdrift')).toBe(undefined)
    directory.write(name, 'history: h.db\n')
    expect((await run('audit.sh', { AUDIT_HISTORY: 'h.db', AUDIT_REPORTS: 'r', AUDIT_CONFIG: name })).code).toBe(2)
    directory.write(name, 'seal_key: not-a-real-key\n')
    expect(await run('audit.sh', { AUDIT_HISTORY: 'h.db', AUDIT_REPORTS: 'r', AUDIT_CONFIG: name })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(calls('hookdrift')).toContain(`--config=${name}`)
  })

  it.each(['"seal_key": k', "'seal_key' : k", '{"policy": "p", "seal_key": "k"}', '{\n  "seal_key": "k" }'])(
    'find the seal key in %j, as YAML and JSON may write it',
    async (text) => {
      directory.write('hookdrift.yaml', `${text}\n`)
      const { code, stderr } = await run('audit.sh', { AUDIT_HISTORY: 'h.db', AUDIT_REPORTS: 'r' })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      directory.write('hookdrift.yaml', `# ${text.replace(/\n/g, '')}\nother_seal_key: k\n`)
      expect((await run('audit.sh', { AUDIT_HISTORY: 'h.db', AUDIT_REPORTS: 'r' })).code).toBe(2)
    },
  )

  it.each(dashed)('audit into a history, reports and projects called %s', async (name) => {
    const env = { HOOKDRIFT_SEAL_KEY: 'not-a-real-key', AUDIT_CONFIG: '', AUDIT_FAIL_ON: name, AUDIT_PROJECTS: name }
    const { code, stderr } = await run('audit.sh', {
      ...env,
      AUDIT_HISTORY: `${name}x/h.db`,
      AUDIT_REPORTS: `${name}y`,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect([existsSync(directory.file(`${name}x`)), existsSync(directory.file(`${name}y/hookdrift.md`))]).toEqual([
      true,
      true,
    ])
    const words = [`--history=${name}x/h.db`, `--fail-on=${name}`, `--project=${name}`]
    expect(calls('hookdrift')).toEqual(expect.arrayContaining(words))
  })

  it.each(dashed)('install a package called %s.tgz', async (name) => {
    directory.write(`${name}.tgz`, '')
    const prefix = `${name}p`
    const bin = directory.file(`${prefix}/node_modules/.bin`)
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'hookdrift'), '#!/bin/sh\n', { mode: 0o755 })
    const { code, stderr } = await run('install.sh', { AUDIT_PREFIX: prefix, AUDIT_PACKAGE: `${name}.tgz` })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(calls('npm')).toEqual(expect.arrayContaining([directory.file(prefix), directory.file(`${name}.tgz`)]))
  })
})
