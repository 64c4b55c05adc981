import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeFileAtomically } from '../../src/app/write-file-atomically.ts'
import { openDirectory, startProgram } from '../cli/start-process.ts'

describe('writing a file atomically', () => {
  it('replaces the file, leaves no other file, and makes it readable for its owner only', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('report'), 'old')
    writeFileAtomically(directory.file('report'), 'new')
    expect(readFileSync(directory.file('report'), 'utf8')).toBe('new')
    expect(lstatSync(directory.file('report')).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory.path)).toEqual(['report'])
  })

  it('gives the rights that it is given, under any umask', async () => {
    using directory = openDirectory()
    const module = new URL('../../src/app/write-file-atomically.ts', import.meta.url).href
    const script = `process.umask(0o077)
      const { writeFileAtomically } = await import(${JSON.stringify(module)})
      for (const mode of [0o644, 0o600]) writeFileAtomically(mode.toString(8), 'new', { mode })`
    await startProgram(process.execPath, ['--input-type=module', '-e', script], { cwd: directory.path }).ended
    expect(['644', '600'].map((name) => lstatSync(directory.file(name)).mode & 0o777)).toEqual([0o644, 0o600])
  })

  it('follows no link that was planted in place of its draft', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('victim'), 'old')
    symlinkSync('victim', directory.file(`report.${process.pid}.tmp`))
    writeFileAtomically(directory.file('report'), 'new')
    expect(readFileSync(directory.file('victim'), 'utf8')).toBe('old')
    expect(readFileSync(directory.file('report'), 'utf8')).toBe('new')
  })

  it('writes through a link to the target file', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('real'), 'old')
    symlinkSync('real', directory.file('link'))
    writeFileAtomically(directory.file('link'), 'new')
    expect(readlinkSync(directory.file('link'))).toBe('real')
    expect(readFileSync(directory.file('real'), 'utf8')).toBe('new')
  })

  it('writes through links to a file that is not there yet', () => {
    using directory = openDirectory()
    symlinkSync('real', directory.file('middle'))
    symlinkSync('middle', directory.file('link'))
    writeFileAtomically(directory.file('link'), 'new')
    expect(readlinkSync(directory.file('link'))).toBe('middle')
    expect(readFileSync(directory.file('real'), 'utf8')).toBe('new')
  })

  it.skipIf(!existsSync('/dev/null'))('writes to a device without replacing it', () => {
    using directory = openDirectory()
    symlinkSync('/dev/null', directory.file('nothing'))
    writeFileAtomically(directory.file('nothing'), 'text')
    expect(readlinkSync(directory.file('nothing'))).toBe('/dev/null')
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it.each([
    ['/dev/stdout', '>>'],
    ['/dev/fd/2', '2>>'],
  ])('adds to the file that a shell redirected %s to', async (name, redirection) => {
    using directory = openDirectory()
    writeFileSync(directory.file('log'), 'earlier\n')
    const module = new URL('../../src/app/write-file-atomically.ts', import.meta.url).href
    const script = `import { writeSync } from 'node:fs'
      import { writeFileAtomically } from ${JSON.stringify(module)}
      for (const text of ['before\\n', 'after\\n']) {
        writeSync(${redirection === '>>' ? 1 : 2}, text)
        if (text === 'before\\n') writeFileAtomically('${name}', 'report\\n')
      }`
    const words = [process.execPath, '--input-type=module', '-e', script]
    await startProgram('sh', ['-c', `exec "$@" ${redirection} log`, 'sh', ...words], { cwd: directory.path }).ended
    expect(readFileSync(directory.file('log'), 'utf8')).toBe('earlier\nbefore\nreport\nafter\n')
    expect(readdirSync(directory.path)).toEqual(['log'])
  })

  it('removes drafts of killed processes and keeps those of running ones', async () => {
    using directory = openDirectory()
    const module = new URL('../../src/app/write-file-atomically.ts', import.meta.url).href
    // Its draft is there when it is killed: the file system holds up what comes after.
    const script = `import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      fs.renameSync = () => { console.log('at work'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }
      syncBuiltinESMExports()
      const { writeFileAtomically } = await import(${JSON.stringify(module)})
      writeFileAtomically(${JSON.stringify(directory.file('report'))}, 'new')`
    const start = async () => {
      const running = startProgram(process.execPath, ['--input-type=module', '-e', script], { cwd: directory.path })
      await once(running.child.stdout ?? running.child, 'data')
      return running
    }
    const drafts = () => readdirSync(directory.path).filter((name) => name.endsWith('.tmp'))
    const killed = await start()
    killed.child.kill('SIGKILL')
    await killed.ended
    const [abandoned] = drafts()
    const alive = await start()
    const [kept, ...others] = drafts()
    expect([others, kept === abandoned]).toEqual([[], false])
    writeFileSync(directory.file('letter.0123456789ab.tmp'), 'another process wrote this a moment ago')
    writeFileAtomically(directory.file('report'), 'new')
    expect(drafts()).toEqual(['letter.0123456789ab.tmp', kept])
    alive.child.kill('SIGKILL')
    await alive.ended
  })

  it('names the path once in the error when the file cannot be written', () => {
    using directory = openDirectory()
    const file = directory.file('nowhere/report')
    expect(() => writeFileAtomically(file, 'text')).toThrow(
      `cannot write the report to ${file}: no such file or directory`,
    )
  })
})
