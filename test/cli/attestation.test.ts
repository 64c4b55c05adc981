import { createPublicKey, verify } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { startProgram } from './start-process.ts'

let cli: CliFixture
const at = (name: string) => cli.directory.file(name)
const run = (...args: string[]) => command(args, { cwd: cli.directory.path, env: {} })

/** Both runs that are needed, a pair of keys, and the report of the second with its attestation. */
beforeAll(async () => {
  cli = await openCliFixture()
  await cli.audit()
  await cli.audit()
  expect(await run('keygen', 'key')).toMatchObject({ code: 0 })
  const written = await run('report', '--history', 'hookdrift.db', '--report', 'json=out.json', '--attest', 'key')
  expect(written).toMatchObject({ code: 0, stderr: '' })
})
afterAll(() => cli[Symbol.asyncDispose]())

async function examine(...args: string[]) {
  const files = ['--report', 'out.json', '--attestation', 'out.json.intoto.json', '--key', 'key.pub']
  const { code, stdout, stderr } = await run('verify', '--format', 'json', ...files, ...args)
  if (stdout === '') return { code, stderr }
  const { schema, ok, checks } = JSON.parse(stdout)
  expect(schema).toBe('hookdrift.verify/2')
  return { code, ok, ...Object.fromEntries(checks.map((check: { id: string; ok: boolean }) => [check.id, check.ok])) }
}

/** Changes a file for the time of a check. */
async function changed<Seen>(name: string, change: (bytes: Buffer) => Buffer, check: () => Promise<Seen>) {
  const before = readFileSync(at(name))
  writeFileSync(at(name), change(Buffer.from(before)))
  try {
    return await check()
  } finally {
    writeFileSync(at(name), before)
  }
}

const flip = (bytes: Buffer) => {
  const place = bytes.length >> 1
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place)
  return bytes
}

describe('a file that is not an attestation', () => {
  it.each(['swordfish', '{"token":"swordfish"}', '{"payloadType":"swordfish","payload":"","signatures":[{"sig":""}]}'])(
    'is refused without being quoted: %s',
    async (text) => {
      writeFileSync(at('foreign'), text)
      const { stdout, stderr } = await run(
        'verify',
        '--report',
        'out.json',
        '--attestation',
        'foreign',
        '--key',
        'key.pub',
      )
      expect(stdout).toMatch(/FAILED {3}attestation/)
      expect(stdout + stderr).not.toContain('swordfish')
      const key = await run(
        'verify',
        '--report',
        'out.json',
        '--attestation',
        'out.json.intoto.json',
        '--key',
        'foreign',
      )
      expect(key.code).toBe(2)
      expect(key.stdout + key.stderr).not.toContain('swordfish')
    },
  )
})

describe('keygen', () => {
  it('writes a private key for its owner only and a public one next to it, and overwrites neither', async () => {
    expect(statSync(at('key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(at('key'), 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(readFileSync(at('key.pub'), 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    const before = readFileSync(at('key'))
    expect(await run('keygen', 'key')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is there already'),
    })
    cli.directory.write('other.pub', 'taken')
    expect(await run('keygen', 'other')).toMatchObject({ code: 2 })
    expect(() => statSync(at('other'))).toThrow(/ENOENT/)
    expect(readFileSync(at('key'))).toEqual(before)
  })

  it('leaves nothing of a pair that a full disk does not take', async () => {
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const script = 'ulimit -f 0 && "$0" "$@"'
    const args = ['-c', script, process.execPath, main, 'keygen', 'large']
    const { code, stderr } = await startProgram('sh', args, { cwd: cli.directory.path }).ended
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hookdrift: cannot make .*large: /)])
    expect(() => statSync(at('large'))).toThrow(/ENOENT/)
  })
})

