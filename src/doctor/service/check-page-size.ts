import type { ConfiguredProject } from '../../config/configuration.ts'
import type { ServiceExaminer } from '../../service/examine-service.ts'
import { ServiceFault } from '../../service/service-fault.ts'
import { type Diagnosis, ok, skipped, warn } from '../check.ts'
import { accessOf } from './context.ts'
import { faultDiagnosis } from './describe-fault.ts'

/** Asks for one page of the configured size. A service may grant a smaller one, which costs more requests. */
export async function checkPageSize(
  examiner: ServiceExaminer,
  project: ConfiguredProject | undefined,
  asked: number,
): Promise<Diagnosis> {
  if (project === undefined) return skipped('no project to ask for: see projects')
  try {
    const granted = (await examiner.pageSize(accessOf(project))) ?? asked
    const limit = examiner.rateLimit()
    const rate = `rate limit ${limit === undefined ? 'not named' : `${limit} (x-ratelimit-limit)`}`
    if (granted >= asked) return ok(`pages of ${asked} items are granted; ${rate}`)
    return warn(`pages of ${asked} items are cut to ${granted}; ${rate}`, `Set page_size: ${granted} for this service.`)
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    const found = faultDiagnosis(error, `a page of ${asked} items: `)
    const isLess = await isReadable(examiner, project)
    return isLess ? { ...found, remediation: 'Lower `page_size` of the service.' } : found
  }
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
