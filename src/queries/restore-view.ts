import type { Json } from '../model/json.ts'
import type { Gateway } from '../repair/gateway.ts'
import type { RepairRequest } from '../repair/repair.ts'
import type { AnswerView } from '../report/show-answer.ts'
import type { ReadyChange } from './ready-changes.ts'
import type { Restoration, RestoreRow } from './restore-row.ts'
import { showRequests, showValue } from './show-restore.ts'

export function toRow({ resource, fixes }: Restoration, request: RepairRequest, gateway: Gateway): RestoreRow {
  const { project, kind, uid } = resource
  const { method, path, body, placeholders } = request
  const { baseUrl, placeholders: ofGateway } = gateway
  const { 'content-type': type = '', ...others } = gateway.headers
  return {
    ...{ project: project.name, kind, uid, purpose: statePurpose(request, fixes), method, url: `${baseUrl}${path}` },
    headers: body === null ? others : { ...others, 'content-type': type },
    body,
    placeholders: [
      ...ofGateway.map(({ name, hint }) => ({ name, path: null, hint })),
      ...placeholders.map(({ name, path, hint }) => ({ name, path, hint })),
    ],
    restores: fixes.length > 0 ? [] : request.restores,
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
            ...{ from_run: former.version.fromRun, from: former.version.from, to_run: former.version.toRun },
            ...{ to: former.version.to, basis: former.basis, rules: [...former.rules] },
          },
    fixes: fixes.map(({ option, ...fix }) => ({ ...fix, option: option && { ...option } })),
    left_to_you: left.map(({ path, reason }) => ({ path, reason })),
    dependents: dependents.map((dependent) => ({ kind: 'subscription', ...dependent })),
  }
}

export const restoreView: AnswerView<RestoreRow> = {
  columns: [
    ...(['project', 'kind', 'uid', 'purpose', 'method', 'url'] as const).map((name) => ({
      name,
      value: (row: RestoreRow) => row[name],
    })),
    { name: 'headers', value: ({ headers }) => ({ ...headers }) },
    { name: 'body', value: ({ body }) => body },
    { name: 'placeholders', value: ({ placeholders }) => placeholders.map((placeholder) => ({ ...placeholder })) },
    { name: 'restores', value: ({ restores }) => [...restores] },
  ],
  lines: showRequests,
  nothing: 'There is no request to print.',
}
