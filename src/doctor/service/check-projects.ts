import type { ConfiguredProject } from '../../config/configuration.ts'
import { describeKey } from '../../config/describe-key.ts'
import { chunks } from '../../model/chunks.ts'
import { isProjectList } from '../../model/resource.ts'
import { bareWhat, stepAfterFault } from '../../report/describe-failures.ts'
import type { ServiceExaminer } from '../../service/examine-service.ts'
import { type FaultKind, ServiceFault } from '../../service/service-fault.ts'
import type { Offer } from '../../service/settings.ts'
import { shownBase } from '../../service/wire-request.ts'
import { count } from '../../text/count.ts'
import { type Diagnosis, fail, ok, skipped } from '../check.ts'
import { accessOf, type ServiceContext, type ServiceDiagnoses } from './context.ts'
import { faultDiagnosis } from './describe-fault.ts'
import type { ShownItems } from './infer-release.ts'
import { knownProjects } from './list-projects.ts'

export interface CheckedProjects {
  readonly diagnoses: ServiceDiagnoses
  /** A project that the service shows. */
  readonly found: ConfiguredProject | undefined
  /** What projects and endpoints showed, for what it says of the release. */
  readonly shown: readonly ShownItems[]
}

interface ProjectAnswer {
  readonly project: ConfiguredProject
  /** undefined where the service shows the project. */
  readonly fault: ServiceFault | undefined
  readonly shown?: ShownItems | undefined
}

/** Asks for each project, and says of the answers what they mean for the base path, the keys and the projects. */
export async function checkProjects(examiner: ServiceExaminer, context: ServiceContext): Promise<CheckedProjects> {
  const { listings } = context.service
  const { projects, total, unread, isEmpty } = await knownProjects(examiner, context.service)
  const withKey = projects.filter(({ key }) => key !== '')
  if (withKey.length === 0 && unread === undefined) {
    if (isEmpty) return nothingListed
    const waiting = [skipped('there is no key: see configuration')]
    return {
      diagnoses: [
        ['base-path', waiting],
        ['key', waiting],
        ['projects', waiting],
      ],
      found: undefined,
      shown: [],
    }
  }
  // What the list says of the key and the base path counts, too.
  const asked: ProjectAnswer[] = unread === undefined ? [] : [unread]
  for (const some of chunks(withKey, atOnce)) {
    asked.push(
      ...(await Promise.all(
        some.map(async (project) => ({ project, ...(await askFor(project, listings.project, examiner)) })),
      )),
    )
  }
  const basePath = basePathDiagnosis(asked, context)
  const keys = await keyDiagnoses(asked, examiner, context)
  const explain = (each: ProjectAnswer) => {
    if (isRefused(asked.filter(({ project }) => project.key === each.project.key))) return 'key'
    return basePath.status === 'fail' && isOfBasePath(each) ? 'base-path' : undefined
  }
  return {
    diagnoses: [
      ['base-path', [basePath]],
      ['key', keys],
      [
        'projects',
        projectDiagnoses(asked, { total, keyless: projects.length - withKey.length, file: context.file, explain }),
      ],
    ],
    found: asked.find(({ fault }) => fault === undefined)?.project,
    shown: asked.flatMap(({ shown }) => shown ?? []),
  }
}

const atOnce = 4

const nothingListed: CheckedProjects = {
  diagnoses: [
    [
      'projects',
      [
        fail(
          'the list of the service has no project that the configuration asks for',
          'Check `organisation`, the patterns under `projects`, and what the key may read.',
        ),
      ],
    ],
  ],
  found: undefined,
  shown: [],
}

