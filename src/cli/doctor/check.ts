import type { ReferenceSources } from '../../config/expand-references.ts'
import type { HttpFailure } from '../../gateway/service/reply.ts'
import type { ServiceFault } from '../../gateway/service/service-fault.ts'
import { AuditError, classOf, framesOf } from '../../model/errors.ts'
import type { Clock } from '../../model/time.ts'
import { bareWhat, stepAfterFault } from '../../report/describe-failures.ts'

export type CheckName =
  | 'node'
  | 'configuration'
  | 'policy'
  | 'policy-tests'
  | 'history'
  | 'seal-key'
  | ServiceCheckName
  | 'channel'
  | 'schedule'

export type ServiceCheckName =
  | 'dns'
  | 'tcp'
  | 'tls'
  | 'clock'
  | 'release'
  | 'base-path'
  | 'key'
  | 'page-size'
  | 'projects'

/** What a check came to. What is wrong says what to do about it. */
export type Diagnosis = CheckPass | Wrong

interface CheckPass {
  /** `skipped`: not checked, because of what another check found; or there is nothing to check. */
  readonly status: 'ok' | 'skipped'
  /** One line, without a secret. */
  readonly detail: string
  /** What to do; null for nothing. */
  readonly remediation: string | null
}

interface Wrong {
  readonly status: 'warn' | 'fail'
  readonly detail: string
  readonly remediation: string
}

/** One line of the answer. A check has a row for each thing that it found. */
export type CheckRow = Diagnosis & {
  readonly check: CheckName
  /** The service that it is about; null for the installation. */
  readonly service: string | null
}

/** Diagnoses of a service by check, in the order in which they were made. */
export type ServiceDiagnoses = readonly (readonly [ServiceCheckName, readonly Diagnosis[]])[]

export function ok(detail: string, remediation: string | null = null): Diagnosis {
  return { status: 'ok', detail, remediation }
}

export function warn(detail: string, remediation: string): Diagnosis {
  return { status: 'warn', detail, remediation }
}

export function fail(detail: string, remediation: string): Diagnosis {
  return { status: 'fail', detail, remediation }
}

export function skipped(detail: string): Diagnosis {
  return { status: 'skipped', detail, remediation: null }
}

/** Does a check whose errors must not end the others: an error becomes a diagnosis for each line of its message. */
export async function contain(
  remediation: string,
  check: () => Promise<readonly Diagnosis[]>,
): Promise<readonly Diagnosis[]> {
  try {
    return await check()
  } catch (error) {
    return diagnosesOf(error, remediation)
  }
}

/**
 * An error as diagnoses. Of a bug, only the line of the program is shown: its message may quote anything.
 * @param remediation what to do where the error itself does not say it
 */
export function diagnosesOf(error: unknown, remediation: string): readonly Diagnosis[] {
  if (!(error instanceof AuditError)) {
    const [, frame = ''] = framesOf(error).split('\n')
    return [fail(`a bug ended this check: ${classOf(error)} ${frame.trim()}`, 'Please report this line.')]
  }
  const advice = error.advice === undefined ? remediation : shortAdvice(error.advice)
  return error.message.split('\n').map((line) => fail(line, advice))
}

/** Advice may end in a whole file, which a row has no room for. */
export function shortAdvice(advice: string): string {
  const [line = '', ...more] = advice.split('\n')
  const short = more.length === 0 ? line : line.slice(0, line.lastIndexOf(','))
  return short.charAt(0).toUpperCase() + short.slice(1)
}

/** What the checks use of the process. */
export interface Setup {
  /** Absolute path of the configuration. */
  readonly config: string
  /** `--history`. */
  readonly history: string | undefined
  readonly sources: ReferenceSources
  readonly cwd: string
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  readonly nodeVersion: string
  readonly toolVersion: string
  /** A path for messages. */
  readonly showPath: (path: string) => string
}

/** A fault of a request as reports describe it: `GET https://…: 503 service unavailable (request id 8f2c)`. */
export function faultDiagnosis({ kind, facts }: ServiceFault, before = ''): Diagnosis {
  const { url, requestId } = facts
  const id = requestId === null ? '' : ` (request id ${requestId})`
  return fail(`${before}GET ${url}: ${bareWhat(facts.what)}${id}`, stepAfterFault(kind, url))
}

/** A failure before there was an answer. */
export function failureDiagnosis({ kind, what, hint }: HttpFailure, url: string): Diagnosis {
  return fail(`GET ${url}: ${what}${hint === null ? '' : `: ${hint}`}`, stepAfterFault(kind, url))
}
