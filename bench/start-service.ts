import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface FleetSizes {
  readonly projects: number
  readonly endpointsPerProject: number
  readonly subscriptionsPerProject: number
}

/** A simulated service in a process of its own, which ends with this one. */
export interface ServiceProcess {
  readonly url: string
  readonly key: string
  /** uids. */
  readonly projects: readonly string[]
  stop(): void
}

/** Every page is rendered before this resolves, so that a client is measured and not the service. */
export async function startService(sizes: FleetSizes): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, 'service.ts'), [JSON.stringify(sizes)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the simulated service ended early (${code})`)
  })
  const [ready] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  return { ...(ready as Omit<ServiceProcess, 'stop'>), stop: () => child.disconnect() }
}
