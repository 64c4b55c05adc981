import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, posix } from 'node:path'

/** The files of the checkout that are pages of the site. */
const pagePatterns = ['*.md', 'docs/**/*.md']

/** What people import into another program, or read next to a page. */
const copied = /^(?:docs|deploy\/(?:grafana|prometheus))\//

/** What a link of a page leads to on the site. Paths are those of files in the checkout. */
export type LinkTarget =
  | { readonly kind: 'page'; readonly path: string; readonly anchor: string }
  /** A file that is not a page, and of which the site has a copy. */
  | { readonly kind: 'file'; readonly path: string }
  /** A file or a folder that only the repository has. */
  | { readonly kind: 'repository'; readonly path: string; readonly isFolder: boolean }
  /** An address of its own, or a place on the same page. */
  | { readonly kind: 'elsewhere' }

export function isPage(path: string): boolean {
  return pagePatterns.some((pattern) => matchesGlob(path, pattern))
}

/** A page as the generator names it: that of a folder is its index. */
export function pageOf(path: string): string {
  return basename(path) === 'README.md' ? posix.join(dirname(path), 'index.md') : path
}

/** Follows a link as a reader of the repository would. Throws where it leads nowhere. */
export function resolveLink(checkout: string, from: string, href: string): LinkTarget {
  if (/^(?:[a-z][a-z\d+.-]*:|#)/i.test(href)) return { kind: 'elsewhere' }
  const [written = '', anchor] = href.split('#')
  const path = posix.join(dirname(from), decodeURI(written)).replace(/\/$/, '')
  if (href.startsWith('/') || path.startsWith('..') || !existsSync(join(checkout, path)))
    throw new Error(`${from}: the link ${href} leads nowhere`)
  if (statSync(join(checkout, path)).isDirectory()) return folderTarget(checkout, path)
  if (isPage(path)) return { kind: 'page', path, anchor: anchor === undefined ? '' : `#${anchor}` }
  return copied.test(path) ? { kind: 'file', path } : { kind: 'repository', path, isFolder: false }
}

/** A folder with pages is its own page, or the first in it: the navigation shows the others. */
function folderTarget(checkout: string, path: string): LinkTarget {
  const pages = readdirSync(join(checkout, path)).filter((name) => isPage(posix.join(path, name)))
  const first = pages.includes('README.md') ? 'README.md' : pages.sort()[0]
  if (first === undefined) return { kind: 'repository', path, isFolder: true }
  return { kind: 'page', path: posix.join(path, first), anchor: '' }
}
