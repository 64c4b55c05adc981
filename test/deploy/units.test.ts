import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { complaintOf } from './parse-command.ts'

const folder = join(checkout, 'deploy/systemd')
const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name))
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const services = units.filter((name) => name.endsWith('.service'))
const installed = '/usr/local/bin/hookdrift'

const hasSystemd = (() => {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe('the systemd units', () => {
  it.each(services)('%s starts the program with arguments that it knows', async (name) => {
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(textOf(name)) ?? []
    const [program, ...args] = command.split(' ')
    expect(program).toBe(installed)
    expect(await complaintOf(args)).toBe('')
  })

  it('accept the exit codes of a stop as success, and restart nothing that a person must fix', () => {
    const worker = textOf('hookdrift-worker.service')
    expect(worker).toMatch(/^SuccessExitStatus=143$/m)
    expect(worker).toMatch(/^RestartPreventExitStatus=2$/m)
    expect(textOf('hookdrift-audit.service')).not.toMatch(/^Restart=/m)
  })

  it('share their user, state directory and restrictions', () => {
    const [one, other] = services.map((name) => {
      const lines = textOf(name).split('\n')
      return lines.filter(
        (line) =>
          /^(User|Group|WorkingDirectory|State|UMask|Environment|No|Cap|Amb|Pro|Pri|Res|Lock|Rem|Sys)/.test(line) &&
          !/^(Restart)/.test(line),
      )
    })
    expect(one).toEqual(other)
    expect(one?.length).toBeGreaterThan(25)
  })

  it.skipIf(!hasSystemd)('are valid for systemd, and expose little', () => {
    using directory = openDirectory()
    // The program as it would be installed: systemd checks whether the file exists.
    const program = directory.write('hookdrift', '#!/bin/sh\n')
    execFileSync('chmod', ['755', program])
    mkdirSync(directory.file('units'))
    const files = units.map((name) => directory.write(`units/${name}`, textOf(name).replaceAll(installed, program)))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const broken = directory.write('units/broken.service', '[Service]\nExecStart=/bin/true\nProtectSytem=strict\n')
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', broken], { encoding: 'utf8' }).stderr).toContain(
      'ProtectSytem',
    )
    for (const file of files.filter((name) => name.endsWith('.service'))) {
      const args = ['security', '--offline=yes', '--threshold=20', '--no-pager', file]
      expect(spawnSync('systemd-analyze', args, { encoding: 'utf8' })).toMatchObject({ status: 0 })
    }
  })
})
