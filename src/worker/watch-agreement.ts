import { agreeWithinMs, type Refusal, refusalWords } from '../pool/workers.ts'

/** Whether a worker that shares runs has what they begin with. */
export interface Agreement {
  /** Called when it was refused for a run, or took part in one. */
  refused(reason: Refusal): void
  agreed(): void
  /** Why the worker is not ready, in words; empty if it is ready. Reads files again that were refused. */
  troubles(): Promise<readonly string[]>
}

/**
 * Finds out that a worker was refused for longer than a change of files takes. It says so until the worker takes part in
 * a run, or has other files.
 */
export function watchAgreement({
  now,
  readFiles,
  files,
}: {
  readonly now: () => number
  /** Identifies the files in force, which were read a moment ago. */
  readonly readFiles: () => Promise<string>
  /** Identifies the files in force. */
  readonly files: () => string
}): Agreement {
  let refusal: { readonly since: number; readonly reason: Refusal; readonly files: string } | undefined
  return {
    refused(reason) {
      const lastRefusal = refusal?.files === files() ? refusal : { since: now(), files: files() }
      refusal = { ...lastRefusal, reason }
    },
    agreed() {
      refusal = undefined
    },
    async troubles() {
      if (refusal === undefined || now() - refusal.since < agreeWithinMs) return []
      if ((await readFiles()) !== refusal.files) refusal = undefined
      return refusal === undefined
        ? []
        : [`this worker is left out of runs, which began with another ${refusalWords[refusal.reason]}`]
    },
  }
}
