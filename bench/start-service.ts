import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface FleetSizes {
  readonly projects: number
  readonly endpointsPerProject: number
  readonly subscriptionsPerProject: number
  /** Of each answer. Default 0. */
  readonly latencyMs?: number
}

/** A simulated service in a process of its own, which ends with this one. */
export interface ServiceProcess {
  readonly url: string
  readonly key: string
  /** uids. */
  readonly projects: readonly string[]
  stop(): Promise<void>
}

/** One whose fleet lives from day to day; on the first at the start. */
export interface YearProcess extends ServiceProcess {
  /** Makes all edits up to a day, and renders what they touched. Days only pass. */
  become(day: number): Promise<void>
}

/** Several services alike, in one process. */
export interface PoolServices extends FleetSizes {
  readonly services: number
  readonly latencyMs: number
  readonly pageSize: number
}

/** What was asked of a service since it was last asked for this. */
export interface ServiceLoad {
  readonly requests: number
  /** Requests under way at one time. */
  readonly most: number
  /** Milliseconds since the epoch; 0 without a request. */
  readonly firstAt: number
  readonly lastAt: number
}

export interface PoolServicesProcess {
  readonly services: readonly Omit<ServiceProcess, 'stop'>[]
  takeLoads(): Promise<readonly ServiceLoad[]>
  stop(): Promise<void>
}

export async function startPoolServices(sizes: PoolServices): Promise<PoolServicesProcess> {
  const { child, ready, stop } = await start<Pick<PoolServicesProcess, 'services'>>('pool-service.ts', sizes)
  return {
    ...ready,
    stop,
    async takeLoads() {
      child.send('take')
      const [loads] = await once(child, 'message')
      return loads
    },
  }
}

/** Every page is rendered before this resolves, so that a client is measured and not the service. */
export async function startService(sizes: FleetSizes): Promise<ServiceProcess> {
  const { ready, stop } = await start('service.ts', sizes)
  return { ...ready, stop }
}

export async function startYear(order: FleetSizes & { readonly changesPerDay: number }): Promise<YearProcess> {
  const { child, ready, stop } = await start('year-service.ts', order)
  return {
    ...ready,
    stop,
    async become(day) {
      child.send(day)
      await once(child, 'message')
    },
  }
}

async function start<Ready = Omit<ServiceProcess, 'stop'>>(file: string, order: FleetSizes) {
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(order)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the simulated service ended early (${code})`)
  })
  const [ready] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  const stop = async () => {
    child.disconnect()
    await once(child, 'exit')
  }
  return { child, ready: ready as Ready, stop }
}
