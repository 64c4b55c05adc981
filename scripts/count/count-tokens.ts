import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Published schemas follow from the code; recordings and goldens are data. */
const uncounted = /^(?:config\/(?:answers\/|[^/]*\.schema\.json$)|test\/(?:fixtures|golden)\/|.*\.d\.ts$)/
const counted = /^(?:src|test|prove|bench|scripts|config|deploy)\/.*\.(?:ts|js|mjs|sql|json|yaml)$/

/**
 * Tokens of the code in a checkout, by folder: each folder of `src`, and each other top-level one. Comments do not count,
 * and neither does how lines are packed.
 */
export function countTokens(root: string): ReadonlyMap<string, number> {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const counts = new Map<string, number>()
  for (const file of files) {
    if (!counted.test(file) || uncounted.test(file)) continue
    const folder = folderOf(file)
    counts.set(folder, (counts.get(folder) ?? 0) + tokensIn(file, readFileSync(join(root, file), 'utf8')))
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function folderOf(file: string): string {
  const [top = '', next = '', ...rest] = file.split('/')
  return top === 'src' && rest.length > 0 ? `${top}/${next}` : top
}

function tokensIn(file: string, text: string): number {
  if (/\.(?:ts|js|mjs|json)$/.test(file))
    return tokensOfNode(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  const comment = file.endsWith('.sql') ? /--.*$/gm : /(?:^|\s)#.*$/gm
  return text.replace(comment, '').match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0
}

function tokensOfNode(node: ts.Node): number {
  if (node.kind >= ts.SyntaxKind.FirstToken && node.kind <= ts.SyntaxKind.LastToken) return node.getWidth() > 0 ? 1 : 0
  let tokens = 0
  for (const child of node.getChildren()) if (child.kind !== ts.SyntaxKind.JSDoc) tokens += tokensOfNode(child)
  return tokens
}
