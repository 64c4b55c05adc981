import { createSealer, type Sealer } from '../../inventory/sealer.ts'
import { toolVersion } from '../../model/package-files.ts'
import type { Refusal } from '../../pool/refusals.ts'
import type { WorkerFiles } from '../../worker/reload-files.ts'
import { installationKey } from '../installation-key.ts'
import type { ProcessContext } from '../process-context.ts'
import type { SharedFiles } from './shared-files.ts'

/** What workers must have alike to work at a run. Before it begins, its version is open. */
interface AskedTerms {
  readonly configurationDigest: string
  readonly policyDigest: string
  readonly sealKeyId: string
  readonly toolVersion?: string | null
}

export interface FilesInForce extends WorkerFiles {
  readonly sealer: Sealer
}

/** The files in force, where they are those of the run, or what differs; they are read again when they are not. */
export async function filesOfRun(
  terms: AskedTerms,
  { files, terminal }: { readonly files: SharedFiles; readonly terminal: ProcessContext },
): Promise<FilesInForce | Refusal> {
  if (typeof terms.toolVersion === 'string' && terms.toolVersion !== toolVersion()) return 'version'
  const found = await files.matching(terms)
  if (typeof found === 'string') return found
  const sealer = openSealer(found, terminal)
  return terms.sealKeyId === sealer.keyId ? { ...found, sealer } : 'seal_key'
}

/** Seals by the key of a configuration. */
export function openSealer({ configuration }: Pick<WorkerFiles, 'configuration'>, { env }: ProcessContext): Sealer {
  return createSealer(installationKey(configuration.history, env).key)
}
