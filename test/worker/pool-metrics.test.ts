import { Registry } from '@prometheus-io/client'
import { describe, expect, it } from 'vitest'
import type { PoolState } from '../../src/app/pool/workers.ts'
import { openPoolMetrics } from '../../src/app/worker/pool-metrics.ts'

const worker = { host: 'a', pid: 1, run: null }
const state: PoolState = {
  tasks: [
    { service: 'acme', state: 'waiting', count: 7 },
    { service: 'acme', state: 'running', count: 2 },
  ],
  oldestWaitS: 4.5,
  run: { number: 3, startedAt: '2026-11-21T03:00:00.000Z', stopsAt: '2026-11-21T04:00:00.000Z' },
  workers: [
    { ...worker, id: 'w1', slots: 4, walks: ['acme/orders', 'acme/payments'] },
    { ...worker, id: 'w2', slots: 8, walks: [] },
  ],
}

function open(found: PoolState | undefined) {
  const registry = new Registry()
  const metrics = openPoolMetrics({
    registry,
    state: async () => found,
    held: () => new Map([['acme', 2.5]]),
    coordinates: () => true,
  })
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return { metrics, lines }
}

describe('the metrics of workers that share runs', () => {
  it('show the whole pool in one scrape', async () => {
    const { metrics, lines } = open(state)
    metrics.leftOut('policy')
    metrics.tookOver()
    expect(await lines()).toEqual([
      'hookdrift_tasks{service="acme",state="waiting"} 7',
      'hookdrift_tasks{service="acme",state="running"} 2',
      'hookdrift_task_wait_seconds 4.5',
      'hookdrift_slots{state="busy"} 2',
      'hookdrift_slots{state="free"} 10',
      'hookdrift_workers 2',
      'hookdrift_service_held_seconds{service="acme"} 2.5',
      'hookdrift_coordinator 1',
      'hookdrift_tasks_lost_total 1',
      'hookdrift_runs_left_total{reason="version"} 0',
      'hookdrift_runs_left_total{reason="configuration"} 0',
      'hookdrift_runs_left_total{reason="policy"} 1',
      'hookdrift_runs_left_total{reason="seal_key"} 0',
    ])
  })

  it('say nothing of a pool that cannot be asked', async () => {
    const shown = (await open(undefined).lines()).filter((line) => /tasks\{|slots|workers|wait/.test(line))
    expect(shown).toEqual([])
  })
})
