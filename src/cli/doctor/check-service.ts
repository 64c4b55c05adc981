import { findListFault } from '../../audit/find-list-fault.ts'
import { kindOf } from '../../audit/project-scan.ts'
import type { ConfiguredProject, ConfiguredService } from '../../config/configuration.ts'
import { baseBefore } from '../../config/configuration-schema.ts'
import { maskingSealer } from '../../gateway/inventory/sealer.ts'
import { shapeOf } from '../../gateway/inventory/shape.ts'
import { takeInventory } from '../../gateway/inventory/take-inventory.ts'
import { ReleaseSigns } from '../../gateway/release-signs.ts'
import { createServiceExaminer, type ServiceExaminer } from '../../gateway/service/examine-service.ts'
import { networkFailure } from '../../gateway/service/network-failure.ts'
import { proxyFor } from '../../gateway/service/proxy-for.ts'
import { hostPortOf, isAddress, resolveHost, tryConnection } from '../../gateway/service/reach-host.ts'
import { ServiceFault } from '../../gateway/service/service-fault.ts'
import { displayBase } from '../../gateway/service/wire-request.ts'
import { describeReleases } from '../../model/release-range.ts'
import { stepAfterFault } from '../../report/describe-failures.ts'
import {
  type CheckRow,
  type Diagnosis,
  diagnosesOf,
  fail,
  faultDiagnosis,
  ok,
  type ServiceCheckName,
  type ServiceDiagnoses,
  type Setup,
  skipped,
  warn,
} from './check.ts'
import { checkConnection } from './check-connection.ts'
import { accessOf, checkProjects, type ListingItems } from './check-projects.ts'

/** In the order in which one depends on another. */
const order = ['dns', 'tcp', 'tls', 'clock', 'release', 'base-path', 'key', 'page-size', 'projects'] as const

interface ServiceCheck extends Pick<Setup, 'clock' | 'random'> {
  readonly service: ConfiguredService
  /** The configuration, for messages; undefined where the environment is the configuration. */
  readonly file: string | undefined
  readonly env: Setup['sources']['env']
}

/** Checks one service, from its name to its projects; sends GET requests only. */
export async function checkService(context: ServiceCheck): Promise<readonly CheckRow[]> {
  const { mended, diagnoses } = mendUrl(context)
  const { name } = context.service.settings
  try {
    return rowsOf(name, inOrder([...diagnoses, ...(await findFaults(mended))]))
  } catch (error) {
    return rowsOf(
      name,
      inOrder([...diagnoses, ['tcp', diagnosesOf(error, 'Correct the service in the configuration.')]]),
    )
  }
}

async function findFaults(context: ServiceCheck): Promise<ServiceDiagnoses> {
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
    const projects = await checkProjects(examiner, service, context.file)
    const pageSize = await checkPageSize(examiner, projects.project, settings.pageSize)
    return [
      ...reached,
      ['release', inferRelease([...projects.items, ...pageSize.items])],
      ...projects.diagnoses,
      ['page-size', [pageSize.diagnosis]],
    ]
  } finally {
    await examiner.close()
  }
}

/** People copy the URL of the API: the other checks go on with the one that was meant. */
function mendUrl(context: ServiceCheck): { readonly mended: ServiceCheck; readonly diagnoses: ServiceDiagnoses } {
  const { service } = context
  const { url, dialect } = service.settings
  const base = baseBefore(dialect.pathPrefix, url)
  if (base === undefined) return { mended: context, diagnoses: [] }
  const mended = { ...context, service: { ...service, settings: { ...service.settings, url: base } } }
  const fault = `url contains ${dialect.pathPrefix}, which hookdrift appends; checked without it`
  return { mended, diagnoses: [['base-path', [fail(fault, `Set url: ${displayBase(base)}`)]]] }
}

/** Each check in its place; those that were not reached wait for an earlier one. */
function inOrder(unordered: ServiceDiagnoses): ServiceDiagnoses {
  return order.map((check: ServiceCheckName) => {
    const all = unordered.filter(([of]) => of === check).flatMap(([, diagnoses]) => diagnoses)
    const failed = all.filter(({ status }) => status !== 'ok')
    // A mended URL answers well, and is wrong all the same.
    const diagnoses = check === 'base-path' && failed.length > 0 ? failed : all
    return [check, diagnoses.length === 0 ? [skipped('an earlier check failed')] : diagnoses] as const
  })
}

