import { expect, it } from 'vitest'
import { stageResources } from '../../src/audit/stage-resources.ts'
import { openMemoryHistory } from '../../src/history/memory-history.ts'
import { normaliserVersion } from '../../src/inventory/wire-schema.ts'
import { Machines } from '../history/processes.ts'
import { aStart, at, aVersion, payments, seal, walkAll } from '../history/samples.ts'

it.each([
  { normaliser: normaliserVersion, drift: ['modified'], isReformed: false },
  { normaliser: normaliserVersion - 1, drift: [], isReformed: true },
])(
  'a body of normal form $normaliser is written anew, with drift $drift',
  async ({ normaliser, drift, isReformed }) => {
    const machines = new Machines()
    const history = openMemoryHistory(machines.process(1))
    const first = await history.begin(aStart())
    await walkAll(first)
    await first.stage(payments, { seen: [], versions: [aVersion('a', { name: 'A' }, { normaliser })] })
    await seal(first)

    const draft = await history.begin(aStart(at(2)))
    const stage = {
      draft,
      project: payments,
      baselines: await draft.baselines(payments),
      filters: {},
      wereSourcesListed: false,
      sealKeyId: 'key-1',
    }
    const resource = {
      kind: 'endpoint',
      uid: 'a',
      name: 'a',
      attributes: { name: 'a' },
      volatile: {},
      facts: {},
    } as const
    const staged = await stageResources(stage, 'endpoint', 'endpoints', [resource])
    expect(staged.resources.flatMap(({ change }) => change?.change ?? [])).toEqual(drift)
    expect(staged.isReformed).toBe(isReformed)
    await walkAll(draft)
    await seal(draft)
    const next = await history.begin(aStart(at(3)))
    const [known] = [...(await next.known(payments, 'endpoint', ['a'])).values()]
    const bodies = await next.bodies([known?.id ?? 0])
    expect([...bodies.values()]).toMatchObject([
      { attributes: { name: 'a' }, normaliser: normaliserVersion, fromRun: 2 },
    ])
    await next.abandon(at(4))
  },
)
