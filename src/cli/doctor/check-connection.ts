import type { ServiceExaminer, ServiceGreeting } from '../../gateway/service/examine-service.ts'
import { count } from '../../model/text/count.ts'
import { dayMs } from '../../model/time.ts'
import { type Diagnosis, failureDiagnosis, ok, type ServiceDiagnoses, skipped, warn } from './check.ts'

/**
 * Says how the service greets: its certificate, its clock, its release. `isAnswered`: whether the service answers in
 * HTTP.
 */
export async function checkConnection(
  examiner: ServiceExaminer,
  { url, now }: { readonly url: string; readonly now: number },
): Promise<{ readonly diagnoses: ServiceDiagnoses; readonly isAnswered: boolean }> {
  const greeting = await examiner.greet()
  const { failure } = greeting
  if (failure?.status === null) return { diagnoses: unanswered(greeting, failure), isAnswered: false }
  return {
    diagnoses: [
      ['tls', [await certificateDiagnosis(examiner, url, now)]],
      ['clock', [clockDiagnosis(greeting)]],
      ['release', [releaseDiagnosis(greeting)]],
    ],
    isAnswered: true,
  }
}

/**
 * The one check that the failure is about fails, and the others wait for it. The port accepts connections: where none
 * was made with https, TLS failed.
 */
function unanswered(
  { url, isConnected }: ServiceGreeting,
  failure: NonNullable<ServiceGreeting['failure']>,
): ServiceDiagnoses {
  const isOfTls = failure.kind === 'tls' || (!isConnected && url.startsWith('https:'))
  const isWrongUrl = failure.kind === 'wrong_url' || failure.kind === 'malformed'
  const check = isOfTls ? 'tls' : isWrongUrl ? 'base-path' : 'release'
  const waiting = (['tls', 'clock', 'release'] as const).filter((each) => each !== check)
  return [[check, [failureDiagnosis(failure, url)]], ...waiting.map((each) => [each, [skipped('no answer')]] as const)]
}

const leastDays = 21

async function certificateDiagnosis(examiner: ServiceExaminer, url: string, now: number): Promise<Diagnosis> {
  if (url.startsWith('http:')) return skipped('the connection is plain http')
  const certificate = await examiner.certificate()
  if (certificate?.validTo === undefined) return ok('the certificate is accepted; a proxy hides its dates')
  const days = Math.floor((Date.parse(certificate.validTo) - now) / dayMs)
  const text = `the certificate is accepted, and valid until ${certificate.validTo} (${count(days, 'day')})`
  return days < leastDays ? warn(text, 'Renew the certificate at the service.') : ok(text)
}

const mostSecondsApart = 60

function clockDiagnosis({ aheadMs }: ServiceGreeting): Diagnosis {
  if (aheadMs === undefined) return skipped('the service does not say its time')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const way = aheadMs < 0 ? 'behind' : 'ahead of'
  if (seconds <= 1) return ok('the clocks agree')
  const text = `the clock of the service is ${seconds} s ${way} this one`
  return seconds > mostSecondsApart
    ? warn(text, 'Turn on NTP on both machines: ages and deadlines depend on it.')
    : ok(text)
}

/** Releases that hookdrift was tested against: docs/reference/supported-services.md. */
const supported = { first: [25, 6], last: [26, 7] } as const

const nameRelease = 'Check what answers at /healthz below `url`: the gateway names its release there.'

function releaseDiagnosis({ release, version, failure }: ServiceGreeting): Diagnosis {
  const dialect = version === undefined ? '' : `, answers in interface version ${version}`
  if (release === undefined) {
    const why = failure === undefined ? '' : `: /healthz answers ${failure.what}`
    return warn(`the service does not name its release${why}${dialect}`, nameRelease)
  }
  const text = `calls itself ${release}${dialect}`
  const named = /^Convoy v(\d{1,4})\.(\d{1,4})/.exec(release)
  if (named === null) return warn(text, 'hookdrift audits Convoy and services with its API: see supported-services.md.')
  const number = Number(named[1]) * 1000 + Number(named[2])
  const [least, most] = [supported.first, supported.last].map(([year, month]) => year * 1000 + month)
  const isSupported = number >= (least ?? 0) && number <= (most ?? 0)
  if (isSupported) return ok(text)
  return warn(text, 'hookdrift was tested against v25.6 to v26.7: compare the first report with the dashboard.')
}
