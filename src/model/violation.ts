import { hash } from 'node:crypto'
import type { Kind, ProjectRef } from './resource.ts'

/** Worst first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof severities)[number]

export function isAtLeast(severity: Severity, threshold: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(threshold)
}

/**
 * Where a violation stands in a run: first seen by it, seen again, proven gone, or not looked at well enough to say
 * (carried with the time it was last seen), or accepted by a waiver.
 */
export const violationStates = ['opened', 'continuing', 'resolved', 'unknown', 'waived'] as const
export type ViolationState = (typeof violationStates)[number]

/** Who accepted a violation, why, and until when. */
export interface Waiver {
  readonly owner: string
  readonly reason: string
  /** The instant from which it holds no more, ISO 8601 in UTC. */
  readonly expires: string
  readonly ticket?: string
}

/** What a rule found, stamped with where and how bad. */
export interface Finding {
  readonly rule: string
  readonly severity: Severity
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  /** JSON Pointer into the resource's attributes; empty when the whole resource is meant. */
  readonly path: string
  readonly message: string
  /** Under which it is accepted, if it is. */
  readonly waiver?: Waiver | undefined
}

/**
 * The violation's name over time: the same rule at the same place of the same resource, whatever its message or
 * severity. 32 hex digits.
 */
export function fingerprintOf(project: ProjectRef, { rule, kind, uid, path }: Finding): string {
  return hash('sha256', JSON.stringify([rule, project.service, project.uid, kind, uid, path])).slice(0, 32)
}
