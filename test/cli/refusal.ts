import { expect } from 'vitest'

/** What a command says that ends without an answer: its exit code, and a message on stderr alone. */
export const refusal = (message: string | RegExp, code = 2) => ({
  code,
  stdout: '',
  stderr: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
})
