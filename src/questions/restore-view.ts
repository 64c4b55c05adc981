import type { Json, JsonObject } from '../model/json.ts'
import type { Gateway } from '../repair/gateway.ts'
import { spell, spellBody } from '../repair/pieces.ts'
import type { RepairRequest } from '../repair/repair.ts'
import type { AnswerView } from '../report/show-answer.ts'
import type { ReadyChange } from './ready-changes.ts'
import type { Restoration, RestoreRow } from './restore-row.ts'
import { showRequests, showValue } from './show-restore.ts'

export function toRow(
  { resource, fixes }: Pick<Restoration, 'resource' | 'fixes'>,
  request: RepairRequest,
  gateway: Gateway,
): RestoreRow {
  const { project, kind, uid } = resource
  const { method, path, pathPlaceholders, body, placeholders, when } = request
  const { baseUrl, placeholders: ofGateway } = gateway
  const { 'content-type': type = [], ...others } = gateway.headers
  return {
    project: project.name,
    kind,
    uid,
    purpose: statePurpose(request, fixes),
    method,
    url: [...baseUrl, ...path],
    headers: body === null ? others : { ...others, 'content-type': type },
    body,
    placeholders: [
      ...ofGateway.map(({ name, in: place, hint }) => ({ name, in: place, path: null, hint })),
      ...pathPlaceholders.map(({ name, hint }) => ({ name, in: 'url' as const, path: null, hint })),
      ...placeholders.map(({ name, is, path, hint }) => {
        return { name, in: is === 'name' ? ('body_name' as const) : ('body' as const), path, hint }
      }),
    ],
    restores: fixes.length > 0 ? [] : request.restores,
    when,
  }
}

/** A request that fixes puts nothing back: its purpose names the values. */
function statePurpose({ purpose, body, restores }: RepairRequest, fixes: readonly ReadyChange[]): string {
  const sets = fixes.filter(({ path }) => restores.includes(path)).map(({ path, to }) => `${path} to ${showValue(to)}`)
  return body === null || sets.length === 0 ? purpose : `${purpose}: set ${sets.join(', ')}`
}

export function moreOf({ resource, former, fixes, isGone, left, dependents }: Restoration): Record<string, Json> {
  const { project, kind, uid, name } = resource
  return {
    resource: { project: project.name, kind, uid, name, is_gone: isGone },
    state:
      former === undefined
        ? null
        : {
            from_run: former.version.fromRun,
            from: former.version.from,
            to_run: former.version.toRun,
            to: former.version.to,
            basis: former.basis,
            rules: [...former.rules],
          },
    fixes: fixes.map(({ option, ...fix }) => ({ ...fix, option: option && { ...option } })),
    left_to_you: left.map(({ path, reason }) => ({ path, reason })),
    dependents: dependents.map((dependent) => ({ kind: 'subscription', ...dependent })),
  }
}

const columnNames = 'project kind uid purpose method url headers body placeholders restores when'.split(' ')

/** A row as answers have it: texts with `${NAME}` for a placeholder, whose places are listed. */
function spellRow(row: RestoreRow): JsonObject {
  const { project, kind, uid, purpose, method, url, headers, body, placeholders, restores, when } = row
  return {
    project,
    kind,
    uid,
    purpose,
    method,
    url: spell(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, spell(value)])),
    body: body && spellBody(body),
    placeholders: placeholders.map((placeholder) => ({ ...placeholder })),
    restores: [...restores],
    when,
  }
}

export const restoreView: AnswerView<RestoreRow> = {
  columns: columnNames.map((name) => ({ name, value: (row: RestoreRow) => spellRow(row)[name] ?? null })),
  shape: spellRow,
  lines: showRequests,
  nothing: 'There is no request to print.',
}
