import dns from 'node:dns'
import { onTestFinished, vi } from 'vitest'

/**
 * Answers the questions of this test for names: an error's code, an address, or null for no answer. A list answers
 * them in order, the last one for ever. Returns the names that were asked for.
 */
export function answerLookups(...answers: readonly (string | null)[]): readonly string[] {
  const names: string[] = []
  const lookup = (name: string, options: { all?: boolean }, done: (...results: unknown[]) => void) => {
    names.push(name)
    const answer = answers[Math.min(names.length, answers.length) - 1]
    if (answer == null) return
    const isAddress = answer.includes('.')
    const error = isAddress ? null : Object.assign(new Error(`getaddrinfo ${answer}`), { code: answer })
    const found = options.all ? [{ address: answer, family: 4 }] : answer
    setImmediate(() => done(error, isAddress ? found : undefined, 4))
  }
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup)
  onTestFinished(() => spy.mockRestore())
  return names
}
