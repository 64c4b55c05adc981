import { faultDiagnosis } from '../doctor/service/describe-fault.ts'
import { AuditError } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { describeFailures, nextStep } from '../report/describe-failures.ts'
import { groupFailures } from '../report/group-failures.ts'
import { type FaultKind, ServiceFault } from '../service/service-fault.ts'

/** A fault of a service as an error that ends the set-up; other errors stay as they are. */
export function explainFault(error: unknown): unknown {
  if (!(error instanceof ServiceFault)) return error
  const { detail } = faultDiagnosis(error)
  return AuditError.incomplete(detail, { advice: adviceFor(error.kind, error.facts.url) })
}

/** What to do next. There is no configuration yet, which the usual advice would point to. */
export function adviceFor(kind: FaultKind, url: string | null): string {
  return own[kind] ?? `${nextStep(kind, url) ?? 'Check the service.'} Then run init again: no file was written.`
}

const again = 'and run init again: no file was written'

const own: Partial<Record<FaultKind, string>> = {
  refused_key: `check the key, or make a new one in the settings of your account, ${again}; if it worked before, check the service first`,
  forbidden: `give the key's user the right to read the projects, or take another key, ${again}`,
  not_found: `compare the ids with the settings of the projects, and check what the key may read, ${again}`,
  wrong_url: `correct the URL ${again}`,
  not_offered: `take the address that people use, without /api/v1, ${again}`,
  tls: `correct the certificate or the URL; for a private authority set NODE_EXTRA_CA_CERTS here and \`ca_file\` in the configuration; ${again}`,
  http: `check the service and its log, ${again}`,
  timeout: `check the service and the way to it, ${again}`,
}

/** Why a trial scan is not complete, a line for each cause. */
export function explainIncomplete({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): AuditError {
  const groups = groupFailures(coverage, projects)
  const lines = groups.slice(0, mostCauses).map((group) => {
    const asked = describeFailures(group).facts.find(({ label }) => label === 'asked')
    return `  ${group.service}: ${group.what}${asked === undefined ? '' : ` (${asked.text})`}`
  })
  const cause = groups[0]?.cause
  return AuditError.incomplete(['the trial scan is incomplete', ...lines].join('\n'), {
    advice: cause == null ? `check the service ${again}` : adviceFor(cause as FaultKind, groups[0]?.url ?? null),
  })
}

const mostCauses = 5
