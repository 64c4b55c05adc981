import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeFileAtomically } from '../../src/cli/write-file-atomically.ts'
import { openDirectory } from './a-process.ts'

describe('a file that is written whole', () => {
  it('replaces what was there and leaves nothing else, readable for its owner only', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('report'), 'old')
    writeFileAtomically(directory.file('report'), 'new')
    expect(readFileSync(directory.file('report'), 'utf8')).toBe('new')
    expect(lstatSync(directory.file('report')).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory.path)).toEqual(['report'])
  })

  it('writes through no link that was laid in the place of its draft', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('victim'), 'old')
    symlinkSync('victim', directory.file(`report.${process.pid}.tmp`))
    writeFileAtomically(directory.file('report'), 'new')
    expect(readFileSync(directory.file('victim'), 'utf8')).toBe('old')
    expect(readFileSync(directory.file('report'), 'utf8')).toBe('new')
  })

  it('goes through a link to the file that is meant', () => {
    using directory = openDirectory()
    writeFileSync(directory.file('real'), 'old')
    symlinkSync('real', directory.file('link'))
    writeFileAtomically(directory.file('link'), 'new')
    expect(readlinkSync(directory.file('link'))).toBe('real')
    expect(readFileSync(directory.file('real'), 'utf8')).toBe('new')
  })

  it.skipIf(!existsSync('/dev/null'))('writes to a device and does not take its place', () => {
    using directory = openDirectory()
    symlinkSync('/dev/null', directory.file('nothing'))
    writeFileAtomically(directory.file('nothing'), 'text')
    expect(readlinkSync(directory.file('nothing'))).toBe('/dev/null')
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('says why it cannot be written, without the path twice', () => {
    using directory = openDirectory()
    const file = directory.file('nowhere/report')
    expect(() => writeFileAtomically(file, 'text')).toThrow(
      `cannot write the report to ${file}: no such file or directory`,
    )
  })
})