function rowsOf(service: string, diagnoses: ServiceDiagnoses): readonly CheckRow[] {
  return diagnoses.flatMap(([check, ofCheck]) => ofCheck.map((diagnosis) => ({ check, service, ...diagnosis })))
}

/**
 * Resolves the host and opens a connection; behind a proxy, the proxy does both.
 * @throws AuditError.usage when the environment names an impossible proxy
 */
async function checkAddress({
  service,
  env,
  clock,
}: ServiceCheck): Promise<{ readonly dns: Diagnosis; readonly tcp: Diagnosis }> {
  const { url, limits } = service.settings
  const proxy = proxyFor(new URL(url), env)
  if (proxy !== undefined) {
    const behind = skipped(`${proxy.variable} is set: the proxy makes the connection`)
    return { dns: behind, tcp: behind }
  }
  const { host, port } = hostPortOf(url)
  const dns = await checkHostName(host, url)
  if (dns.status === 'fail') return { dns, tcp: skipped('the host name cannot be resolved') }
  const startedAt = clock.now()
  try {
    await tryConnection({ host, port }, limits.connectTimeoutMs)
    return { dns, tcp: ok(`${host}:${port} accepts connections, ${Math.round(clock.now() - startedAt)} ms`) }
  } catch (error) {
    const { what, kind } = networkFailure(error)
    return { dns, tcp: fail(`${host}:${port}: ${what}`, stepAfterFault(kind, url)) }
  }
}

async function checkHostName(host: string, url: string): Promise<Diagnosis> {
  if (isAddress(host)) return ok(`${host} is an address`)
  try {
    const addresses = await resolveHost(host)
    const [first = 'no address', ...more] = addresses
    return ok(`${host} is ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`)
  } catch (error) {
    const { what, kind } = networkFailure(error)
    return fail(`${host}: ${what}`, stepAfterFault(kind, url))
  }
}

/** Asks for one page of the configured size. A service may grant a smaller one, which costs more requests. */
async function checkPageSize(
  examiner: ServiceExaminer,
  project: ConfiguredProject | undefined,
  size: number,
): Promise<{ readonly diagnosis: Diagnosis; readonly items: readonly ListingItems[] }> {
  if (project === undefined) return { diagnosis: skipped('no project to ask for: see projects'), items: [] }
  try {
    const { granted = size, items } = await examiner.endpointPage(accessOf(project))
    return { diagnosis: sizeDiagnosis(granted, size, examiner.rateLimit()), items: [{ listing: 'endpoints', items }] }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    const diagnosis = faultDiagnosis(error, `a page of ${size} resources: `)
    const isLess = await isReadable(examiner, project)
    return {
      diagnosis: isLess ? { ...diagnosis, remediation: 'Lower `page_size` of the service.' } : diagnosis,
      items: [],
    }
  }
}

function sizeDiagnosis(granted: number, size: number, limit: string | undefined): Diagnosis {
  const rate = `rate limit ${limit === undefined ? 'not named' : `${limit} (x-ratelimit-limit)`}`
  if (granted >= size) return ok(`pages of ${size} resources are granted; ${rate}`)
  return warn(
    `pages of ${size} resources are cut to ${granted}; ${rate}`,
    `Set page_size: ${granted} for this service.`,
  )
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

/** What the fields of these items say of the release of their service; nothing where they say nothing. */
function inferRelease(listings: readonly ListingItems[]): readonly Diagnosis[] {
  const signs = new ReleaseSigns()
  for (const { listing, items } of listings) {
    const sound = items.filter((item) => findListFault(kindOf[listing], item) === undefined)
    for (const resource of takeInventory(listing, sound, maskingSealer).listed) signs.note(listing, shapeOf(resource))
  }
  const release = signs.range()
  return release === undefined ? [] : [ok(describeReleases(release))]
}
