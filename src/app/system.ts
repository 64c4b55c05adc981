import { readFileSync, readlinkSync } from 'node:fs'
import { constants, hostname, setPriority, uptime, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LeaseOwner } from '../history/lease-owner.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { Clock } from '../model/time.ts'

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
}

/** Account and host, as the operating system names them. In a container, the account may be a number without a name. */
export function accountOnHost(): string {
  return `${systemUser() ?? `uid ${process.getuid?.() ?? 'unknown'}`} on ${hostname()}`
}

/** undefined where the account has no name. */
export function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/** This process as the owner of a lease, and what distinguishes it from other processes of this machine. */
export const thisProcess = {
  host: hostname(),
  bootId: bootId(),
  pid: process.pid,
  isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  },
  now: () => Date.now(),
  warn: (text: string) => void process.stderr.write(`hookdrift: ${neutralise(text)}\n`),
  every(ms: number, call: () => void) {
    const timer = setInterval(call, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
} satisfies LeaseOwner

/**
 * Lets audits on this machine go first: the thread that reads pages takes a tenth of what others take of a processor that
 * both want. Only on Linux, where the priority is the thread's and not the process's.
 */
export function letAuditsGoFirst(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Where the system forbids it, an audit is a little slower, and nothing worse.
  }
}

/**
 * Identifies this boot of this machine and its process namespace: a container has its own process ids, so an id says
 * nothing about processes of another container. Without a boot id of the kernel, the minute of the start is used.
 */
function bootId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `started ${new Date(Math.round((Date.now() / 1000 - uptime()) / 60) * 60_000).toISOString()}`
  }
}
