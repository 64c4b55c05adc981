import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oldWords, wordExceptions } from './old-words.ts'

const root = resolve(import.meta.dirname, '..')
const searched = [
  ...['src', 'test', 'docs', 'bench', 'prove', 'scripts', 'config', 'deploy', 'templates', 'site'],
  ...['action.yml', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
]
/** The schemas of `config/` are generated from `src`, which is searched. */
const isProse = (path: string) => /\.(ts|mjs|md|ya?ml|py|sh|service|timer)$/.test(path)
/** Recorded data, and the list itself. */
const isSkipped = (path: string) => /^test\/(?:fixtures\/|old-words\.ts$|words\.test\.ts$)/.test(path)

interface OldWordUse {
  readonly path: string
  readonly line: number
  readonly word: string
  readonly instead: string
}

function filesOf(path: string): readonly string[] {
  const absolute = join(root, path)
  if (!statSync(absolute).isDirectory()) return [path]
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .map((name) => relative(root, join(absolute, name)))
    .filter((name) => isProse(name) && !isSkipped(name))
    .sort()
}

/** Identifiers and file names as words, in lower case: `isLookedAt` and `is_looked_at` are "is looked at". */
const inWords = (text: string) =>
  text
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replaceAll('_', ' ')
    .toLowerCase()

/** Few lines have any of them: one expression for all finds these lines much sooner than each by itself. */
const anyOldWord = new RegExp(oldWords.map(({ pattern }) => pattern.source).join('|'))

function oldWordsIn(path: string, text: string): readonly OldWordUse[] {
  return [path, ...text.split('\n')].flatMap((line, number) => {
    const words = inWords(line)
    if (!anyOldWord.test(words)) return []
    return oldWords.flatMap(({ pattern, instead }) =>
      [...words.matchAll(pattern)].map(([word]) => ({ path, line: Math.max(number, 1), word: word.trim(), instead })),
    )
  })
}

const uses = searched.flatMap(filesOf).flatMap((path) => oldWordsIn(path, readFileSync(join(root, path), 'utf8')))
const pairs = wordExceptions.flatMap(({ path, words }) => words.map((word) => ({ path, word })))
const isCovered = (use: OldWordUse) =>
  pairs.some(
    ({ path, word }) => use.word === word && (path.endsWith('/') ? use.path.startsWith(path) : use.path === path),
  )

describe('words that the project gave up', () => {
  it('appear in no file, except where a listed reason keeps them', () => {
    const left = uses
      .filter((use) => !isCovered(use))
      .map(({ path, line, word, instead }) => `${path}:${line}: "${word}", write instead: ${instead}`)
    expect(left).toEqual([])
  })

  it('are each still there where an exception keeps them', () => {
    const unneeded = pairs.filter(
      ({ path, word }) => !uses.some((use) => use.word === word && use.path.startsWith(path)),
    )
    expect(unneeded).toEqual([])
  })

  it.each([
    ['const isLookedAt = settled_at', ['looked', 'settled']],
    ['Nobody can tell what stands in it', ['nobody', 'stands', 'tell']],
    ['// what is no number, is looked for beside it', ['beside', 'is no', 'looked']],
    ['the run was sealed', ['run was sealed']],
    ['It looks like standard output, as they understand: there is no more than that', []],
    ['a standalone file of Standard Webhooks that looks secret', []],
  ])('are found in %j', (text, words) => {
    expect(
      oldWordsIn('docs/a.md', text)
        .map(({ word }) => word)
        .sort(),
    ).toEqual(words)
  })
})
