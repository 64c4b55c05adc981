import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDirectory, startHookdrift } from '../cli/start-process.ts'

/** A library that makes calls of the system fail, built by the compiler of this machine. */
const built = mkdtempSync(join(tmpdir(), 'hookdrift-'))
const library = join(built, 'faulty-disk.so')
const source = join(import.meta.dirname, 'faulty-disk.c')
const isBuilt = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).status === 0
afterAll(() => rmSync(built, { recursive: true, force: true }))

const { errno } = constants

describe.runIf(isBuilt && process.platform === 'linux')('a place without what SQLite needs', () => {
  it.each([
    ['memory', errno.ENODEV, 'this file system gives SQLite no shared memory', /PostgreSQL/],
    ['locks', errno.ENOLCK, 'this file system does not keep locks', /PostgreSQL/],
    ['locks', errno.EOPNOTSUPP, 'this file system does not keep locks', /PostgreSQL/],
    ['sync', errno.EIO, 'the disk does not confirm what was written', /log of the system/],
    ['write', errno.EDQUOT, 'the disk refuses what is written', /quota/],
    ['write', errno.ENOSPC, 'no space is left', /free space/i],
  ])(
    'that lacks %s (%i) is named by doctor and by the first audit, which leave nothing there',
    async (fault, number, what, advice) => {
      using directory = openDirectory()
      const project = '{ id: p1, name: payments }'
      directory.write(
        'hookdrift.yaml',
        `history: ./data/history.db\nservices: [{ name: acme, url: "http://127.0.0.1:1", key: "\${KEY}", projects: [${project}] }]\n`,
      )
      const env = { KEY: 'CO.notarealkeymask1.not-a-real-secret-part-of-a-key', HOOKDRIFT_SEAL_KEY: '0123'.repeat(16) }
      const faulty = { ...env, LD_PRELOAD: library, FAULT: fault, ERRNO: String(number) }
      const run = (...words: string[]) => startHookdrift(words, { cwd: directory.path, env: faulty }).ended
      const doctor = await run('doctor', '--format', 'json')
      const { rows } = JSON.parse(doctor.stdout)
      expect(rows.filter(({ check }: { check: string }) => check === 'history')).toMatchObject([
        { status: 'fail', detail: expect.stringContaining(what), remediation: expect.stringMatching(advice) },
      ])
      const audit = await run('audit')
      expect(audit.code).toBe(4)
      expect(audit.stderr.replaceAll(/\s+/g, ' ')).toContain(what)
      expect(audit.stderr.replaceAll(/\s+/g, ' ')).toMatch(advice)
      expect(readdirSync(directory.file('data'))).toEqual([])
    },
  )
})
