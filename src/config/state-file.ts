import { hash } from 'node:crypto'
import { z } from 'zod'
import { normaliserVersion } from '../gateway/fields.ts'
import { openSecrets } from '../gateway/inventory/open-secrets.ts'
import type { ApprovedResource, ScopeByKind } from '../history/approvals.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type Json, type JsonObject, stepsOf } from '../model/json.ts'
import { kinds, listings, longestUid, type ProjectRef, projectKey } from '../model/resource.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import { refuseProblems } from '../model/yaml/problem.ts'
import { readDocument } from '../model/yaml/read-document.ts'
import { writeYaml } from '../model/yaml/write-yaml.ts'

/** The state of a project, as its file says. */
export interface ProjectState {
  readonly project: ProjectRef
  readonly scopes: ScopeByKind
  readonly resources: readonly ApprovedResource[]
}

/** Larger files are refused, in both directions. */
export const stateFileLimits = { mebibytes: 16, tokens: 8_000_000 }

const kind = z.enum(kinds)
const name = z.string().min(1)
const uid = name.max(longestUid)
const sealKey = z.string().regex(/^[0-9a-f]{16}$/, 'the id of an installation key, 16 hex digits')

const normalForms = `a normal form that this hookdrift knows, 1 to ${normaliserVersion}; export the state again with it`

const stateSchema = z.strictObject({
  schema: z.literal('hookdrift.baseline-file/1'),
  project: name,
  service: uid,
  uid,
  // Of an earlier form, what is sealed today is refused like any other secret.
  normal_form: z.int({ error: normalForms }).min(1, normalForms).max(normaliserVersion, normalForms),
  seal_key: sealKey,
  scopes: z.partialRecord(kind, z.strictObject({ listing: z.enum(listings), filter: z.string().nullable() })),
  resources: z.partialRecord(
    kind,
    z.record(
      uid,
      z.strictObject({ name: z.string(), seal_key: sealKey.optional(), attributes: z.record(z.string(), z.unknown()) }),
    ),
  ),
})

const header = `# The approved state of a project's configuration. Written by \`hookdrift baseline export\`; secrets are sealed.
`

/** Writes the same text for the same state, independent of who approved it and when. */
export function writeState({ project, scopes, resources }: ProjectState): string {
  const sealKey = commonKey(resources)
  const byKind = Map.groupBy(resources, (resource) => resource.kind)
  const written = [...byKind].map(([kind, ofKind]): [string, Json] => [
    kind,
    Object.fromEntries(ofKind.map((resource) => [resource.uid, bodyOf(resource, sealKey)])),
  ])
  const views = Object.entries(scopes).map(([kind, { listing, filter }]): [string, Json] => [kind, { listing, filter }])
  return `${header}${writeYaml({
    schema: 'hookdrift.baseline-file/1',
    project: project.name,
    service: project.service,
    uid: project.uid,
    normal_form: normaliserVersion,
    seal_key: sealKey,
    scopes: Object.fromEntries(views),
    resources: Object.fromEntries(written),
  })}`
}

function bodyOf({ name, attributes, sealKeyId }: ApprovedResource, sealKey: string): JsonObject {
  return { name, ...(sealKeyId === sealKey ? {} : { seal_key: sealKeyId }), attributes }
}

/** The key that sealed most of them. */
function commonKey(resources: readonly ApprovedResource[]): string {
  const counts = [...Map.groupBy(resources, ({ sealKeyId }) => sealKeyId)].sort(([a, x], [b, y]) => {
    return y.length - x.length || (a < b ? -1 : 1)
  })
  return counts[0]?.[0] ?? '0'.repeat(16)
}

/** @throws AuditError.usage with a line for every mistake, as `file:line:column` */
export function readState(text: string, file: string): ProjectState {
  const document = readDocument(text, {
    file,
    schema: stateSchema,
    takesAnyName: true,
    limits: stateFileLimits,
    isExact: () => true,
  })
  const { value } = document
  const resources = kinds.flatMap((kind) =>
    Object.entries(value.resources[kind] ?? {}).map(
      ([uid, { name, seal_key: sealKeyId = value.seal_key, attributes }]): ApprovedResource => {
        // YAML 1.2 under the core schema, without tags, has only JSON values.
        return { kind, uid, name, attributes: attributes as JsonObject, sealKeyId }
      },
    ),
  )
  refuseProblems(resources.flatMap((resource) => openParts(resource).map((path) => document.problem(path, openPart))))
  return {
    project: { name: value.project, service: value.service, uid: value.uid },
    scopes: Object.fromEntries(Object.entries(value.scopes).filter(([, view]) => view !== undefined)),
    resources,
  }
}

const openPart =
  'a secret is written out: a state has its seal alone, `sealed:…`, as reports and exported states show it'

/** Paths in the file of what would be sealed, and is not: the history takes a state as it is. */
function openParts({ kind, uid, name, attributes }: ApprovedResource): readonly NodePath[] {
  const at = ['resources', kind, uid]
  const open = [...openSecrets.inBody(kind, attributes)].map((pointer) => [...at, 'attributes', ...stepsOf(pointer)])
  return openSecrets.inName(kind, name) ? [...open, [...at, 'name']] : open
}

/** The file system, as far as reading a directory needs it. */
interface Files {
  /** Names in a directory. */
  list(directory: string): readonly string[]
  read(file: string): string
}

/**
 * Reads the states of a directory, one file per project.
 * @throws AuditError.usage when a file is not a state or is damaged (`file:line:column`), or two are of one project
 */
export function readStates(directory: string, files: Files): readonly ProjectState[] {
  const names = attempt(`cannot read the directory ${directory}`, () => files.list(directory))
  const stateNames = names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.')).sort()
  if (stateNames.length === 0) {
    throw AuditError.usage(`${directory} contains no state: expected files that \`hookdrift baseline export\` writes`)
  }
  const first = new Map<string, string>()
  return stateNames.map((name) => {
    const file = `${directory}/${name}`
    const state = readState(
      attempt(`cannot read ${file}`, () => files.read(file)),
      file,
    )
    const key = projectKey(state.project)
    const other = first.get(key)
    if (other !== undefined) throw AuditError.usage(`${file} and ${other} are states of the same project`)
    first.set(key, file)
    return state
  })
}

function attempt<Result>(doing: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw AuditError.usage(`${doing}: ${reasonOf(error)}`, { cause: error })
  }
}

/** A file name for each project: readable, harmless, and unique where case is ignored. */
export function fileNames(projects: readonly ProjectRef[]): ReadonlyMap<ProjectRef, string> {
  const plain = projects.map((project) => [project, plainName(project.name)] as const)
  const alike = Map.groupBy(plain, ([, name]) => name.toLowerCase())
  return new Map(
    plain.map(([project, name]) => {
      const isOwn = name === project.name.replace('/', '--') && alike.get(name.toLowerCase())?.length === 1
      return [project, `${isOwn ? name : `${name}-${digestOf(project)}`}.yaml`]
    }),
  )
}

function plainName(name: string): string {
  return name
    .replace('/', '--')
    .replace(/^\.|[^A-Za-z0-9._-]/g, '_')
    .slice(0, 100)
}

function digestOf(project: ProjectRef): string {
  return hash('sha256', projectKey(project)).slice(0, 8)
}
