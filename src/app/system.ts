import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LeaseOwner } from '../history/lease-owner.ts'
import type { Clock } from '../model/clock.ts'
import { neutralise } from '../text/neutralise.ts'

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
}

/** This process, as a lease names it. */
export const thisProcess: LeaseOwner = {
  host: hostname(),
  bootId: bootId(),
  pid: process.pid,
  isAlive(pid) {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  },
  now: () => Date.now(),
  warn: (text) => process.stderr.write(`hookdrift: ${neutralise(text)}\n`),
  mounts() {
    return process.env.HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM === '1' ? undefined : mountinfo()
  },
  every(ms, call) {
    const timer = setInterval(call, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}

/** Of Linux; other systems are not looked at. */
function mountinfo(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return undefined
  }
}

/**
 * This boot of this machine, and the process numbers that count here: a container has its own, and what runs in
 * another one cannot be told dead by its number. Where the kernel does not name its boot, the minute of its start does.
 */
function bootId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `started ${new Date(Math.round((Date.now() / 1000 - uptime()) / 60) * 60_000).toISOString()}`
  }
}
