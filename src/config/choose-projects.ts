import { matchesGlob } from '../model/glob.ts'

/** `acme/payments` is chosen by itself, by `payments`, and by any pattern with `*`; by no pattern at all, everything is. */
export function matchesProject(name: string, patterns: readonly string[]): boolean {
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => matchesGlob(name, pattern) || matchesGlob(name.replace(/^.*\//, ''), pattern))
  )
}
