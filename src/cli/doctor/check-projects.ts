import { randomBytes } from 'node:crypto'
import {
  createShowName,
  entryFor,
  findOrganisation,
  nameProjects,
  namesAtService,
} from '../../audit/discover-projects.ts'
import type { ConfiguredProject, ConfiguredService } from '../../config/configuration.ts'
import { describeKey } from '../../config/expand-references.ts'
import { createSealer } from '../../gateway/inventory/sealer.ts'
import type { ServiceExaminer } from '../../gateway/service/examine-service.ts'
import type { ProjectAccess } from '../../gateway/service/service-client.ts'
import { type FaultKind, ServiceFault } from '../../gateway/service/service-fault.ts'
import type { Offer } from '../../gateway/service/settings.ts'
import { displayBase } from '../../gateway/service/wire-request.ts'
import { chunks } from '../../model/chunks.ts'
import type { JsonObject } from '../../model/json.ts'
import { isProjectList, type Listing, projectListOf } from '../../model/resource.ts'
import { count } from '../../model/text/count.ts'
import { bareWhat, stepAfterFault } from '../../report/describe-failures.ts'
import { type Diagnosis, fail, faultDiagnosis, ok, type ServiceDiagnoses, skipped } from './check.ts'

/** Items of one listing, as the service sent them for another check. */
export interface ListingItems {
  readonly listing: Listing
  readonly items: readonly JsonObject[]
}

/** What projects answer. */
export interface ProjectsCheck {
  readonly diagnoses: ServiceDiagnoses
  /** A project that the service shows. */
  readonly project: ConfiguredProject | undefined
  /** What projects and endpoints showed, for what it says of the release. */
  readonly items: readonly ListingItems[]
}

interface ProjectAnswer {
  readonly project: ConfiguredProject
  /** undefined where the service shows the project. */
  readonly fault: ServiceFault | undefined
  readonly items?: ListingItems | undefined
}

/**
 * Asks for each project, and says of the answers what they mean for the base path, the keys and the projects.
 * @param file the configuration, for messages; undefined where the environment is the configuration
 */
export async function checkProjects(
  examiner: ServiceExaminer,
  service: ConfiguredService,
  file: string | undefined,
): Promise<ProjectsCheck> {
  const { listings } = service
  const { projects, total, unread, empty } = await readProjects(examiner, service)
  const withKey = projects.filter(({ key }) => key !== '')
  if (withKey.length === 0 && unread === undefined) {
    if (empty !== undefined) {
      const read = [{ project: empty, fault: undefined }]
      return {
        diagnoses: [
          ['base-path', [basePathDiagnosis(read, service)]],
          ['key', await keyDiagnoses(read, examiner, file)],
          ['projects', [nothingListed]],
        ],
        project: undefined,
        items: [],
      }
    }
    const waiting = [skipped('there is no key: see configuration')]
    return {
      diagnoses: [
        ['base-path', waiting],
        ['key', waiting],
        ['projects', waiting],
      ],
      project: undefined,
      items: [],
    }
  }
  // What the list says of the key and the base path counts, too.
  const answers: ProjectAnswer[] = unread === undefined ? [] : [unread]
  for (const batch of chunks(withKey, atOnce)) {
    answers.push(
      ...(await Promise.all(
        batch.map(async (project) => ({ project, ...(await askFor(project, listings.project, examiner)) })),
      )),
    )
  }
  const basePath = basePathDiagnosis(answers, service)
  const keys = await keyDiagnoses(answers, examiner, file)
  const explain = (each: ProjectAnswer) => {
    const ofKey = answers.filter(({ project }) => project.key === each.project.key)
    if (each.fault !== undefined && isRefusal(each.fault) && refusalOf(ofKey) !== undefined) return 'key'
    return basePath.status === 'fail' && isOfBasePath(each) ? 'base-path' : undefined
  }
  return {
    diagnoses: [
      ['base-path', [basePath]],
      ['key', keys],
      ['projects', projectDiagnoses(answers, { total, keyless: projects.length - withKey.length, file, explain })],
    ],
    project: answers.find(({ fault }) => fault === undefined)?.project,
    items: answers.flatMap(({ items }) => items ?? []),
  }
}

/** A project for requests of its own: nothing is counted or stopped. */
export function accessOf({ ref, key, filters }: ConfiguredProject): ProjectAccess {
  const traffic = { requests: 0, retries: 0 }
  return { projectUid: ref.uid, key, filters, signal: new AbortController().signal, traffic, budget: { waitedMs: 0 } }
}

const atOnce = 4

