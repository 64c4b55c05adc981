import { faultDiagnosis } from '../doctor/check.ts'
import { AuditError } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { describeFailures, groupFailures, nextStep } from '../report/describe-failures.ts'
import { type FaultKind, ServiceFault } from '../service/service-fault.ts'

/** A fault of a service as an error that ends the set-up; other errors stay as they are. */
export function explainFault(error: unknown): unknown {
  if (!(error instanceof ServiceFault)) return error
  const { detail } = faultDiagnosis(error)
  return AuditError.incomplete(detail, { advice: adviceFor(error.kind, error.facts.url) })
}

/** What to do next. There is no configuration yet, which the usual advice would point to. */
export function adviceFor(kind: FaultKind, url: string | null): string {
  return adviceOfSetUp[kind] ?? nextStep(kind, url) ?? 'Check the service.'
}

const adviceOfSetUp: Partial<Record<FaultKind, string>> = {
  refused_key:
    'Check the key, or make a new one in the settings of your account. If it worked before, check the service first.',
  not_found: 'Compare the ids with those in the settings of the projects, and check what the key may read.',
  wrong_url: 'Correct the URL.',
  not_offered: 'Compare the URL with the address that people use, without /api/v1: hookdrift appends it.',
  tls: 'Correct the certificate or the URL. For an authority of your own, set NODE_EXTRA_CA_CERTS to its file here, and `ca_file` in the configuration.',
  http: 'Check the service and its log.',
  timeout: 'Check the service and the way to it.',
}

/** Why a trial scan is not complete, a line for each cause. */
export function explainIncomplete({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): AuditError {
  const groups = groupFailures(coverage, projects)
  const lines = groups.slice(0, mostCauses).map((group) => {
    const request = describeFailures(group).facts.find(({ label }) => label === 'asked')
    return `  ${group.service}: ${group.what}${request === undefined ? '' : ` (${request.text})`}`
  })
  const cause = groups[0]?.cause
  return AuditError.incomplete(['the trial scan is incomplete', ...lines].join('\n'), {
    advice: cause == null ? 'Check the service.' : adviceFor(cause as FaultKind, groups[0]?.url ?? null),
  })
}

const mostCauses = 5
