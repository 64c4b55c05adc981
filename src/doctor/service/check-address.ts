import { stepAfterFault } from '../../report/describe-failures.ts'
import { networkFailure } from '../../service/network-failure.ts'
import { proxyFor } from '../../service/proxy-for.ts'
import { hostPortOf, isAddress, resolveHost, tryConnection } from '../../service/reach-host.ts'
import { type Diagnosis, fail, ok, skipped } from '../check.ts'
import type { ServiceContext } from './context.ts'

export interface CheckedAddress {
  readonly dns: Diagnosis
  readonly tcp: Diagnosis
}

/**
 * Resolves the host and opens a connection; behind a proxy, the proxy does both.
 * @throws AuditError.usage when the environment names an impossible proxy
 */
export async function checkAddress({ service, env, clock }: ServiceContext): Promise<CheckedAddress> {
  const { url, limits } = service.settings
  if (proxyFor(new URL(url), env) !== undefined) {
    const variable = url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'
    const behind = skipped(`${variable} is set: the proxy makes the connection`)
    return { dns: behind, tcp: behind }
  }
  const { host, port } = hostPortOf(url)
  const dns = await checkName(host, url)
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

async function checkName(host: string, url: string): Promise<Diagnosis> {
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
