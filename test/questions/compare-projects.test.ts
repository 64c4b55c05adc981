import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readHostMapping } from '../../src/gateway/inventory/diff-counterparts.ts'
import type { Kind } from '../../src/model/resource.ts'
import type { ComparedRow } from '../../src/questions/compared-row.ts'
import { arbitraryWorld, compareWorlds, elsewhere, linesOf, type World } from './comparison-worlds.ts'

const complete = (world: World): World => ({ ...world, incomplete: [] })
const isUnclear = ({ change }: ComparedRow) => change === 'ambiguous' || change === 'unknown'

it('finds no difference between a project and itself', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, async (world) => {
      const { rows, shared, exitCode } = compareWorlds({ stage: world }, { a: 'stage', b: 'stage/payments' })
      expect({ rows, shared, exitCode }).toEqual({ rows: [], shared: 0, exitCode: world.incomplete.length > 0 ? 3 : 0 })
    }),
  )
})

it('finds no difference between a project and its copy with other uids, secrets and order', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld.map(complete), async (stage) => {
      const { rows, shared, exitCode } = compareWorlds({ stage, prod: elsewhere(stage) })
      // Of two resources of one name, none is taken for the counterpart of the other.
      expect(rows.filter(({ change }) => change !== 'ambiguous')).toEqual([])
      expect({ exitCode, shared }).toEqual({ exitCode: rows.length > 0 ? 1 : 0, shared: 0 })
    }),
  )
})

it('exchanges the sides when A and B are exchanged', async () => {
  const opposite = { only_in_a: 'only_in_b', only_in_b: 'only_in_a' } as const
  const swapped = ({ change, uid, other_uid, kind, project, fields }: ComparedRow) => {
    const isPair = other_uid !== null
    return {
      change: change === 'only_in_a' || change === 'only_in_b' ? opposite[change] : change,
      kind,
      uids: isPair ? [other_uid, uid] : [project, uid],
      fields: fields.map(({ path, before, after }) => ({ path, before: after, after: before })),
    }
  }
  const plain = ({ change, uid, other_uid, kind, project, fields }: ComparedRow) => ({
    change,
    kind,
    uids: other_uid !== null ? [uid, other_uid] : [project, uid],
    fields,
  })
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, arbitraryWorld, async (stage, other) => {
      const worlds = { stage, prod: elsewhere(other) }
      const there = compareWorlds(worlds)
      const back = compareWorlds(worlds, { a: 'prod', b: 'stage' })
      expect(sorted(back.rows.map(swapped))).toEqual(sorted(there.rows.map(plain)))
      expect(back.exitCode).toBe(there.exitCode)
    }),
  )
})

it('takes a renamed host for no difference where it is mapped', async () => {
  const hosts = [readHostMapping('*.stage.example.com=*.example.com') ?? { from: '', to: '' }]
  await fc.assert(
    fc.asyncProperty(arbitraryWorld.map(complete), async (stage) => {
      const prod: World = JSON.parse(JSON.stringify(elsewhere(stage)).replaceAll('.stage.example.com', '.example.com'))
      const { rows } = compareWorlds({ stage, prod }, { hosts })
      expect(rows.filter(({ change }) => change !== 'ambiguous')).toEqual([])
      const unmapped = compareWorlds({ stage, prod })
      for (const { change, fields } of unmapped.rows) {
        if (change !== 'ambiguous') expect(fields.map(({ path }) => path)).toEqual(['/url'])
      }
    }),
  )
})

it('never says that a side lacks what it was not scanned for, and never calls it equal', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, arbitraryWorld, async (stage, prod) => {
      const { rows, exitCode } = compareWorlds({ stage, prod })
      for (const { change, kind } of rows) {
        const incomplete = [...stage.incomplete, ...prod.incomplete]
        // What a reference leads to is unknown where its kind is.
        const leadsTo: readonly Kind[] = kind === 'subscription' ? ['endpoint', 'source', kind] : [kind]
        const isScanned =
          change === 'unknown' ? !leadsTo.some((one) => incomplete.includes(one)) : !incomplete.includes(kind)
        if (change === 'only_in_a' || change === 'only_in_b') expect(isScanned).toBe(true)
        if (change === 'unknown') expect(isScanned).toBe(false)
      }
      const isIncomplete = stage.incomplete.length + prod.incomplete.length > 0
      expect(exitCode).toBe(isIncomplete ? 3 : rows.length > 0 ? 1 : 0)
    }),
  )
})

