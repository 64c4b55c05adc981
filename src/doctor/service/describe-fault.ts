import { bareWhat, stepAfterFault } from '../../report/describe-failures.ts'
import type { HttpFailure } from '../../service/reply.ts'
import type { ServiceFault } from '../../service/service-fault.ts'
import { type Diagnosis, fail } from '../check.ts'

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
