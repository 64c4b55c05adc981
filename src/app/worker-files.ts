import { AuditError } from '../model/errors.ts'
import type { WorkerFilesReader } from '../worker/reload-files.ts'
import { loadPolicy } from './load-policy.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

export async function openWorkerFiles(
  { config, history }: { readonly config: string; readonly history?: string },
  { env, cwd }: ProcessContext,
): Promise<WorkerFilesReader> {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const { timetableFaultsAt } = await import('../worker/timetable.ts')
  return {
    configuration() {
      const findTimetableFault = timetableFaultsAt(Date.now())
      const configuration = readConfiguration(
        config,
        { env, readFile: readTextFile },
        { history, cwd: cwd(), findTimetableFault, needsTokens: 'of-worker' },
      )
      // A worker of a pool may do nothing but what others ask for.
      if (configuration.schedules.length > 0 || configuration.shared !== undefined) return configuration
      throw AuditError.usage(`${config} names no schedules`, {
        advice: '`hookdrift docs run-on-a-schedule` shows one; `hookdrift audit` needs none',
      })
    },
    policy: (configuration, signal) => loadPolicy(configuration.policy, { now: Date.now(), signal }),
  }
}
