import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { allLocales } from '@faker-js/faker'

/*
 * What people write, from packages with permissive licences:
 * an-array-of-english-words (MIT), @faker-js/faker (MIT), typescript (Apache-2.0).
 */

const require = createRequire(import.meta.url)
const compiler = dirname(require.resolve('typescript'))

export interface WordLists {
  /** Words in lower case, of many languages. */
  readonly words: readonly WordList[]
  /** Names that programmers gave, as they are written. */
  readonly identifiers: readonly string[]
}

export interface WordList {
  readonly words: readonly string[]
  /** Relative to one of the many languages, which has 1. */
  readonly weight: number
}

export function readWordLists(): WordLists {
  const identifiers = readIdentifiers()
  const ofNames = wordsIn(identifiers.map((name) => name.replace(/([a-z])([A-Z])/g, '$1 $2')).join(' '))
  const ofLanguages = [...readNative(), ...readMessages()].map((words) => ({ words, weight: 1 }))
  return { words: [{ words: readEnglish(), weight: 5 }, { words: ofNames, weight: 8 }, ...ofLanguages], identifiers }
}

function readEnglish(): readonly string[] {
  const words: unknown = JSON.parse(readFileSync(require.resolve('an-array-of-english-words'), 'utf8'))
  return wordsIn(Array.isArray(words) ? words.join(' ') : '')
}

/** Words, people, cities and streets: languages that are written in Latin letters. */
function readNative(): readonly (readonly string[])[] {
  const languages =
    'af_ZA cs_CZ da de de_AT de_CH en en_GB es es_MX fi fr fr_CA hr hu it lv nb_NO nl pl pt_BR pt_PT ro sk sv tr'.split(
      ' ',
    )
  return Object.entries(allLocales)
    .filter(([locale]) => languages.includes(locale))
    .map(([, { lorem: _, ...native }]) => wordsIn(textsOf(native).join(' ')))
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The compiler's messages in eight languages. */
function readMessages(): readonly (readonly string[])[] {
  return ['cs', 'de', 'es', 'fr', 'it', 'pl', 'pt-br', 'tr'].map((language) =>
    wordsIn(
      textsOf(JSON.parse(readFileSync(join(compiler, language, 'diagnosticMessages.generated.json'), 'utf8'))).join(
        ' ',
      ),
    ),
  )
}

/** What the standard libraries declare. */
function readIdentifiers(): readonly string[] {
  const found = new Set<string>()
  for (const file of readdirSync(compiler).sort()) {
    if (!/^lib\..*\.d\.ts$/.test(file)) continue
    const code = readFileSync(join(compiler, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    for (const [name] of code.matchAll(/[A-Za-z_][A-Za-z0-9_]{2,}/g)) found.add(name)
  }
  return [...found].sort()
}

/** Each word once, in ASCII: a name in an address or an identifier has no accents. */
function wordsIn(text: string): readonly string[] {
  const plain = [text.toLowerCase(), text.toLowerCase().replace(/[äöü]/g, (letter) => `${spelt[letter]}e`)]
    .join(' ')
    .replace(/[ßøłæœđı]/g, (letter) => spelt[letter] ?? '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
  return [...new Set(plain.match(/(?<![a-z])[a-z]{2,}(?![a-z])/g))].sort()
}

const spelt: Readonly<Record<string, string>> = {
  ä: 'a',
  ö: 'o',
  ü: 'u',
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ı: 'i',
}
