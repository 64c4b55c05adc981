import type { ConfiguredProject, ConfiguredService } from '../../config/configuration.ts'
import type { ProjectAccess } from '../../service/service-client.ts'
import type { CheckRow, Diagnosis, ServiceCheckName } from '../check.ts'
import type { DoctorContext } from '../context.ts'

/** What the checks of one service share. */
export interface ServiceContext extends Pick<DoctorContext, 'clock' | 'random' | 'shown'> {
  readonly service: ConfiguredService
  /** The configuration, for messages. */
  readonly file: string
  readonly env: DoctorContext['sources']['env']
}

/** Diagnoses by check, in the order in which they were made. */
export type ServiceDiagnoses = readonly (readonly [ServiceCheckName, readonly Diagnosis[]])[]

export function rowsOf(service: string, diagnoses: ServiceDiagnoses): readonly CheckRow[] {
  return diagnoses.flatMap(([check, found]) => found.map((diagnosis) => ({ check, service, ...diagnosis })))
}

/** A project for requests of its own: nothing is counted or stopped. */
export function accessOf({ ref, key, filters }: ConfiguredProject): ProjectAccess {
  const traffic = { requests: 0, retries: 0 }
  return { projectUid: ref.uid, key, filters, signal: new AbortController().signal, traffic, budget: { waitedMs: 0 } }
}
