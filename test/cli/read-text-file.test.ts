import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readTextFile } from '../../src/app/read-text-file.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const configuration = (more = '') => `services:
  - name: acme
    url: https://hooks.example.com
    key: \${ACME_KEY}
${more}    projects: [{ id: p1 }]
`

function openCliFixture() {
  const directory = openDirectory()
  execFileSync('mkfifo', [directory.file('pipe')])
  return { ...directory, [Symbol.dispose]: directory[Symbol.dispose] }
}

describe('a text file', () => {
  it('is read through a link, up to a limit that the error names', () => {
    using directory = openDirectory()
    directory.write('real', 'x'.repeat(2048))
    symlinkSync('real', directory.file('link'))
    expect(readTextFile(directory.file('link'))).toBe('x'.repeat(2048))
    expect(() => readTextFile(directory.file('link'), 1024)).toThrow('it is larger than 1 KiB, the limit')
  })

  it('must be UTF-8', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('policy.yaml'), Buffer.from('custom: [] # für', 'latin1'))
    expect(() => readTextFile(directory.file('policy.yaml'))).toThrow('it is not UTF-8')
    // The beginning of a certificate as Windows exports it.
    writeFileSync(directory.file('ca.cer'), Buffer.from('308202be30820244a0030201', 'hex'))
    expect(() => readTextFile(directory.file('ca.cer'))).toThrow(
      'it is in DER form: convert it to PEM, such as with `openssl x509 -inform der`',
    )
    directory.write('policy.yaml', '\ufeffcustom: [] # für')
    expect(readTextFile(directory.file('policy.yaml'))).toContain('für')
  })

  it('must not be a pipe, socket, device or directory', async () => {
    using directory = openCliFixture()
    const server = createServer().listen(directory.file('socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    const expected = 'expected a regular file: write its content to a file first'
    expect(() => readTextFile(directory.file('pipe'))).toThrow(`it is a pipe, ${expected}`)
    expect(() => readTextFile(directory.file('socket'))).toThrow(`it is a socket, ${expected}`)
    if (existsSync('/dev/zero')) expect(() => readTextFile('/dev/zero')).toThrow(`it is a device, ${expected}`)
    expect(() => readTextFile(directory.path)).toThrow('it is a directory')
    server.close()
  })
})

describe('a pipe in place of a file is refused at once, with its path', () => {
  const key = configuration().replace('ACME_KEY', 'file:./pipe')
  it.each<[what: string, files: Readonly<Record<string, string>>, line: string, said: string]>([
    ['the configuration', {}, 'audit --config pipe', 'cannot read the configuration pipe: it is a pipe'],
    ['a key', { 'c.yaml': key }, 'audit --config c.yaml', 'c.yaml:4:10: cannot read ./pipe: it is a pipe'],
    [
      'the certificates of a service',
      { 'c.yaml': configuration('    ca_file: ./pipe\n') },
      'audit --config c.yaml',
      'c.yaml:5:14: cannot read ./pipe: it is a pipe',
    ],
    ['the policy', { 'c.yaml': `policy: ./pipe\n${configuration()}` }, 'audit --config c.yaml', '/pipe: it is a pipe'],
    [
      'an extended policy',
      { 'p.yaml': 'extends: [./pipe]\n' },
      'policy check p.yaml',
      'p.yaml:1:11: cannot read `./pipe`: it is a pipe',
    ],
    ['tests of a policy', { 'p.yaml': 'tests: [./pipe]\n' }, 'policy check p.yaml', '/pipe: it is a pipe'],
    [
      'the payload of a probe',
      { 'p.yaml': 'probes: [{ name: a, match: { uid: a }, function: body, payload: ./pipe }]\n' },
      'policy check p.yaml',
      '/pipe: it is a pipe',
    ],
    ['a framework', {}, 'report --framework ./pipe --history x.db', '/pipe: it is a pipe'],
    ['the history', {}, 'runs --history pipe', '/pipe: it is not a regular file'],
    ['the history to examine', {}, 'verify --history pipe', '/pipe: it is not a regular file'],
  ])('%s', async (_, files, line, said) => {
    using directory = openCliFixture()
    for (const [name, text] of Object.entries(files)) directory.write(name, text)
    const env = { ACME_KEY: 'not-a-real-key', HOOKDRIFT_LOG: 'silent' }
    const at = line.replace(/(?<=--config |check )\S+/, (name) => directory.file(name))
    const { code, stderr } = await command(at, { cwd: directory.path, env })
    expect({
      code: code === 2 || code === 4,
      stderr: stderr
        .replaceAll(`${directory.path}/c.yaml`, 'c.yaml')
        .replaceAll(`configuration ${directory.path}/pipe`, 'configuration pipe'),
    }).toEqual({
      code: true,
      stderr: expect.stringContaining(said),
    })
  })

  it('the states that a run is compared with', async () => {
    using directory = openCliFixture()
    directory.write('c.yaml', configuration())
    execFileSync('mkdir', [directory.file('states')])
    execFileSync('mkfifo', [directory.file('states/acme--p1.yaml')])
    const env = { ACME_KEY: 'not-a-real-key', HOOKDRIFT_LOG: 'silent' }
    const line = `audit --config ${directory.file('c.yaml')} --expect states`
    expect(await command(line, { cwd: directory.path, env })).toMatchObject(refusal('acme--p1.yaml: it is a pipe'))
  })

  it('the installation key', async () => {
    using directory = openCliFixture()
    directory.write('c.yaml', configuration())
    execFileSync('mkfifo', [directory.file('hookdrift.key')])
    const env = { ACME_KEY: 'not-a-real-key', HOOKDRIFT_LOG: 'silent' }
    expect(await command(`audit --config ${directory.file('c.yaml')}`, { cwd: directory.path, env })).toMatchObject(
      refusal('hookdrift.key: it is a pipe', 4),
    )
  })
})
