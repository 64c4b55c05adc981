import { matchesGlob } from '../model/glob.ts'

/** Whether `acme/payments` matches: by that name, by `payments`, or by a pattern with `*`. No patterns match all. */
export function matchesProject(name: string, patterns: readonly string[]): boolean {
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => matchesGlob(name, pattern) || matchesGlob(name.replace(/^.*\//, ''), pattern))
  )
}