/** The project itself, or its endpoints where the service does not show projects. */
async function askFor(
  project: ConfiguredProject,
  offer: Offer,
  examiner: ServiceExaminer,
): Promise<Omit<ProjectAnswer, 'project'>> {
  const access = accessOf(project)
  if (offer !== 'off') {
    const answer = await resultOf(examiner.project(access))
    if (answer.fault === undefined) return { fault: undefined, shown: { listing: 'project', items: [answer.value] } }
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

const ofBasePath: readonly FaultKind[] = ['wrong_url', 'not_offered', 'malformed']
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

/** Whether the service refused a key for each of its projects; for one alone, it is a matter of that project. */
function isRefused(ofKey: readonly ProjectAnswer[]): boolean {
  const [kind, ...others] = new Set(kindsOf(ofKey))
  return others.length === 0 && (kind === 'refused_key' || kind === 'forbidden')
}

function kindsOf(asked: readonly ProjectAnswer[]): readonly (FaultKind | undefined)[] {
  return asked.map(({ fault }) => fault?.kind)
}

function basePathDiagnosis(asked: readonly ProjectAnswer[], { service }: ServiceContext): Diagnosis {
  const { url, dialect } = service.settings
  if (kindsOf(asked).some((kind) => kind === undefined || !beforeKey.includes(kind)))
    return ok(`${shownBase(url)} answers under ${dialect.pathPrefix || '/'} as the API does`)
  const fault = asked.find(isOfBasePath)?.fault
  return fault === undefined ? skipped('no answer of the service shows it: see projects') : faultDiagnosis(fault)
}

/** One diagnosis for each key, however many projects it is for. */
async function keyDiagnoses(
  asked: readonly ProjectAnswer[],
  examiner: ServiceExaminer,
  { file }: ServiceContext,
): Promise<readonly Diagnosis[]> {
  const byKey = Map.groupBy(asked, ({ project }) => project.key)
  const found: Diagnosis[] = []
  for (const [key, ofKey] of byKey) {
    const [first] = ofKey
    if (first === undefined) continue
    const described = describeKey(key, first.project.keyPlace, file)
    const isUnchecked = kindsOf(ofKey).every((kind) => kind !== undefined && beforeKey.includes(kind))
    if (first.fault !== undefined && isRefused(ofKey)) {
      const { kind, facts } = first.fault
      found.push(fail(`${described}: ${bareWhat(facts.what)}`, stepAfterFault(kind, facts.url)))
    } else if (isUnchecked) found.push(skipped(`${described}: the service did not check it`))
    else found.push(ok(`${described}: ${await describeOwner(first.project, examiner)}`))
  }
  return found
}

async function describeOwner(project: ConfiguredProject, examiner: ServiceExaminer): Promise<string> {
  const owner = await examiner.keyOwner(accessOf(project))
  if (owner === undefined) return 'accepted; the service does not show whose it is'
  return owner === 'a person' ? 'accepted, a personal key' : `accepted, the key of one project: ${owner.project}`
}

interface ProjectContext {
  /** How many there are, asked for or not. */
  readonly total: number
  readonly keyless: number
  readonly file: string
  /** The check that explains why a project was not found; undefined where its own row does. */
  readonly explain: (asked: ProjectAnswer) => 'key' | 'base-path' | undefined
}

/** One diagnosis for each cause, with the projects that it is about. */
function projectDiagnoses(
  asked: readonly ProjectAnswer[],
  { total, keyless, file, explain }: ProjectContext,
): readonly Diagnosis[] {
  const faults = asked.filter(({ fault }) => fault !== undefined)
  const shown = asked.filter(({ fault }) => fault === undefined).map(nameOf)
  const byCause = Map.groupBy(faults, (each) => {
    return explain(each) ?? JSON.stringify([each.fault?.kind, bareWhat(each.fault?.facts.what ?? '')])
  })
  const others = total - asked.length - keyless
  const unasked = others > 0 ? `; the other ${others} were not asked for` : ''
  const found = shown.length === 0 ? [] : [ok(`${shown.length} of ${total} found: ${someOf(shown)}${unasked}`)]
  const failed = [...byCause.values()].flatMap((alike): readonly Diagnosis[] => {
    const [first] = alike
    if (first?.fault === undefined) return []
    const names = someOf(alike.map(nameOf))
    const explained = explain(first)
    if (explained !== undefined) return [skipped(`${names}: see ${explained}`)]
    const place = alike.length === 1 ? ` (${file}:${first.project.line})` : ''
    return [faultDiagnosis(first.fault, `${names}${place}: `)]
  })
  return [...found, ...failed, ...(keyless === 0 ? [] : [skipped(`${count(keyless, 'project')} without a key`)])]
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
