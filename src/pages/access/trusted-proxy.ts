import type { TrustedProxy } from '../../config/configuration.ts'
import { neutralise } from '../../text/neutralise.ts'
import { addressCheck } from './peer-address.ts'

const longestName = 200

/** What a proxy in front says of a request; undefined for a request that does not come from it. */
export interface ProxiedRequest {
  /** The user, fit for a log; undefined where the proxy named none. */
  readonly user: string | undefined
  /** Whether the user's connection to the proxy is encrypted. */
  readonly isSecure: boolean
}

/** Creates a reader of what the proxy adds. From any other address its headers mean nothing. */
export function readProxied(
  proxy: TrustedProxy | undefined,
): (request: Request, peer: string | undefined) => ProxiedRequest | undefined {
  if (proxy === undefined) return () => undefined
  const isProxy = addressCheck(proxy.networks)
  return ({ headers }, peer) => {
    if (!isProxy(peer)) return undefined
    const name = (headers.get(proxy.header) ?? '').trim().slice(0, longestName)
    return {
      user: name === '' ? undefined : neutralise(name),
      isSecure: headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase() === 'https',
    }
  }
}
