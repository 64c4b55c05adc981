import type { ServiceExaminer } from '../../gateway/service/examine-service.ts'
import { type ListedProject, listedProject, type ShowName } from '../../gateway/service/service-client.ts'
import { type FaultKind, ServiceFault } from '../../gateway/service/service-fault.ts'
import { AuditError } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import { describeFailures, groupFailures, nextStep } from '../../report/describe-failures.ts'
import { faultDiagnosis } from '../doctor/check.ts'

/** Whose a key is: a person's, who may read many projects, or a project's, which reads that one. */
export type KeyOwner = 'a person' | ListedProject

/** A service and a key for it. The key is a secret. */
export interface KeyedService {
  readonly examiner: ServiceExaminer
  readonly key: string
  readonly signal: AbortSignal
  readonly showName: ShowName
}

/** @throws AuditError.incomplete when the service refuses the key, or answers wrongly */
export async function findKeyOwner(service: KeyedService): Promise<KeyOwner> {
  const owner = await service.examiner.keyOwner({ ...accessOf(service), filters: {} })
  if (owner === 'a person') return owner
  if (owner !== undefined && isId(owner.answer.uid))
    return listedProject(owner.answer.uid, owner.answer.name, service.showName)
  return findProject(service, unknownProject)
}

/** All projects of an organisation. @throws AuditError.incomplete when there is no whole list of them */
export async function listOrganisation(service: KeyedService, organisation: string): Promise<readonly ListedProject[]> {
  try {
    return await service.examiner.projects({ ...accessOf(service), organisation, showName: service.showName })
  } catch (error) {
    if (error instanceof ServiceFault && isBadRequest(error)) throw unknownOrganisation(error)
    throw explainFault(error)
  }
}

/** Convoy answers so to an organisation that it does not know, or that the key's user does not belong to. */
function isBadRequest({ kind, facts }: ServiceFault): boolean {
  return kind === 'http' && /^list of projects: 400\b/.test(facts.what)
}

function unknownOrganisation(fault: ServiceFault): AuditError {
  return AuditError.incomplete(faultDiagnosis(fault).detail, {
    advice: `Check the id of the organisation: take it ${whereOrganisation}.`,
    cause: fault,
  })
}

/** Where people find the id of an organisation: its settings in Convoy's dashboard show it. */
export const whereOrganisation =
  "from the organisation's settings in the dashboard, or from organisation_id of a project in the API"

/** Projects by their ids. @throws AuditError.incomplete when the key may not read one */
export async function findProjects(service: KeyedService, uids: readonly string[]): Promise<readonly ListedProject[]> {
  const projects: ListedProject[] = []
  for (const uid of uids) projects.push(await findProject(service, uid))
  return projects
}

async function findProject(service: KeyedService, projectUid: string): Promise<ListedProject> {
  try {
    const { name } = await service.examiner.project({ ...accessOf(service), filters: {}, projectUid })
    return listedProject(projectUid, name, service.showName)
  } catch (error) {
    throw explainFault(error)
  }
}

/** No service has it: what is asked is whether the service answers as it must. */
const unknownProject = 'hookdrift-init'

/** As the configuration takes ids of projects and organisations. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/.test(text)
}

/** Reads ids with commas between them. @throws AuditError.usage when a text is not an id */
export function readIds(option: string, text: string): readonly string[] {
  const ids = [...new Set(text.split(',').map((each) => each.trim()))]
  const wrong = ids.find((id) => !isId(id))
  if (wrong === undefined) return ids
  throw AuditError.usage(`${option}: "${wrong}" is not an id of the service`, {
    advice: 'expected ids such as 01M7XVZ2T417WGWM74AAK885VQ, separated by commas',
  })
}

/** Requests of their own: nothing is counted. */
function accessOf({ key, signal }: KeyedService) {
  const traffic = { requests: 0, retries: 0 }
  return { key, signal, traffic, budget: { waitedMs: 0 } }
}

/** A fault of a service as an error that ends the set-up; other errors stay as they are. */
function explainFault(error: unknown): unknown {
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
