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

async function start(file: string, order: FleetSizes) {
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
  return { child, ready: ready as Omit<ServiceProcess, 'stop'>, stop }
}
