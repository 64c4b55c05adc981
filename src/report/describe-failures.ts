import type { CoverageCause } from '../model/coverage.ts'
import type { FaultKind } from '../service/service-fault.ts'
import { count } from '../text/count.ts'
import type { FailureGroup } from './group-failures.ts'

/** A cause of failed walks in words: the headline, and what is known of it. */
interface FailureDescribed {
  readonly headline: string
  /** What was not read for it, which is one of the facts. */
  readonly cost: string
  readonly facts: readonly { readonly label: 'asked' | 'url' | 'key' | 'cost' | 'next'; readonly text: string }[]
}

/** Describes a group for a person: every format shows these words. */
export function describeFailures(group: FailureGroup): FailureDescribed {
  const { service, what, url, urlOrigin, requestId, keys, cause } = group
  const asked = url === null ? [] : [{ label: 'asked' as const, text: `GET ${url}${idOf(requestId)}` }]
  const hidden = keys.length - mostNamed
  const next = cause === null ? null : nextStep(cause, url)
  const cost = describeCost(group)
  return {
    ...{ headline: `${service}: ${what}`, cost },
    facts: [
      ...asked,
      ...(urlOrigin === null ? [] : [{ label: 'url' as const, text: urlOrigin }]),
      ...keys.slice(0, mostNamed).map((text) => ({ label: 'key' as const, text })),
      ...(hidden > 0 ? [{ label: 'key' as const, text: `and ${hidden} more` }] : []),
      { label: 'cost', text: cost },
      ...(next === null ? [] : [{ label: 'next' as const, text: next }]),
    ],
  }
}

const mostNamed = 5

function idOf(requestId: string | null): string {
  return requestId === null ? '' : ` (request id ${requestId})`
}

function describeCost({ projects, walks, items }: FailureGroup): string {
  const seen = items === 0 ? 'nothing seen' : `${count(items, 'item')} seen`
  const [only] = projects
  if (projects.length === 1 && only !== undefined) {
    const each = only.walks.map(({ listing, status }) => `${listing} ${status.toUpperCase()}`)
    return `${only.name}${placeOf(only)} ${each.join(', ')}; ${seen}`
  }
  const names = projects.slice(0, mostNamed).map((project) => `${project.name}${placeOf(project)}`)
  const hidden = projects.length - names.length
  const more = hidden > 0 ? ` and ${hidden} more` : ''
  return `${count(walks, 'walk')} of ${count(projects.length, 'project')}: ${names.join(', ')}${more}; ${seen}`
}

function placeOf({ configuredAt }: FailureGroup['projects'][number]): string {
  return configuredAt === null ? '' : ` (${configuredAt})`
}

/** What to do about a cause; null where the reason itself says it. `url`: what was asked. */
export function nextStep(cause: CoverageCause, url: string | null): string | null {
  return isFault(cause) ? stepAfterFault(cause, url) : doubtSteps[cause]
}

/** Of lists that were read to their end and are not believed. */
const doubtSteps = {
  unseen_fields: 'Request an item of the list with curl: was the service upgraded, or does a proxy leave fields out?',
  contradicted: 'Run the audit again; if it stays, compare both lists with what the service shows to people.',
  unproven: null,
  suspect_loss: null,
  suspect_page: null,
  bug: null,
} as const satisfies Record<Exclude<CoverageCause, FaultKind>, string | null>

/** What to do about a fault of an exchange. */
export function stepAfterFault(kind: FaultKind, url: string | null): string {
  return faultSteps[kind]({ url })
}

function isFault(cause: CoverageCause): cause is FaultKind {
  return cause in faultSteps
}

const faultSteps = {
  sigint: () => 'Run the audit again.',
  sigterm: () => 'Run the audit again.',
  run_timeout: () => 'Raise `run_timeout`, or audit fewer projects at once.',
  stopped: () => 'Run the audit again.',
  timeout: () =>
    'Check the service and the way to it; for slow pages lower `page_size` or raise `limits.page_timeout`.',
  unknown_host: () => 'Check the host name in `url`, and the name server of this machine.',
  network: ({ url }) => `Check that the service runs and that this machine reaches it: curl -v ${originOf(url)}`,
  wrong_url: () => 'Correct `url` of the service in the configuration.',
  tls: () => 'Correct the certificate at the service, or `url` and `ca_file` in the configuration.',
  rate_limited: () => 'Run again later; lower `concurrency` or raise `limits.retry_budget` if it stays.',
  http: () => 'Check the service and its log, then run the audit again.',
  refused_key: () =>
    'Check the key where it is configured, or make a new one. If it worked before, check the service first.',
  forbidden: () => "Give the key's user the right to read these projects, or take another key.",
  not_found: () =>
    'Compare the id in the configuration with the id in the settings of the project, and check what the key may read.',
  not_offered: () => 'Compare `url` with the address that people use, without /api/v1: hookdrift appends it.',
  malformed: ({ url }) => `Check what answers there: curl -v ${originOf(url)}`,
  foreign: () =>
    'Use a personal key for all projects, or give each project its own: a key of a project lists others but reads one.',
} as const satisfies Record<FaultKind, (asked: Pick<FailureGroup, 'url'>) => string>

function originOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : 'with the `url` of the service'
}