const nothingListed = fail(
  'the list of the service has no project that the configuration asks for',
  'Check `organisation`, the patterns under `projects`, and what the key may read.',
)

/** The project itself, or its endpoints where the service does not show projects. */
async function askFor(
  project: ConfiguredProject,
  offer: Offer,
  examiner: ServiceExaminer,
): Promise<Omit<ProjectAnswer, 'project'>> {
  const access = accessOf(project)
  if (offer !== 'off') {
    const answer = await resultOf(examiner.project(access))
    if (answer.fault === undefined) return { fault: undefined, items: { listing: 'project', items: [answer.value] } }
    if (offer !== 'auto' || answer.fault.kind !== 'not_offered') return { fault: answer.fault }
  }
  return { fault: (await resultOf(examiner.firstItem(access))).fault }
}

type Result<Value> =
  | { readonly value: Value; readonly fault: undefined }
  | { readonly value?: undefined; readonly fault: ServiceFault }

async function resultOf<Value>(request: Promise<Value>): Promise<Result<Value>> {
  try {
    return { value: await request, fault: undefined }
  } catch (error) {
    if (error instanceof ServiceFault) return { fault: error }
    throw error
  }
}

const ofBasePath: readonly FaultKind[] = ['wrong_url', 'not_offered', 'malformed', 'in_front']

/** The service did not check the key. */
const beforeKey: readonly FaultKind[] = [
  ...ofBasePath,
  'http',
  'timeout',
  'network',
  'tls',
  'unknown_host',
  'rate_limited',
]

function isOfBasePath({ fault }: ProjectAnswer): boolean {
  return fault !== undefined && ofBasePath.includes(fault.kind)
}

function isRefusal({ kind }: ServiceFault): boolean {
  return kind === 'refused_key' || kind === 'forbidden'
}

function saysOfKey({ fault }: ProjectAnswer): boolean {
  return fault === undefined || !beforeKey.includes(fault.kind)
}

/**
 * The refusal of a key, where each answer that says something of it is one; a refusal next to an answer that takes the key
 * is a matter of that project.
 */
function refusalOf(ofKey: readonly ProjectAnswer[]): ServiceFault | undefined {
  const [first, ...others] = ofKey.filter(saysOfKey).map(({ fault }) => fault)
  return [first, ...others].every((fault) => fault !== undefined && isRefusal(fault)) ? first : undefined
}

function basePathDiagnosis(answers: readonly ProjectAnswer[], { settings }: ConfiguredService): Diagnosis {
  const { url, dialect } = settings
  if (answers.some(saysOfKey))
    return ok(`${displayBase(url)} answers under ${dialect.pathPrefix || '/'} as the API does`)
  const fault = answers.find(isOfBasePath)?.fault
  return fault === undefined ? skipped('no answer of the service shows it: see projects') : faultDiagnosis(fault)
}

/** One diagnosis for each key, however many projects it is for. */
async function keyDiagnoses(
  answers: readonly ProjectAnswer[],
  examiner: ServiceExaminer,
  file: string | undefined,
): Promise<readonly Diagnosis[]> {
  const byKey = Map.groupBy(answers, ({ project }) => project.key)
  const diagnoses: Diagnosis[] = []
  for (const [key, ofKey] of byKey) {
    const [first] = ofKey
    if (first === undefined) continue
    const described = describeKey(key, first.project.keyPosition, file)
    const refusal = refusalOf(ofKey)
    if (refusal !== undefined) {
      const { kind, facts } = refusal
      diagnoses.push(fail(`${described}: ${bareWhat(facts.what)}`, stepAfterFault(kind, facts.url)))
    } else if (!ofKey.some(saysOfKey)) diagnoses.push(skipped(`${described}: the service did not check it`))
    else diagnoses.push(ok(`${described}: ${await describeOwner(first.project, examiner)}`))
  }
  return diagnoses
}

async function describeOwner(project: ConfiguredProject, examiner: ServiceExaminer): Promise<string> {
  const owner = await examiner.keyOwner(accessOf(project))
  if (owner === undefined) return 'accepted; the service does not show whose it is'
  return owner === 'a person' ? 'accepted, a personal key' : `accepted, the key of one project: ${owner.project}`
}

/**
 * One diagnosis for each cause, with the projects that it is about.
 * @param total how many there are, asked for or not
 * @param explain the check that explains why a project was not found; undefined where its own row does
 */
