import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refuseExisting, writeFiles } from '../../src/cli/init/run-init.ts'
import { openDirectory } from '../cli/start-process.ts'

const files = [
  { path: 'a.yaml', text: 'a: 1\n' },
  { path: 'one/two/b.yaml', text: 'b: 1\n' },
  { path: 'one/c.yaml', text: 'c: 1\n' },
]
const paths = files.map(({ path }) => path)

describe('the writing of files', () => {
  it('writes all of them, in directories that it makes', () => {
    using directory = openDirectory()
    const target = directory.file('new/place')
    refuseExisting(target, paths)
    writeFiles(target, files)
    for (const { path, text } of files) expect(readFileSync(`${target}/${path}`, 'utf8')).toBe(text)
  })

  it('leaves nothing where one of them cannot be written, and nothing of others is touched', () => {
    using directory = openDirectory()
    mkdirSync(directory.file('one'))
    directory.write('one/c.yaml', 'mine')
    expect(() => writeFiles(directory.path, files)).toThrow(
      `cannot write ${directory.file('one/c.yaml')}: it is there already`,
    )
    expect(readdirSync(directory.path, { recursive: true }).sort()).toEqual(['one', 'one/c.yaml'])
    expect(readFileSync(directory.file('one/c.yaml'), 'utf8')).toBe('mine')
  })

  it('follows no link that leads elsewhere', () => {
    using directory = openDirectory()
    symlinkSync(directory.file('elsewhere'), directory.file('a.yaml'))
    expect(() => refuseExisting(directory.path, paths)).toThrow('a.yaml exists already')
    expect(() => writeFiles(directory.path, files)).toThrow('it is there already')
    expect(readdirSync(directory.path)).toEqual(['a.yaml'])
  })

  it('names all files that are in the way', () => {
    using directory = openDirectory()
    directory.write('a.yaml', '')
    mkdirSync(directory.file('one/two'), { recursive: true })
    directory.write('one/two/b.yaml', '')
    expect(() => refuseExisting(directory.path, paths)).toThrow(
      'a.yaml, one/two/b.yaml exist already, and init replaces no file',
    )
  })

  it.each(['file', 'file/below', '/proc/hookdrift/x'])('refuses %s as a directory', (name) => {
    using directory = openDirectory()
    directory.write('file', 'mine')
    const target = name.startsWith('/') ? name : directory.file(name)
    expect(() => {
      refuseExisting(target, paths)
      writeFiles(target, files)
    }).toThrow(/^cannot write \S+: /)
    expect(readdirSync(directory.path)).toEqual(['file'])
  })
})
