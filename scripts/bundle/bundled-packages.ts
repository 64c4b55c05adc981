import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputChunk } from 'rolldown'

interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The text of its licence, and of its notice where there is one. */
  readonly terms: readonly string[]
}

/** The packages whose code is in a bundle, by name and version. */
export function bundledPackages(chunks: readonly OutputChunk[]): readonly BundledPackage[] {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  const directories = new Set(modules.flatMap((id) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []))
  return [...directories].map(readPackage).sort((a, b) => (refOf(a) < refOf(b) ? -1 : 1))
}

export function refOf({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/** The text that has to come with the bundle: under which terms it contains the work of others. */
export function noticesOf(packages: readonly BundledPackage[]): string {
  const entries = packages.map((each) => `${refOf(each)} (${each.license})\n\n${each.terms.join('\n\n')}\n`)
  const about = 'The files in dist contain the packages below, which belong to their authors.'
  return [about, ...entries].join(`\n${'-'.repeat(80)}\n\n`)
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const files = readdirSync(directory).filter((file) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(file))
  const terms = files.length > 0 ? files.map((file) => textOf(directory, file)) : termsInReadme(directory)
  if (terms.length === 0) throw new Error(`${name} comes without the text of its licence`)
  return { name, version, license, terms }
}

/** The section of the licence, which ends the page. */
function termsInReadme(directory: string): readonly string[] {
  const [, terms] = /^#+ licen[cs]e\s(.*Permission is hereby granted.*)$/ims.exec(textOf(directory, 'README.md')) ?? []
  return terms === undefined ? [] : [terms.trim()]
}

function textOf(directory: string, file: string): string {
  return readFileSync(join(directory, file), 'utf8').trim()
}