function projectDiagnoses(
  answers: readonly ProjectAnswer[],
  {
    total,
    keyless,
    file,
    explain,
  }: {
    readonly total: number
    readonly keyless: number
    readonly file: string | undefined
    readonly explain: (answer: ProjectAnswer) => 'key' | 'base-path' | undefined
  },
): readonly Diagnosis[] {
  const faults = answers.filter(({ fault }) => fault !== undefined)
  const readable = answers.filter(({ fault }) => fault === undefined).map(nameOf)
  const byCause = Map.groupBy(faults, (each) => {
    return explain(each) ?? JSON.stringify([each.fault?.kind, bareWhat(each.fault?.facts.what ?? '')])
  })
  const others = total - answers.length - keyless
  const unasked = others > 0 ? `; the other ${others} were not asked for` : ''
  const passed =
    readable.length === 0 ? [] : [ok(`${readable.length} of ${total} found: ${someOf(readable)}${unasked}`)]
  const failed = [...byCause.values()].flatMap((alike): readonly Diagnosis[] => {
    const [first] = alike
    if (first?.fault === undefined) return []
    const names = someOf(alike.map(nameOf))
    const explained = explain(first)
    if (explained !== undefined) return [skipped(`${names}: see ${explained}`)]
    const position = alike.length === 1 && file !== undefined ? ` (${file}:${first.project.line})` : ''
    return [faultDiagnosis(first.fault, `${names}${position}: `)]
  })
  return [...passed, ...failed, ...(keyless === 0 ? [] : [skipped(`${count(keyless, 'project')} without a key`)])]
}

function nameOf({ project }: ProjectAnswer): string {
  if (isProjectList(project.ref)) return 'the list'
  return project.ref.name.slice(project.ref.service.length + 1)
}

const mostNamed = 5

function someOf(names: readonly string[]): string {
  const hidden = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (hidden > 0 ? ` and ${hidden} more` : '')
}

/** The projects of a service, as the configuration names them and as the service's list has them. */
interface ServiceProjects {
  /** To ask for: all that are named, and the first that the list adds. */
  readonly projects: readonly ConfiguredProject[]
  /** How many there are in all. */
  readonly total: number
  /** The list as something that is asked for, where it could not be read. */
  readonly unread: { readonly project: ConfiguredProject; readonly fault: ServiceFault } | undefined
  /** The list in the same way, where it was read and has nothing that the configuration asks for. */
  readonly empty: ConfiguredProject | undefined
}

/** A fleet may have thousands, and the audit asks for each anyway. */
const mostAsked = 20

/** Reads the list of projects where the configuration leaves it to the list. */
async function readProjects(examiner: ServiceExaminer, service: ConfiguredService): Promise<ServiceProjects> {
  const { projects: named, matches, keyPosition } = service
  const key = service.key ?? named[0]?.key ?? ''
  const [match] = matches
  if (match === undefined || key === '')
    return { projects: named, total: named.length, unread: undefined, empty: undefined }
  const list: ConfiguredProject = {
    ref: projectListOf(service.settings.name),
    key,
    keyPosition,
    labels: {},
    filters: {},
    line: match.line,
  }
  try {
    const more = await readList(examiner, service, list)
    const projects = [...named, ...more.slice(0, mostAsked)]
    const total = named.length + more.length
    return { projects, total, unread: undefined, empty: more.length === 0 ? list : undefined }
  } catch (fault) {
    if (!(fault instanceof ServiceFault)) throw fault
    return { projects: named, total: named.length, unread: { project: list, fault }, empty: undefined }
  }
}

/** Those of the list that the configuration matches and does not name. */
async function readList(
  examiner: ServiceExaminer,
  service: ConfiguredService,
  list: ConfiguredProject,
): Promise<readonly ConfiguredProject[]> {
  const { projects: named, matches, settings } = service
  const organisation =
    service.organisation ?? (await findOrganisation(named, (project) => examiner.project(accessOf(project))))
  // Names that look secret are left out under any key.
  const sealer = createSealer(randomBytes(32))
  const all = await examiner.projects({ ...accessOf(list), organisation, showName: createShowName(sealer) })
  const uids = new Set(named.map(({ ref }) => ref.uid))
  const others = all.filter(({ uid }) => !uids.has(uid))
  const taken = new Set(named.map(({ ref }) => ref.name.slice(settings.name.length + 1)))
  const names = nameProjects(others, { pastNames: new Map(), taken, sealer })
  return others.flatMap(({ uid, name: listedName }): ConfiguredProject[] => {
    const name = names.get(uid) ?? uid
    const match = entryFor(matches, [name, ...namesAtService(listedName, sealer)])
    if (match === undefined) return []
    const ref = { name: `${settings.name}/${name}`, service: settings.name, uid }
    return [{ ...list, ref, labels: match.labels, line: match.line }]
  })
}
