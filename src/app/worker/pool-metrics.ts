import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import { type PoolState, type Refusal, refusals } from '../pool/workers.ts'

export interface PoolMetrics {
  /** Called when this worker takes a project over from one that was lost. */
  tookOver(): void
  /** Called when this worker takes no part in a run, with what differs. */
  leftOut(reason: Refusal): void
}

/** Registers what a worker that shares runs shows besides. What is of the whole pool, every worker shows alike. */
export function openPoolMetrics({
  registry,
  state,
  held,
  coordinates,
}: {
  readonly registry: Registry
  /** As of a few seconds ago; undefined when the server does not answer. */
  readonly state: () => Promise<PoolState | undefined>
  /** Seconds for which services are held, because they answered 429. */
  readonly held: () => ReadonlyMap<string, number>
  /** Whether this worker coordinates the run under way. */
  readonly coordinates: () => boolean
}): PoolMetrics {
  const registers = [registry]
  /** Shown from one state, which is read once for all of them. */
  const gauge = <Label extends string>(
    { name, help, labels = [] }: { readonly name: string; readonly help: string; readonly labels?: readonly Label[] },
    show: (poolState: PoolState, gauge: Gauge<Label>) => void,
  ) =>
    new Gauge({
      name: `hookdrift_${name}`,
      help,
      labelNames: labels,
      registers,
      async collect() {
        const poolState = await state()
        this.reset()
        // A gauge without labels begins at 0.
        if (poolState === undefined && labels.length === 0) this.remove()
        if (poolState !== undefined) show(poolState, this)
      },
    })
  gauge(
    {
      name: 'tasks',
      help: 'Projects of the run under way by what became of them: waiting, running, done or lost',
      labels: ['service', 'state'],
    },
    ({ tasks }, gauge) => {
      for (const { service, state, count } of tasks) gauge.set({ service, state }, count)
    },
  )
  gauge(
    { name: 'task_wait_seconds', help: 'How long the project waits that waits longest for a worker' },
    ({ oldestWaitS }, gauge) => gauge.set(oldestWaitS ?? 0),
  )
  gauge(
    {
      name: 'slots',
      help: 'Slots of all workers: how many walk a project, and how many are free',
      labels: ['state'],
    },
    ({ workers }, gauge) => {
      const busy = workers.reduce((sum, { walks }) => sum + walks.length, 0)
      gauge.set({ state: 'busy' }, busy)
      gauge.set({ state: 'free' }, workers.reduce((sum, { slots }) => sum + slots, 0) - busy)
    },
  )
  gauge({ name: 'workers', help: 'Workers that take part' }, ({ workers }, gauge) => gauge.set(workers.length))
  new Gauge({
    name: 'hookdrift_service_held_seconds',
    help: 'For how long no worker asks a service that answered 429',
    labelNames: ['service'],
    registers,
    collect() {
      this.reset()
      for (const [service, seconds] of held()) this.set({ service }, seconds)
    },
  })
  new Gauge({
    name: 'hookdrift_coordinator',
    help: '1 for the worker that coordinates the run under way',
    registers,
    collect() {
      this.set(coordinates() ? 1 : 0)
    },
  })
  const lost = new Counter({
    name: 'hookdrift_tasks_lost_total',
    help: 'Projects that this worker took over from a worker that was lost',
    registers,
  })
  const refused = new Counter({
    name: 'hookdrift_runs_left_total',
    help: 'Runs whose projects this worker left to others, because its files, its key or its version differ',
    labelNames: ['reason'],
    registers,
  })
  // A counter that begins with its first event hides that event from `increase()`.
  for (const reason of refusals) refused.inc({ reason }, 0)
  return {
    tookOver: () => lost.inc(),
    leftOut: (reason) => refused.inc({ reason }),
  }
}
