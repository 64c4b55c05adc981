import type { SimulatedService } from '../../src/demo/simulated-service.ts'
import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import { composeRepair } from '../../src/gateway/repair/compose-repair.ts'
import { parseJson } from '../../src/gateway/service/parse-json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { RestoreRow } from '../../src/questions/restore-row.ts'
import { toRow } from '../../src/questions/show-restore.ts'
import { ask } from '../demo/ask.ts'
import { sealer } from '../inventory/inventory-fixture.ts'

/** A subscription and its filter rows, as the service shows them and as the history keeps them. */
export interface Observed {
  /** Without its times. */
  readonly listed: JsonObject
  /** By event type, without what is made anew with each row: its uid, and since when it is on. */
  readonly rows: JsonObject
  readonly attributes: JsonObject
}

export async function observe(service: SimulatedService, uid: string): Promise<Observed | undefined> {
  const page = await read(service, '/subscriptions?perPage=1000')
  const item = page.content.find((each: JsonObject) => each.uid === uid)
  if (item === undefined) return undefined
  const rows: JsonObject[] = await read(service, `/subscriptions/${uid}/filters`)
  const { listed } = takeInventory('subscriptions', [item], sealer, new Map([[uid, rows]]))
  const { uid: _, created_at: __, updated_at: ___, ...others } = item
  const shown = rows.map(({ uid: _, subscription_id: __, enabled_at, ...row }): [string, JsonObject] => {
    return [String(row.event_type), { ...row, isOn: enabled_at !== null }]
  })
  const sorted = shown.sort(([a], [b]) => (a < b ? -1 : 1))
  const { event_types: types, filter } = others.filter_config
  // Their order means nothing.
  const listedAs = { ...others, filter_config: { filter, event_types: [...types].sort() } }
  return { listed: listedAs, rows: Object.fromEntries(sorted), attributes: listed[0]?.attributes ?? {} }
}

// biome-ignore lint/suspicious/noExplicitAny: the service's answers are read as they come
async function read(service: SimulatedService, path: string): Promise<any> {
  const { text } = await ask(service, path)
  const parsed = parseJson(Buffer.from(text))
  if (!parsed.ok) throw new Error(parsed.reason)
  return Object(parsed.value).data
}

export interface Restored {
  readonly rows: readonly RestoreRow[]
  readonly left: readonly { readonly path: string; readonly reason: string }[]
  readonly notes: readonly string[]
}

/** The requests that put a subscription back. `changed`: default: all that differs. */
export function restoreSubscription(
  service: SimulatedService,
  uid: string,
  target: JsonObject,
  now: JsonObject | undefined,
  changed = now === undefined
    ? []
    : diffAttributes('subscription', target, now, { sealsComparable: true }).map(({ path }) => path),
): Restored {
  const project = service.fleet.projects()[0]
  const repair = composeRepair({
    kind: 'subscription',
    projectUid: project?.uid ?? '',
    uid,
    target,
    now,
    changed,
    gone: [],
    reserved: ['ACME_KEY'],
    activation: undefined,
  })
  const key = { name: 'ACME_KEY' }
  const gateway = {
    baseUrl: [`${service.url}/api/v1`],
    headers: { authorization: ['Bearer ', key], 'content-type': ['application/json'] },
    placeholders: [{ ...key, in: 'header' as const, hint: 'a key' }],
  }
  const restoration = {
    resource: {
      project: { service: 'acme', name: 'acme/p', uid: project?.uid ?? '' },
      kind: 'subscription' as const,
      uid,
      name: '',
    },
    former: undefined,
    rule: undefined,
    fixes: [],
    isGone: now === undefined,
    dependents: [],
    left: repair.manualSteps,
    notes: repair.notes,
  }
  return {
    rows: repair.requests.map((request) => toRow(restoration, request, gateway)),
    left: repair.manualSteps,
    notes: repair.notes,
  }
}
