import type { ReferenceSources } from '../config/expand-references.ts'
import type { Clock } from '../model/time.ts'

/** What the checks use of the process. */
export interface DoctorContext {
  /** Absolute path of the configuration. */
  readonly config: string
  /** `--history`. */
  readonly history: string | undefined
  readonly sources: ReferenceSources
  readonly cwd: string
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  readonly nodeVersion: string
  readonly toolVersion: string
  /** A path for messages. */
  readonly shown: (path: string) => string
}
