import type { WorkerFiles } from '../../worker/reload-files.ts'
import { systemClock } from '../system.ts'

/** The digests of the files that a run began with. */
interface Digests {
  readonly configurationDigest: string
  readonly policyDigest: string
}

/** The files of a worker that takes part in runs of others. */
export interface SharedFiles {
  current(): WorkerFiles
  reload(): Promise<WorkerFiles>
  /** As `reload`, but not sooner than some seconds after the last time. */
  refresh(): Promise<WorkerFiles>
  /** Those of a run, or which of them differs. Reads them again before it says so. */
  matching(digests: Digests): Promise<WorkerFiles | 'configuration' | 'policy'>
}

/** How often files that differ are read again. */
const rereadMs = 2_000

export function openSharedFiles(
  first: WorkerFiles,
  readAgain: (before: WorkerFiles) => Promise<WorkerFiles>,
): SharedFiles {
  let files = first
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<WorkerFiles> | undefined
  const reload = () => {
    reading ??= readAgain(files).finally(() => {
      reading = undefined
    })
    return reading.then((read) => {
      files = read
      readAt = systemClock.now()
      return read
    })
  }
  const refresh = async () => (systemClock.now() - readAt < rereadMs ? files : reload())
  return {
    current: () => files,
    reload,
    refresh,
    async matching(digests) {
      if (differing(files, digests) !== undefined) await refresh()
      return differing(files, digests) ?? files
    },
  }
}

function differing({ configuration, policy }: WorkerFiles, digests: Digests): 'configuration' | 'policy' | undefined {
  if (configuration.digest !== digests.configurationDigest) return 'configuration'
  return policy.digest === digests.policyDigest ? undefined : 'policy'
}