it('finds every edit of a resource that has one counterpart, and names its field', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld.map(complete), fc.nat(), async (stage, at) => {
      const copy = elsewhere(stage)
      const { kind, attributes } = copy.resources[at % copy.resources.length] ?? { kind: 'project', attributes: {} }
      const prod = {
        ...copy,
        resources: copy.resources.map((one) =>
          one.attributes === attributes ? { kind, attributes: { ...one.attributes, logo_url: 'edited' } } : one,
        ),
      }
      const before = {
        ...stage,
        resources: stage.resources.map(({ kind, attributes }) => ({
          kind,
          attributes: { ...attributes, logo_url: null },
        })),
      }
      const { rows } = compareWorlds({ stage: before, prod: withDefault(prod) })
      const isAmbiguous = rows.some(({ change, uid }) => change === 'ambiguous' && uid === attributes.uid)
      const found = rows.filter((row) => !isUnclear(row)).map(({ other_uid, fields }) => [other_uid, fields])
      const fields = [{ path: '/logo_url', before: null, after: 'edited' }]
      expect(found).toEqual(isAmbiguous ? [] : [[attributes.uid, fields]])
    }),
  )
})

function withDefault({ resources, ...rest }: World): World {
  return {
    ...rest,
    resources: resources.map(({ kind, attributes }) => ({ kind, attributes: { logo_url: null, ...attributes } })),
  }
}

it('matches endpoints by the path of their address, or by owner and name', async () => {
  const world = (...endpoints: { name: string; owner_id: string; url: string }[]): World => ({
    resources: endpoints.map((one, at) => ({ kind: 'endpoint', attributes: { uid: `${at}`, ...one } })),
    incomplete: [],
  })
  const stage = world(
    { name: 'a', owner_id: '1', url: 'https://h.example/x' },
    { name: 'a', owner_id: '2', url: 'https://h.example' },
  )
  const prod = world(
    { name: 'b', owner_id: '1', url: 'https://h.example/x?y' },
    { name: 'a', owner_id: '2', url: 'https://h.example/' },
  )
  const by = async (matching: 'name' | 'url_path' | 'owner+name') =>
    linesOf(compareWorlds({ stage, prod }, { matching }).rows)
  expect(await by('name')).toEqual([
    'stage/payments ambiguous endpoint a',
    'stage/payments ambiguous endpoint a',
    'prod/payments ambiguous endpoint a',
    'prod/payments only_in_b endpoint b',
  ])
  expect(await by('owner+name')).toEqual([
    'stage/payments only_in_a endpoint a',
    'prod/payments only_in_b endpoint b',
    'stage/payments modified endpoint a /url',
  ])
  expect(await by('url_path')).toEqual([
    'stage/payments modified endpoint a /url',
    'stage/payments modified endpoint a /name /url',
  ])
})

it('says of each kind by what several match', () => {
  const twice = (kind: Kind, ...uids: string[]) =>
    uids.map((uid) => ({ kind, attributes: { uid, name: 'a', url: 'https://h.example/x' } }))
  const world: World = {
    incomplete: [],
    resources: [...twice('endpoint', '1', '2'), ...twice('subscription', '3', '4')],
  }
  const { rows } = compareWorlds({ stage: world, prod: world }, { matching: 'url_path' })
  expect(new Set(rows.map(({ kind, reason }) => `${kind}: ${reason}`))).toEqual(
    new Set(['endpoint: 2 in A and 2 in B match by url_path', 'subscription: 2 in A and 2 in B match by name']),
  )
})

it('compares references by what they lead to', async () => {
  const endpoints = (...names: string[]) =>
    names.map((name, at) => ({ kind: 'endpoint' as const, attributes: { uid: `${name}-${at}`, name } }))
  const world = (to: string | null, ...names: string[]): World => ({
    resources: [
      ...endpoints(...names),
      { kind: 'subscription', attributes: { uid: 's', name: 's', endpoint_uid: to } },
    ],
    incomplete: [],
  })
  const found = async (stage: World, prod: World) => {
    const { rows, more } = compareWorlds({ stage, prod }, { kind: 'subscription' })
    return { fields: rows.flatMap(({ fields }) => fields), not_compared: more?.not_compared }
  }
  const nothing = { fields: [], not_compared: [] }
  const differing = (before: string | null, after: string | null) => ({
    fields: [{ path: '/endpoint_uid', before, after }],
    not_compared: [],
  })
  expect(await found(world('a-0', 'a', 'b'), world('a-1', 'b', 'a'))).toEqual(nothing)
  expect(await found(world('a-0', 'a', 'b'), world('b-0', 'b', 'a'))).toEqual(differing('a', 'b'))
  expect(await found(world(null), world(null))).toEqual(nothing)
  expect(await found(world('a-0', 'a'), world(null, 'a'))).toEqual(differing('a', null))
  // Both lead to a resource that was deleted.
  expect(await found(world('gone'), world('lost'))).toEqual(nothing)
  expect(await found(world('a-0', 'a'), world('lost', 'a'))).toEqual(differing('a', 'lost'))
  const unclear = { fields: [], not_compared: [{ kind: 'subscription', path: '/endpoint_uid', resources: 1 }] }
  expect(await found(world('a-0', 'a', 'a'), world('a-0', 'a'))).toEqual(unclear)
  const unseen: World = { ...world('x'), incomplete: ['endpoint'] }
  expect(await found(unseen, world('a-0', 'a'))).toEqual(unclear)
})

