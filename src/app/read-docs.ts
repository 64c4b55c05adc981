import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { packageFile } from '../model/package-files.ts'

/** A page of the documentation. */
export interface DocPage {
  /** Its path in `docs`, without its ending: `how-to/run-in-ci`. */
  readonly path: string
  /** Markdown. */
  readonly text: string
}

/** The paths of all pages that come with the package; empty where a tool that shrinks images has deleted them. */
export function pagePaths(): readonly string[] {
  const root = packageFile('docs')
  if (!existsSync(root)) return []
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return files.flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : [])).sort()
}

export function readPage(path: string): DocPage {
  const text = readFileSync(packageFile(`docs/${path}.md`), 'utf8')
  return { path, text: text.replace(/<!--[\s\S]{0,10000}?-->\n?/g, '') }
}
