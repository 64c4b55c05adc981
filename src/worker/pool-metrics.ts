import { Counter, Gauge, type Registry } from 'prom-client'
import type { PoolState } from '../pool/read-pool-state.ts'
import { refusals, type WalkResult } from '../pool/walk-task.ts'

export interface PoolMetrics {
  /** Called when a slot of this worker is done with a job. */
  walked(result: WalkResult): void
  /** Called when this worker took a task over from one that was lost. */
  tookOver(): void
}

interface PoolMetricsDependencies {
  readonly registry: Registry
  /** As of a few seconds ago; undefined when the server does not answer. */
  readonly state: () => Promise<PoolState | undefined>
  /** Seconds for which services are held, because they answered 429. */
  readonly held: () => ReadonlyMap<string, number>
  /** Whether this worker coordinates the run under way. */
  readonly coordinates: () => boolean
}

/** Registers what a worker that shares runs shows besides. What is of the whole pool, every worker shows alike. */
export function openPoolMetrics({ registry, state, held, coordinates }: PoolMetricsDependencies): PoolMetrics {
  const registers = [registry]
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `hookdrift_${name}`, help, labelNames, registers })
  const wait = gauge('task_wait_seconds', 'How long the project waits that waits longest for a worker')
  const slots = gauge('slots', 'Slots of all workers: how many walk a project, and how many are free', ['state'])
  const workers = gauge('workers', 'Workers that take part')
  new Gauge({
    name: 'hookdrift_tasks',
    help: 'Projects of the run under way by what became of them: waiting, running, done or lost',
    labelNames: ['service', 'state'],
    registers,
    async collect() {
      const found = await state()
      for (const metric of [this, wait, slots, workers]) metric.reset()
      if (found === undefined) return
      for (const { service, state, count } of found.tasks) this.set({ service, state }, count)
      wait.set(found.oldestWaitS ?? 0)
      const busy = found.workers.reduce((sum, worker) => sum + worker.walks.length, 0)
      slots.set({ state: 'busy' }, busy)
      slots.set({ state: 'free' }, found.workers.reduce((sum, worker) => sum + worker.slots, 0) - busy)
      workers.set(found.workers.length)
    },
  })
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
    name: 'hookdrift_tasks_refused_total',
    help: 'Projects that this worker left to others, because its files or its key differ from those of the run',
    labelNames: ['reason'],
    registers,
  })
  // A counter that begins with its first event hides that event from `increase()`.
  for (const reason of refusals) refused.inc({ reason }, 0)
  return {
    walked(result) {
      const reason = refusals.find((refusal) => refusal === result)
      if (reason !== undefined) refused.inc({ reason })
    },
    tookOver: () => lost.inc(),
  }
}
