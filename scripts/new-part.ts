import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// What `new:rule`, `new:command` and `new:format` have in common: files of the checkout, by their paths in it.

export const at = (path: string) => join(import.meta.dirname, '..', path)
export const isThere = (path: string) => existsSync(at(path))
export const read = (path: string) => readFileSync(at(path), 'utf8')

/** Writes a file, and names it on stdout. */
export function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
  process.stdout.write(`${path}\n`)
}

/** Puts a line before a text that the file contains. */
export function insert(path: string, before: string, line: string): void {
  const text = read(path)
  const place = text.indexOf(before)
  if (place < 0) throw new Error(`${path} lacks ${before}`)
  write(path, `${text.slice(0, place)}${line}${text.slice(place)}`)
}

export function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
