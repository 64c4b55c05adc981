import { createSealer, type Sealer } from '../../gateway/inventory/sealer.ts'
import { toolVersion } from '../../model/package-files.ts'
import { installationKey } from '../installation-key.ts'
import type { RunRequest } from '../pool/runs.ts'
import type { Refusal } from '../pool/workers.ts'
import type { ProcessContext } from '../process-context.ts'
import { systemClock } from '../system.ts'
import type { WorkerFiles } from '../worker/reload-files.ts'

/** The digests of the files that a run began with. */
type FileDigests = Pick<RunRequest, 'configurationDigest' | 'policyDigest'>

/** The files of a worker that takes part in runs of others. */
export interface SharedFiles {
  current(): WorkerFiles
  reload(): Promise<WorkerFiles>
  /** As `reload`, but not sooner than some seconds after the last time. */
  refresh(): Promise<WorkerFiles>
  /** Those of a run, or which of them differs. Reads them again before it says so. */
  matching(digests: FileDigests): Promise<WorkerFiles | 'configuration' | 'policy'>
}

/** How often files that differ are read again. */
const rereadMs = 5_000

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

function differing(
  { configuration, policy }: WorkerFiles,
  digests: FileDigests,
): 'configuration' | 'policy' | undefined {
  if (configuration.digest !== digests.configurationDigest) return 'configuration'
  return policy.digest === digests.policyDigest ? undefined : 'policy'
}

export interface FilesInForce extends WorkerFiles {
  readonly sealer: Sealer
}

/**
 * The files in force, where they are those of the run, or what differs; they are read again when they are not. Before
 * the run begins, its version is open.
 */
export async function filesOfRun(
  request: FileDigests & Pick<RunRequest, 'sealKeyId'> & { readonly toolVersion?: string | null },
  { files, terminal }: { readonly files: SharedFiles; readonly terminal: ProcessContext },
): Promise<FilesInForce | Refusal> {
  if (typeof request.toolVersion === 'string' && request.toolVersion !== toolVersion()) return 'version'
  const inForce = await files.matching(request)
  if (typeof inForce === 'string') return inForce
  const sealer = openSealer(inForce, terminal)
  return request.sealKeyId === sealer.keyId ? { ...inForce, sealer } : 'seal_key'
}

/** Seals by the key of a configuration. */
export function openSealer({ configuration }: Pick<WorkerFiles, 'configuration'>, { env }: ProcessContext): Sealer {
  return createSealer(installationKey(configuration.history, env).key, configuration.secrets)
}
