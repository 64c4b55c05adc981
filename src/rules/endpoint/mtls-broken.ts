import { z } from 'zod'
import { isMasked } from '../../model/resource.ts'
import { dayMs } from '../../model/time.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { type Certificate, certificateOf, isoDate } from '../shared/certificate.ts'

const minRsaBits = 2048
const base = '/mtls_client_cert'

export const mtlsBroken = resourceRule('endpoint', {
  id: 'endpoint/mtls-broken',
  title: 'Client certificate is unusable, about to expire or weak',
  severity: 'critical',
  packs: ['tls'],
  acceptedWith: [base],
  skipsMasked: true,
  options: z.strictObject({
    min_days: z.number().positive().default(30).describe('Days that the certificate must still be valid'),
  }),
  *check({ attributes: { mtls_client_cert: mtls } }, { options: { min_days: days }, now }) {
    if (mtls === null || mtls === undefined) return
    const { client_cert: pem, client_key: key } = mtls
    if (key === undefined) yield { path: `${base}/client_key`, message: `the client certificate has no key${stopped}` }
    if (pem === undefined) yield { path: `${base}/client_cert`, message: `the client key has no certificate${stopped}` }
    if (pem === undefined || isMasked(pem)) return
    const certificate = certificateOf(pem)
    const unusable = certificate === undefined ? 'cannot be parsed' : whyUnusable(certificate, now)
    const reasons = [...(unusable === undefined ? [] : [unusable]), ...(certificate ? weaknessesOf(certificate) : [])]
    const isEnding = unusable === undefined && certificate !== undefined && now > certificate.notAfter - days * dayMs
    if (isEnding) {
      reasons.unshift(`expires on ${isoDate(certificate.notAfter)} (policy: valid for at least ${days} more days)`)
    }
    if (reasons.length === 0) return
    const severity = unusable !== undefined ? 'critical' : isEnding ? 'high' : 'medium'
    const message = `the certificate ${reasons.join(' and ')}${unusable === undefined ? '' : stopped}`
    yield { path: `${base}/client_cert`, message, severity }
  },
})

const stopped = ': every delivery fails, without a retry'

/** What the gateway checks before each delivery. */
function whyUnusable({ notBefore, notAfter }: Certificate, now: number): string | undefined {
  if (now > notAfter) return `expired on ${isoDate(notAfter)}`
  return now >= notBefore ? undefined : `is not valid before ${isoDate(notBefore)}`
}

function weaknessesOf({ rsaBits, brokenHash }: Certificate): readonly string[] {
  return [
    ...(rsaBits !== undefined && rsaBits < minRsaBits
      ? [`has an RSA key of ${rsaBits} bits (minimum: ${minRsaBits})`]
      : []),
    ...(brokenHash === undefined ? [] : [`is signed with ${brokenHash}`]),
  ]
}