describe('an attestation', () => {
  it('is an in-toto statement in a DSSE envelope, signed with Ed25519, of the report and the chain', () => {
    const { payloadType, payload, signatures } = JSON.parse(readFileSync(at('out.json.intoto.json'), 'utf8'))
    const body = Buffer.from(payload, 'base64')
    // Put together anew from the published form of the pre-authentication encoding.
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `, 'utf8'),
      body,
    ])
    const key = createPublicKey(readFileSync(at('key.pub')))
    expect(verify(null, signed, key, Buffer.from(signatures[0].sig, 'base64'))).toBe(true)
    const report = JSON.parse(readFileSync(at('out.json'), 'utf8'))
    expect(JSON.parse(body.toString())).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'out.json' }, { name: 'history/run/2', digest: { sha256: report.digests.chain } }],
      predicate: { run: { number: 2 }, digests: report.digests },
    })
  })

  it('verifies against its report and history, and says when no history was checked', async () => {
    const all = { code: 0, ok: true, report: true, attestation: true, key: true }
    expect(await examine('--history', 'hookdrift.db')).toEqual({ ...all, history: true })
    expect(await examine('--config', 'nowhere.yaml')).toEqual({ ...all, history: null })
  })

  it('says which of report, attestation, key and history does not verify', async () => {
    const all = { code: 4, ok: false, report: true, attestation: true, key: true, history: true }
    const ask = () => examine('--history', 'hookdrift.db')
    expect(await changed('out.json', flip, ask)).toEqual({ ...all, report: false })

    const forge = (bytes: Buffer) => {
      const envelope = JSON.parse(bytes.toString())
      const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
      statement.predicate.digests.policy = 'another'
      return Buffer.from(
        JSON.stringify({ ...envelope, payload: Buffer.from(JSON.stringify(statement)).toString('base64') }),
      )
    }
    expect(await changed('out.json.intoto.json', forge, ask)).toEqual({ ...all, attestation: false })

    await run('keygen', 'stranger')
    const stranger = () => readFileSync(at('stranger.pub'))
    expect(await changed('key.pub', stranger, ask)).toEqual({ ...all, attestation: null, key: false })

    const db = new Database(at('hookdrift.db'))
    db.exec("UPDATE walk SET items = items + 1 WHERE run = 1 AND listing = 'endpoints'")
    expect(await ask()).toEqual({ ...all, history: false })
    db.exec("UPDATE walk SET items = items - 1 WHERE run = 1 AND listing = 'endpoints'")
    db.close()
    expect(await ask()).toMatchObject({ ok: true })

    const noise = await changed('out.json.intoto.json', () => Buffer.from('{"payload": 1}'), ask)
    expect(noise).toEqual({ code: 4, ok: false, report: null, attestation: false, key: null, history: null })
  })

  it('is verified with all that --deep checks of the history', async () => {
    await run('note', 'deploy 4.2', '--history', 'hookdrift.db')
    const db = new Database(at('hookdrift.db'))
    db.exec("UPDATE recorded_note SET text = 'whsec_0123456789abcdef'")
    expect(await examine('--history', 'hookdrift.db')).toMatchObject({ ok: true })
    expect(await examine('--history', 'hookdrift.db', '--deep')).toMatchObject({ code: 4, history: false })
    db.exec('DELETE FROM recorded_note')
    db.close()
  })

  it('takes the place of neither a report nor the key that signs it', async () => {
    writeFileSync(at('own.intoto.json'), readFileSync(at('key')), { mode: 0o600 })
    const report = ['report', '--history', 'hookdrift.db', '--report']
    expect(await run(...report, 'json=own', '--attest', 'own.intoto.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('own.intoto.json is the private key, and is not replaced'),
    })
    expect(readFileSync(at('own.intoto.json'))).toEqual(readFileSync(at('key')))
    expect(await run(...report, 'json=x', '--report', 'text=x.intoto.json', '--attest', 'key')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two files would be written to'),
    })
  })

  it('refuses impossible combinations of options', async () => {
    const report = ['report', '--history', 'hookdrift.db']
    expect(await run(...report, '--attest', 'key')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--attest signs files, and no option writes one'),
    })
    const wrongKey = await run(...report, '--report', 'json=x.json', '--attest', 'hookdrift.yaml')
    expect(wrongKey).toMatchObject({ code: 2, stderr: expect.stringContaining('does not contain a private key') })
    expect(await run('verify', '--report', 'out.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--report, --attestation and --key go together'),
    })
    const files = ['--history', 'hookdrift.db', '--report', 'out.json', '--attestation', 'out.json.intoto.json']
    expect(await run('verify', ...files, '--key', 'key')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('contains a private key, expected the public one'),
    })
    expect(await run('verify', ...files, '--key', 'nowhere')).toMatchObject({ code: 2 })
  })
})
