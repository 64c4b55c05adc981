import { baseBefore } from '../../config/configuration-schema.ts'
import { createServiceExaminer } from '../../service/examine-service.ts'
import { shownBase } from '../../service/wire-request.ts'
import { type CheckRow, diagnosesOf, fail, type ServiceCheckName, skipped } from '../check.ts'
import { checkAddress } from './check-address.ts'
import { checkConnection } from './check-connection.ts'
import { checkPageSize } from './check-page-size.ts'
import { checkProjects } from './check-projects.ts'
import { rowsOf, type ServiceContext, type ServiceDiagnoses } from './context.ts'
import { inferRelease } from './infer-release.ts'

/** In the order in which one depends on another. */
const order = ['dns', 'tcp', 'tls', 'clock', 'release', 'base-path', 'key', 'page-size', 'projects'] as const

/** Checks one service, from its name to its projects; sends GET requests only. */
export async function checkService(context: ServiceContext): Promise<readonly CheckRow[]> {
  const { mended, diagnoses } = mendUrl(context)
  const { name } = context.service.settings
  try {
    const found = [...diagnoses, ...(await findFaults(mended))]
    return rowsOf(name, inOrder(found))
  } catch (error) {
    return rowsOf(
      name,
      inOrder([...diagnoses, ['tcp', diagnosesOf(error, 'Correct the service in the configuration.')]]),
    )
  }
}

async function findFaults(context: ServiceContext): Promise<ServiceDiagnoses> {
  const { service, clock, random, env } = context
  const { settings } = service
  const { dns, tcp } = await checkAddress(context)
  const address: ServiceDiagnoses = [
    ['dns', [dns]],
    ['tcp', [tcp]],
  ]
  if (dns.status === 'fail' || tcp.status === 'fail') return address
  const examiner = createServiceExaminer(settings, { clock, random, env })
  try {
    const connection = await checkConnection(examiner, { url: settings.url, now: clock.now() })
    const reached = [...address, ...connection.diagnoses]
    if (!connection.isAnswered) return reached
    const projects = await checkProjects(examiner, context)
    const pageSize = await checkPageSize(examiner, projects.found, settings.pageSize)
    return [
      ...reached,
      ['release', inferRelease([...projects.shown, ...pageSize.shown])],
      ...projects.diagnoses,
      ['page-size', [pageSize.diagnosis]],
    ]
  } finally {
    await examiner.close()
  }
}

/** People copy the URL of the API: the other checks go on with the one that was meant. */
function mendUrl(context: ServiceContext): { readonly mended: ServiceContext; readonly diagnoses: ServiceDiagnoses } {
  const { service } = context
  const { url, dialect } = service.settings
  const base = baseBefore(dialect.pathPrefix, url)
  if (base === undefined) return { mended: context, diagnoses: [] }
  const mended = { ...context, service: { ...service, settings: { ...service.settings, url: base } } }
  const fault = `url contains ${dialect.pathPrefix}, which hookdrift appends; checked without it`
  return { mended, diagnoses: [['base-path', [fail(fault, `Set url: ${shownBase(base)}`)]]] }
}

/** Each check in its place; those that were not reached wait for an earlier one. */
function inOrder(found: ServiceDiagnoses): ServiceDiagnoses {
  return order.map((check: ServiceCheckName) => {
    const all = found.filter(([of]) => of === check).flatMap(([, diagnoses]) => diagnoses)
    const failed = all.filter(({ status }) => status !== 'ok')
    // A mended URL answers well, and is wrong all the same.
    const diagnoses = check === 'base-path' && failed.length > 0 ? failed : all
    return [check, diagnoses.length === 0 ? [skipped('an earlier check failed')] : diagnoses] as const
  })
}
