import type { ProcessContext } from '../app/process-context.ts'
import type { Sealer } from '../inventory/sealer.ts'
import type { Asker } from './ask.ts'
import type { Given } from './interview.ts'
import type { ServiceReach } from './reach-service.ts'

/** What a set-up is given, and what it uses of the process. */
export interface InitContext extends ServiceReach {
  readonly given: Given
  /** undefined where there is no one to ask: then what is not given has a default, or is missing. */
  readonly asker: Asker | undefined
  /** Absolute. */
  readonly directory: string
  readonly terminal: ProcessContext
  readonly signal: AbortSignal
  /** Recognises names that contain secrets. */
  readonly sealer: Sealer
  readonly version: string
  readonly readPackageFile: (path: string) => string
}