it('says of a resource why it may be gone, where neither side still lists its kind', () => {
  const stage: World = {
    incomplete: [],
    resources: [{ kind: 'event_type', attributes: { uid: 'E', name: 'order.paid' } }],
  }
  const { rows } = compareWorlds({ stage, prod: { incomplete: [], resources: [] } })
  const reason = 'it may be gone: run 3 did not scan every event_type'
  expect(rows).toMatchObject([{ uid: 'E', change: 'unknown', reason }])
})

it('calls a source neither equal nor different that no subscription shows any longer', () => {
  const source = { kind: 'source', attributes: { uid: 'S', name: 'bank', is_disabled: false } } as const
  const prod: World = { incomplete: [], resources: [source] }
  const stage: World = { incomplete: [], resources: [{ ...source, isUnreferenced: true }] }
  const reason = 'no subscription refers to it, and stage/payments lists it nowhere else'
  for (const [a, b] of [
    ['stage', 'prod'],
    ['prod', 'stage'],
  ] as const) {
    const { rows, exitCode } = compareWorlds({ stage, prod }, { a, b })
    expect(rows).toMatchObject([{ uid: 'S', other_uid: 'S', change: 'unknown', reason, fields: [] }])
    expect(exitCode).toBe(3)
  }
  expect(compareWorlds({ stage }, { b: 'stage' })).toMatchObject({ rows: [], exitCode: 0 })
})

it('names every resource of B that has a secret of one of A', () => {
  const endpoint = (uid: string, ...digits: string[]) => {
    const secrets = Object.fromEntries(digits.map((digit) => [digit, { value: `sealed:${digit.repeat(32)}` }]))
    return { kind: 'endpoint' as const, attributes: { uid, name: uid, secrets } }
  }
  const stage: World = { incomplete: [], resources: [endpoint('a', '1', '2')] }
  const prod: World = { incomplete: [], resources: [endpoint('x', '1'), endpoint('y', '2')] }
  expect(compareWorlds({ stage, prod }).reasons).toEqual(['prod/payments has them in endpoint "x", endpoint "y"'])
  const { reasons } = compareWorlds({ stage: prod, prod: stage })
  expect(reasons).toEqual(Array(2).fill('prod/payments has it in endpoint "a"'))
})

it('says that secrets under several keys are not comparable', () => {
  const value = `sealed:${'1'.repeat(32)}`
  const stage: World = {
    incomplete: [],
    resources: [{ kind: 'endpoint', attributes: { uid: 'a', name: 'a', secrets: { s: { value } } } }],
  }
  const compared = (prod: World) => {
    const { shared, more } = compareWorlds({ stage, prod })
    return { shared, comparable: more?.secrets_comparable }
  }
  expect(compared(stage)).toEqual({ shared: 1, comparable: true })
  expect(compared({ ...stage, sealKeyId: 'other' })).toEqual({ shared: 0, comparable: false })
})

it('calls no two projects equal where the filter rows of one were not all read', () => {
  const stage: World = { incomplete: [], resources: [{ kind: 'subscription', attributes: { uid: 'S', name: 's' } }] }
  for (const filters of ['failed', 'partial', 'suspect'] as const) {
    const { rows, exitCode, more } = compareWorlds({ stage: { ...stage, filters }, prod: stage })
    const gap = { project: 'stage/payments', kind: 'subscription', reason: 'run 3 did not read all filter rows' }
    expect({ rows, exitCode, gaps: more?.gaps }).toEqual({ rows: [], exitCode: 3, gaps: [gap] })
  }
  for (const filters of ['complete', 'skipped'] as const)
    expect(compareWorlds({ stage: { ...stage, filters }, prod: stage }).exitCode).toBe(0)
  for (const others of [{ kind: 'endpoint' }, { ignored: [['filters']] }] as const)
    expect(compareWorlds({ stage: { ...stage, filters: 'failed' }, prod: stage }, others).exitCode).toBe(0)
})
