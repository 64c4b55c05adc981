import { matchesGlob } from '../src/model/glob.ts'

const entry = /^ {10}- "?([^"]+)"?$/

/**
 * A framework file in which a new rule gives evidence wherever another rule does, by its name or a pattern for several
 * rules. Lists that match the new rule already, and lists of all rules, stay as they are.
 */
export function withEvidence(yaml: string, id: string, like: string): string {
  const lines = yaml.split('\n')
  const added: string[] = []
  let list: string[] = []
  for (const [index, line] of lines.entries()) {
    added.push(line)
    const [, pattern] = entry.exec(line) ?? []
    if (pattern === undefined) continue
    list.push(pattern)
    if (entry.test(lines[index + 1] ?? '')) continue
    if (isFor(list, like) && !isFor(list, id)) added.push(`          - ${id}`)
    list = []
  }
  return added.join('\n')
}

function isFor(patterns: readonly string[], rule: string): boolean {
  return patterns.some((pattern) => pattern !== '*' && matchesGlob(rule, pattern))
}
