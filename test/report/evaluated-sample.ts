import type { EvaluatedRule } from '../../src/model/evaluation.ts'
import type { Report } from '../../src/model/report.ts'
import { aFailedRule } from './a-gap.ts'
import { aReport, samples } from './sample-reports.ts'

const needs = { 'drift/authentication': 'endpoint', drift: 'source', endpoint: 'endpoint', probe: 'probe' } as const

function aRule(
  id: string,
  title: string,
  remediation: string,
  severity: EvaluatedRule['severity'] = 'high',
): EvaluatedRule {
  const kind = Object.entries(needs).find(([prefix]) => id.startsWith(prefix))?.[1] ?? 'endpoint'
  return { id, kind, title, remediation, severity, controls: ['soc2:CC6.7', 'pci-dss:4.2.1'], needs: [kind] }
}

const rules = [
  aRule(
    'drift/authentication-lost',
    'Endpoint lost its authentication',
    'Send the request that `hookdrift restore` prints.',
  ),
  aRule('drift/verification-weakened', 'Verification was weakened', 'Put the verifier back.', 'critical'),
  aRule('endpoint/inactive', 'Endpoint is disabled', 'Find out why deliveries failed, and activate it again.'),
  aRule('endpoint/name-convention', 'Name breaks the convention', '', 'info'),
  aRule('endpoint/secret-all-expired', 'All secrets have expired', 'Create a secret (`openssl rand -base64 32`).'),
  aRule('endpoint/timeout-high', 'Endpoint may hold a worker', 'Lower the timeout.', 'medium'),
  aRule('endpoint/url-not-https', 'Deliveries are not encrypted', 'Serve the receiver over https.'),
  aRule('probe/failed', 'Function fails on its test payload', 'Mend the function.'),
]

const projects = ['acme/invoices', 'acme/payments'].map((project, at) => ({
  project,
  labels: { env: 'prod' },
  configured_at: { file: 'conf/hookdrift.yaml', line: 12 + at },
  resources: { endpoint: 44, subscription: 40, source: 3 },
  evaluated_by_rule: { 'endpoint/timeout-high': 30 },
}))

const gaps = projects.map(({ project }) => aFailedRule('endpoint/name-convention', 'it throws: TypeError', { project }))

/** A sample as runs of today keep it: with rules, projects and gaps. */
export function asEvaluated({ verdict, ...report }: Report): Report {
  return aReport({
    ...report,
    failOn: verdict.fail_on,
    rules,
    projects,
    gaps: [...report.gaps, ...gaps],
  })
}

export const evaluatedSamples = {
  small: asEvaluated(samples.small),
  clean: asEvaluated(samples.clean),
  incomplete: asEvaluated(samples.incomplete),
} as const satisfies Record<string, Report>
