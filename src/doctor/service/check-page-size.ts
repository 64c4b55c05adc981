import type { ConfiguredProject } from '../../config/configuration.ts'
import type { ServiceExaminer } from '../../service/examine-service.ts'
import { ServiceFault } from '../../service/service-fault.ts'
import { type Diagnosis, ok, skipped, warn } from '../check.ts'
import { accessOf } from './context.ts'
import { faultDiagnosis } from './describe-fault.ts'
import type { ShownItems } from './infer-release.ts'

interface CheckedPageSize {
  readonly diagnosis: Diagnosis
  /** What the page showed. */
  readonly shown: readonly ShownItems[]
}

/** Asks for one page of the configured size. A service may grant a smaller one, which costs more requests. */
export async function checkPageSize(
  examiner: ServiceExaminer,
  project: ConfiguredProject | undefined,
  asked: number,
): Promise<CheckedPageSize> {
  if (project === undefined) return { diagnosis: skipped('no project to ask for: see projects'), shown: [] }
  try {
    const { granted = asked, items } = await examiner.endpointPage(accessOf(project))
    return { diagnosis: sizeDiagnosis(granted, asked, examiner.rateLimit()), shown: [{ listing: 'endpoints', items }] }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    const found = faultDiagnosis(error, `a page of ${asked} items: `)
    const isLess = await isReadable(examiner, project)
    return { diagnosis: isLess ? { ...found, remediation: 'Lower `page_size` of the service.' } : found, shown: [] }
  }
}

function sizeDiagnosis(granted: number, asked: number, limit: string | undefined): Diagnosis {
  const rate = `rate limit ${limit === undefined ? 'not named' : `${limit} (x-ratelimit-limit)`}`
  if (granted >= asked) return ok(`pages of ${asked} items are granted; ${rate}`)
  return warn(`pages of ${asked} items are cut to ${granted}; ${rate}`, `Set page_size: ${granted} for this service.`)
}

/** Whether a page of one item can be read, so that the size is to blame. */
async function isReadable(examiner: ServiceExaminer, project: ConfiguredProject): Promise<boolean> {
  try {
    await examiner.firstItem(accessOf(project))
    return true
  } catch (error) {
    if (error instanceof ServiceFault) return false
    throw error
  }
}
