import { canonicalJson } from '../model/canonical-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { createPlaceholders, type Placeholders, reference, withoutSeals } from './placeholders.ts'
import type { Repair, RepairCase, RepairRequest, RequestPlaceholder } from './repair.ts'
import { requestFields } from './request-fields.ts'
import { statusRequests } from './status-requests.ts'
import { type LeftToYou, unknownFields, writeBody } from './write-body.ts'

/** The requests that bring a resource from its present state to an earlier one, and what they leave to a person. */
export function composeRepair(job: RepairCase): Repair {
  const { kind, target, now, changed, gone } = job
  if (now !== undefined && changed.length === 0) return { requests: [], left: [] }
  const written = writeBody(requestFields[kind], { target, now })
  const left: LeftToYou[] = [...written.left]
  const placeholders = createPlaceholders(kind, [canonicalJson(written.body), ...job.reserved.map(reference)].join(' '))
  const filled = placeholders.fill(written.body, '')
  const body: Record<string, Json> = isJsonObject(filled) ? { ...filled } : {}
  for (const attribute of gone) body[wireNames[attribute]] = placeholders.make(...goneReference(attribute))

  const status = kind === 'endpoint' && now !== undefined ? statusRequests(job, now) : { requests: [], left: [] }
  const isStatus = (path: string) => kind === 'endpoint' && path === '/status'
  const isLeft = (path: string) => left.some((each) => path === each.path || path.startsWith(`${each.path}/`))
  const restored = changed.filter((path) => !isStatus(path) && !isLeft(path))

  const unknown = unknownFields(requestFields[kind], { target, now })
  if (unknown.length > 0 && (now === undefined || restored.length > 0)) {
    left.push(...unknown.map((path) => ({ path, reason: neverShown })))
  }
  const place = `/projects/${encodeURIComponent(job.projectUid)}`
  const requests: RepairRequest[] = []
  if (now === undefined) {
    if (kind === 'endpoint') left.push(...prepareCreation(target, body, placeholders))
    requests.push({
      ...{ method: 'POST', path: kind === 'project' ? '/projects' : `${place}/${kind}s`, body },
      ...{ purpose: `create the ${kind} anew`, restores: [], placeholders: describe(placeholders, job) },
    })
  } else if (restored.length > 0) {
    requests.push({
      ...{ method: 'PUT', path: kind === 'project' ? place : `${place}/${kind}s/${encodeURIComponent(job.uid)}`, body },
      ...{ purpose: `update the ${kind}`, restores: restored.map(withoutSeals) },
      placeholders: describe(placeholders, job),
    })
  }
  const all = [...left.filter(({ path }) => !(isStatus(path) && status.requests.length > 0)), ...status.left]
  return {
    requests: [...requests, ...status.requests],
    left: all
      .map(({ path, reason }) => ({ path: withoutSeals(path), reason }))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
  }
}

const wireNames = { endpoint_uid: 'endpoint_id', source_uid: 'source_id' } as const
const neverShown = 'The service never showed it: its value is not known, and the request leaves it out.'

function goneReference(attribute: 'endpoint_uid' | 'source_uid'): [name: string, path: string] {
  return attribute === 'endpoint_uid' ? ['NEW_ENDPOINT_ID', '/endpoint_id'] : ['NEW_SOURCE_ID', '/source_id']
}

/** A new endpoint is active, and signs with the secret that the request names. */
function prepareCreation(target: JsonObject, body: Record<string, Json>, placeholders: Placeholders): LeftToYou[] {
  const secrets = isJsonObject(target.secrets) ? Object.values(target.secrets).filter(isJsonObject) : []
  const active = secrets.filter(({ deleted_at }) => (deleted_at ?? null) === null)
  if (active.length > 0) body.secret = placeholders.make('ENDPOINT_SECRET', '/secret')
  const { status } = target
  return [
    ...(active.length > 1
      ? [{ path: '/secrets', reason: `It had ${active.length} signing secrets, and the request sets one.` }]
      : []),
    ...(typeof status === 'string' && status !== 'active'
      ? [{ path: '/status', reason: `It was ${withoutSeals(status)}, and the new one is active: pause it.` }]
      : []),
  ]
}

function describe(placeholders: Placeholders, { kind, target, now }: RepairCase): RequestPlaceholder[] {
  const fields = requestFields[kind]
  return placeholders.list().map(({ name, path }) => ({ name, path, hint: hintFor(path) }))

  function hintFor(path: string): string {
    if (path === '/endpoint_id') return 'the uid of the new endpoint: the former one is gone'
    if (path === '/source_id') return 'the uid of the new source: the former one is gone'
    if (path === '/secret') return 'the signing secret; without the member, the service makes one'
    const [, top = ''] = path.split('/')
    const field = Object.hasOwn(fields, top) ? Object.entries(fields).find(([key]) => key === top)?.[1] : undefined
    const isSame = now !== undefined && canonicalJson(now[top] ?? null) === canonicalJson(target[top] ?? null)
    if (!isSame) return 'the former secret'
    const isKept = field !== undefined && 'keeps' in field && field.keeps !== undefined
    return isKept ? `the present secret; Convoy keeps /${top} if you drop it from the body` : 'the present secret'
  }
}
